"""Cost of users, from the metrics of a made-up race."""

import pytest

from autostrada.errors import UsageError
from autostrada.report.cost import CostRequest, print_cost
from autostrada.stats.efficiency import Prices


def request(path, *, core_hour=0.04, gib_hour=0.005, messages_per_user_s=1.0):
    return CostRequest(
        run="1",
        store=path,
        prices=Prices(core_hour=core_hour, gib_hour=gib_hour),
        messages_per_user_s=messages_per_user_s,
    )


def test_there_is_one_row_per_contestant_the_cheapest_first(race_path, printed):
    text = printed(print_cost, request(race_path, gib_hour=0))
    lines = [line.split() for line in text.splitlines()]
    assert ["ada-fast", "5.00", "M", "0.20", "12.0", "0.20", "11,719", "5.84"] in lines
    names = ["reference", "ada-fast", "cobol-mid", "bash-slow"]
    batched, _ = text.split("\none-by-one\n")
    assert sorted(names, key=batched.index) == names


def test_a_contestant_without_metrics_is_named(race_path, printed):
    text = printed(print_cost, request(race_path))
    assert "without metrics in batched: dart-missing" in text


def test_the_assumptions_are_stated(race_path, printed):
    text = " ".join(printed(print_cost, request(race_path)).split())
    assert "1,000,000 users, 1 messages/s each; 0.04 per core-hour" in text
    assert "cores = users × messages/s per user × CPU time per message" in text
    assert "If the contestant is a client with one connection, the cost is" in text


def test_a_price_that_is_not_a_number_is_refused(race_path, printed):
    with pytest.raises(UsageError, match="must be finite numbers, as in --core-hour"):
        printed(print_cost, request(race_path, core_hour=float("inf")))
