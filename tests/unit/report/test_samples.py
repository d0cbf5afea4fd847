"""Samples: combined values of processes, and the ratio of two metrics."""

from math import inf

import pytest

from autostrada.report.samples import Sampled, combined, ratio_of


@pytest.mark.parametrize(
    ("of_process", "how", "value"),
    [
        ({"client": 7.0, "client 1": 1.0, "client 2": 3.0}, "sum", 7),
        ({"server": 5.0}, "mean", 5),
        ({"client 1": 1.0, "client 2": 3.0}, "sum", 4),
        ({"client 1": 1.0, "client 2": 3.0}, "mean", 2),
        ({"client 1": 1.0, "client 2": 3.0}, "max", 3),
    ],
)
def test_a_value_of_an_end_stands_for_all_its_processes(of_process, how, value):
    assert combined(of_process, how) == value


def test_a_metric_has_a_value_for_each_counted_trial(market, ada_cell):
    received = market.outcomes[ada_cell].metrics["received_per_client_per_s"]
    assert received.values == pytest.approx((990, 1005, 1000, 995, 1010))


def test_an_unknown_metric_has_no_samples(market):
    metrics = [each.metrics for each in market.outcomes.values()]
    assert sum("achieved_share" in each for each in metrics) == 4
    assert not any("mood_of_the_author" in each for each in metrics)


def test_a_ratio_of_samples_has_no_bound_at_zero():
    one, two = Sampled(values=(1, 1, 1)), Sampled(values=(2, 2, 2))
    assert ratio_of(two, one).value == 2
    assert ratio_of(two, Sampled(values=(1, 0, 1))).high == inf


def test_the_ratio_of_a_lower_bound_has_the_widest_bounds():
    most, least = Sampled(values=(100,), lower_bounds=1), Sampled(values=(10, 20))
    ratio = ratio_of(most, least)
    assert (ratio.value, ratio.low, ratio.high) == (100 / 15, 5, inf)
    assert ratio.confidence == 0.5
    below = ratio_of(least, most)
    assert (below.low, below.high) == (0, 0.2)
