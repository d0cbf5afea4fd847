"""Series of stocks, and whole messages decoded."""

import json
from pathlib import Path

import pytest
import vectors
from autostrada_feeds import FeedSettings
from autostrada_feeds.feed import FeedFormat, WrongMessageError
from autostrada_feeds.stocks import decode_binary, decode_json

KITS = Path(__file__).parents[3]
STOCKS_FILE = KITS / "stocks.csv"
RECORDS = 11
SHAPES = [(0, 1, 1), (3, 2, 4), (RECORDS - 1, 25, 2), (2**53 - 1, 1, 40)]
"""Number of the message, stocks and bars: also beyond the end of the file."""

WHOLE = {"json": decode_json, "binary": decode_binary}


def expected(encoding, number, stocks, bars):
    case = vectors.feed_case("stocks", encoding, number, 42, stocks, bars)
    return case["text"] if "text" in case else bytes.fromhex(case["hex"])


@pytest.mark.parametrize("encoding", ["json", "binary"])
@pytest.mark.parametrize(("number", "stocks", "bars"), SHAPES)
def test_a_stock_is_a_series_of_bars(encoding, number, stocks, bars):
    feed = FeedFormat("stocks", encoding, bars)
    settings = FeedSettings(format=feed, stocks=stocks, stocks_file=STOCKS_FILE)
    message = feed.encode(number, 42, settings.stocks_of_message(number))
    assert message == expected(encoding, number, stocks, bars)
    heading = feed.decode(message)
    assert (heading.number, heading.time_ns) == (number, 42)


@pytest.mark.parametrize("bars", [None, 3])
def test_both_encodings_have_the_same_numbers(bars):
    as_json, as_binary = (
        WHOLE[encoding](expected(encoding, 5, 4, bars), bars)
        for encoding in ("json", "binary")
    )
    assert len(as_json) == len(as_binary) == 4
    for of_json, of_binary in zip(as_json, as_binary, strict=True):
        if bars is None:
            assert tuple(of_json.values()) == tuple(of_binary)
        else:
            assert [*of_json.values()] == [[*column] for column in of_binary]


@pytest.mark.parametrize("encoding", ["json", "binary"])
@pytest.mark.parametrize("bars", [None, 3])
def test_a_decoded_message_has_the_same_heading(encoding, bars):
    message = expected(encoding, 5, 4, bars)
    decoded = FeedFormat("stocks", encoding, bars, is_decoded=True).decode(message)
    assert decoded == FeedFormat("stocks", encoding, bars).decode(message)


def malformed():
    """Yield messages of two stocks that only a whole decoding finds wrong."""
    series = expected("json", 1, 2, 3)
    yield 2, series
    yield None, series
    yield 3, expected("json", 1, 2, None)
    yield 3, series.replace('"volume"', '"volumes"')
    yield 3, series.replace("[1", "[,1", 1)
    yield 3, series.replace('{"open":', '["open",', 1)
    yield 4, expected("binary", 1, 2, 3)


def test_a_malformed_stock_is_found_by_whole_decoding_only():
    for bars, message in malformed():
        encoding = "json" if isinstance(message, str) else "binary"
        FeedFormat("stocks", encoding, bars).decode(message)
        with pytest.raises(WrongMessageError):
            FeedFormat("stocks", encoding, bars, is_decoded=True).decode(message)


def test_a_series_in_json_is_an_object_of_lists():
    document = json.loads(expected("json", 1, 2, 3))
    assert [*document["stocks"][0]] == ["open", "high", "low", "close", "volume"]
    assert all(len(column) == 3 for column in document["stocks"][1].values())
