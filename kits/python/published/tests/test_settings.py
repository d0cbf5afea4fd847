"""Tests of the settings of a feed and of its clients."""

from pathlib import Path

import pytest
from autostrada_feeds.feed import FeedFormat
from autostrada_feeds.settings import TURN_MESSAGES, FeedSettings, ReceiverSettings
from autostrada_kit.variables import SettingsError

STOCKS_FILE = Path(__file__).parents[3] / "stocks.csv"
URL = "ws://127.0.0.1:8008/feed"


def test_a_client_has_its_settings():
    given = {"URL": URL, "FEED": "stocks"}
    expected = ReceiverSettings(url=URL, feed=FeedFormat("stocks"))
    assert ReceiverSettings.read(given) == expected
    given |= {"BARS": "30", "DECODE": "whole", "SECONDS": "1.5"}
    given |= {"CONNECTIONS": "3", "MESSAGES": "5", "ENCODING": "binary"}
    assert ReceiverSettings.read(given) == ReceiverSettings(
        url=URL,
        feed=FeedFormat("stocks", "binary", bars=30, is_decoded=True),
        connections=3,
        messages=5,
        duration_ns=1_500_000_000,
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("URL", None),
        ("URL", "http://127.0.0.1:8008/5"),
        ("FEED", None),
        ("FEED", "weather"),
        ("MESSAGES", "0"),
        ("MESSAGES", "1e6"),
        ("CONNECTIONS", "two"),
        ("BARS", "0"),
        ("DECODE", "all"),
        ("SECONDS", "0"),
        ("SECONDS", "nan"),
    ],
)
def test_a_wrong_variable_of_a_client_is_named(variable, value):
    given = {"URL": URL, "FEED": "stocks", variable: value}
    if value is None:
        del given[variable]
    with pytest.raises(SettingsError, match=f"^{variable} "):
        ReceiverSettings.read(given)


def test_without_a_feed_there_are_no_settings():
    assert FeedSettings.read({}) is None


def test_a_feed_has_its_settings():
    given = {
        "FEED": "stocks",
        "ENCODING": "binary",
        "STOCKS": "3",
        "BARS": "30",
        "STOCKS_FILE": str(STOCKS_FILE),
        "SUBSCRIBERS": "8",
        "EVERY_MS": "0.5",
        "SECONDS": "1.5",
        "PACE": "unpaced",
    }
    assert FeedSettings.read(given) == FeedSettings(
        format=FeedFormat("stocks", "binary", bars=30),
        stocks=3,
        stocks_file=STOCKS_FILE,
        subscribers=8,
        every_ns=500_000,
        duration_ns=1_500_000_000,
        pace="unpaced",
    )


@pytest.mark.parametrize(
    ("given", "is_paced", "turn_messages"),
    [
        ({}, True, TURN_MESSAGES),
        ({"EVERY_MS": "5"}, False, TURN_MESSAGES),
        ({"PACE": "paced"}, True, TURN_MESSAGES),
        ({"PACE": "unpaced"}, False, 1),
        ({"PACE": "dropping"}, False, 1),
        ({"PACE": "unpaced", "EVERY_MS": "5"}, False, 1),
    ],
)
def test_a_continuous_feed_is_paced_by_default(given, is_paced, turn_messages):
    settings = FeedSettings.read({"FEED": "hello", "SECONDS": "1"} | given)
    assert (settings.is_paced, settings.turn_messages) == (is_paced, turn_messages)


@pytest.mark.parametrize(
    ("variable", "given"),
    [
        ("FEED", {"FEED": "weather", "MESSAGES": "1"}),
        ("ENCODING", {"ENCODING": "xml", "MESSAGES": "1"}),
        ("MESSAGES", {}),
        ("MESSAGES", {"MESSAGES": "1", "SECONDS": "1"}),
        ("SECONDS", {"SECONDS": "0"}),
        ("EVERY_MS", {"MESSAGES": "1", "EVERY_MS": "0"}),
        ("EVERY_MS", {"MESSAGES": "1", "EVERY_MS": "0.0000001"}),
        ("SUBSCRIBERS", {"MESSAGES": "1", "SUBSCRIBERS": "0"}),
        ("STOCKS", {"MESSAGES": "1", "STOCKS": "1000001"}),
        ("BARS", {"MESSAGES": "1", "BARS": "0"}),
        ("BARS", {"MESSAGES": "1", "BARS": "10001"}),
        ("PACE", {"MESSAGES": "1", "PACE": "fast"}),
        ("STOCKS_FILE", {"FEED": "stocks", "MESSAGES": "1"}),
        ("STOCKS_FILE", {"FEED": "stocks", "MESSAGES": "1", "STOCKS_FILE": "/none"}),
        ("STOCKS_FILE", {"FEED": "stocks", "MESSAGES": "1", "STOCKS_FILE": __file__}),
    ],
)
def test_a_wrong_variable_of_a_feed_is_named(variable, given):
    with pytest.raises(SettingsError, match=f"^{variable} ") as error:
        FeedSettings.read({"FEED": "hello"} | given)
    assert "\n" not in str(error.value)
