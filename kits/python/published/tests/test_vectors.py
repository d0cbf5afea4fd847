"""Tests with the test vectors that the engine has, too."""

import json
from pathlib import Path

import pytest
from autostrada_feeds import FeedSettings
from autostrada_feeds.feed import FeedFormat, WrongMessageError
from autostrada_feeds.latency import round_latency
from autostrada_feeds.sequence import Sequence

KITS = Path(__file__).parents[3]
VECTORS = json.loads((KITS / "vectors.json").read_text(encoding="utf-8"))


def named(case):
    names = (case[key] for key in ("kind", "encoding", "name") if key in case)
    return " ".join(names)


def message_of(case):
    return case["text"] if "text" in case else bytes.fromhex(case["hex"])


@pytest.mark.parametrize("case", VECTORS["feeds"], ids=named)
def test_a_message_is_encoded_and_decoded(case):
    feed = FeedFormat(case["kind"], case["encoding"])
    number, time_ns = int(case["number"]), int(case["time_ns"])
    settings = FeedSettings(
        format=feed,
        stocks=case["stocks"],
        stocks_file=KITS / "stocks.csv" if case["kind"] == "stocks" else None,
    )
    stocks = settings.stocks_of_message(number)
    assert feed.encode(number, time_ns, stocks) == message_of(case)
    heading = feed.decode(message_of(case))
    assert heading.number == (number if feed.has_number else None)
    assert heading.time_ns == (time_ns if feed.has_instant else None)


@pytest.mark.parametrize("case", VECTORS["wrong"], ids=named)
def test_a_message_that_is_not_of_the_feed_is_wrong(case):
    with pytest.raises(WrongMessageError):
        FeedFormat(case["kind"], case["encoding"]).decode(message_of(case))


@pytest.mark.parametrize("case", VECTORS["sequences"], ids=named)
def test_numbers_get_their_verdicts(case):
    sequence = Sequence()
    verdicts = [sequence.check(number) for number in case["numbers"]]
    assert verdicts == case["verdicts"]
    assert sequence.counts == case["counts"]


@pytest.mark.parametrize(("given", "rounded"), VECTORS["roundings"])
def test_latencies_are_rounded(given, rounded):
    assert round_latency(int(given)) == int(rounded)
