"""Whole messages of stocks, decoded."""

import pytest
import vectors
from autostrada_feeds.feed import FeedFormat, WrongMessageError
from autostrada_feeds.stocks import decode_binary, decode_json

WHOLE = {"json": decode_json, "binary": decode_binary}


def expected(encoding, number, stocks, bars):
    case = vectors.feed_case("stocks", encoding, number, 42, stocks, bars)
    return case["text"] if "text" in case else bytes.fromhex(case["hex"])


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
