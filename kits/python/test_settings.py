"""Tests of a client's settings."""

import pytest
from autostrada_kit import choose
from autostrada_kit.feed import FeedFormat
from autostrada_kit.settings import EchoSettings, Settings
from autostrada_kit.variables import SettingsError


def test_reads_the_environment():
    environment = {"URL": "ws://127.0.0.1:8008/5", "MESSAGES": "5"}
    assert Settings.read(environment) == Settings(
        url="ws://127.0.0.1:8008/5", messages=5, connections=1, lines="json"
    )
    environment |= {"CONNECTIONS": "3", "LINES": "autoroute"}
    assert Settings.read(environment) == Settings(
        url="ws://127.0.0.1:8008/5", messages=5, connections=3, lines="autoroute"
    )


def test_reads_what_a_client_of_a_feed_does_with_its_messages():
    environment = {"URL": "ws://127.0.0.1:8008/feed", "FEED": "stocks"}
    assert Settings.read(environment) == Settings(
        url="ws://127.0.0.1:8008/feed", messages=None, feed=FeedFormat("stocks")
    )
    environment |= {"BARS": "30", "DECODE": "whole", "SECONDS": "1.5"}
    assert Settings.read(environment) == Settings(
        url="ws://127.0.0.1:8008/feed",
        messages=None,
        feed=FeedFormat("stocks", bars=30, is_decoded=True),
        duration_ns=1_500_000_000,
    )


@pytest.mark.parametrize(
    ("variable", "value"), [("BARS", "0"), ("DECODE", "all"), ("SECONDS", "0")]
)
def test_names_the_variable_of_a_feed_that_is_malformed(variable, value):
    environment = {"URL": "ws://127.0.0.1:8008/feed", "FEED": "stocks"}
    with pytest.raises(SettingsError, match=f"^{variable} "):
        Settings.read(environment | {variable: value})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("URL", None),
        ("URL", ""),
        ("URL", "127.0.0.1:8008"),
        ("URL", "http://127.0.0.1:8008/5"),
        ("URL", "ws://"),
        ("URL", "ws://127.0.0.1:eight/"),
        ("MESSAGES", None),
        ("MESSAGES", ""),
        ("MESSAGES", "0"),
        ("MESSAGES", "-1"),
        ("MESSAGES", "1_000"),
        ("MESSAGES", "1e6"),
        ("MESSAGES", "٣"),
        ("MESSAGES", "9" * 16),
        ("CONNECTIONS", "0"),
        ("CONNECTIONS", "two"),
        ("LINES", "JSON"),
        ("LINES", ""),
    ],
)
def test_names_the_variable_that_is_missing_or_malformed(variable, value):
    environment = {"URL": "ws://127.0.0.1:8008/5", "MESSAGES": "5"}
    if value is None:
        del environment[variable]
    else:
        environment[variable] = value
    with pytest.raises(SettingsError, match=f"^{variable} ") as error:
        Settings.read(environment)
    assert "\n" not in str(error.value)


def test_reads_the_settings_of_an_exchange():
    environment = {"URL": "ws://127.0.0.1:8008/echo", "WINDOW_S": "2"}
    assert EchoSettings.read(environment) == EchoSettings(
        url="ws://127.0.0.1:8008/echo",
        window_ns=2_000_000_000,
        warm_up_ns=0,
        connections=1,
        payload="hello world",
    )
    environment |= {"WARM_UP_S": "0.5", "CONNECTIONS": "3", "PAYLOAD": "grüezi"}
    environment |= {"WINDOW_S": "1.000000001"}
    assert EchoSettings.read(environment) == EchoSettings(
        url="ws://127.0.0.1:8008/echo",
        window_ns=1_000_000_001,
        warm_up_ns=500_000_000,
        connections=3,
        payload="grüezi",
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("URL", None),
        ("URL", "http://127.0.0.1:8008/echo"),
        ("CONNECTIONS", "0"),
        ("WARM_UP_S", "-1"),
        ("WARM_UP_S", "1e3"),
        ("WARM_UP_S", ""),
        ("WINDOW_S", None),
        ("WINDOW_S", "0"),
        ("WINDOW_S", "0.0"),
        ("WINDOW_S", "nan"),
        ("WINDOW_S", "two"),
        ("WINDOW_S", "1000000"),
    ],
)
def test_names_the_variable_of_an_exchange_that_is_malformed(variable, value):
    environment = {"URL": "ws://127.0.0.1:8008/echo", "WINDOW_S": "2"}
    if value is None:
        del environment[variable]
    else:
        environment[variable] = value
    with pytest.raises(SettingsError, match=f"^{variable} ") as error:
        EchoSettings.read(environment)
    assert "\n" not in str(error.value)


def test_chooses_a_variant_by_its_variable(monkeypatch, capsys):
    monkeypatch.delenv("CLIENT", raising=False)
    assert choose("CLIENT", "asyncio", "threading") == "asyncio"
    monkeypatch.setenv("CLIENT", "threading")
    assert choose("CLIENT", "asyncio", "threading") == "threading"
    monkeypatch.setenv("CLIENT", "trio")
    with pytest.raises(SystemExit) as stop:
        choose("CLIENT", "asyncio", "threading")
    assert stop.value.code == 2
    assert (
        capsys.readouterr().err == "CLIENT must be asyncio or threading, not 'trio'\n"
    )
