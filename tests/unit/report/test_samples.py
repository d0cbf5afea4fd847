"""Samples: combined values of processes, and the ratio of two metrics."""

from math import inf

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.samples import (
    Sampled,
    combined,
    ratio_of,
    read_samples,
)
from autostrada.store.reader import StoreReader


@pytest.fixture(scope="module")
def samples(market_path):
    with StoreReader.open(market_path) as reader:
        return read_samples(reader, 1)


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


def test_a_metric_has_a_value_for_each_counted_trial(samples, cell):
    received = samples[cell("ada", 1, 1)]["received_per_client_per_s"]
    assert received.values == pytest.approx((990, 1005, 1000, 995, 1010))
    interval = received.interval
    assert (interval.median, interval.low, interval.high) == (1000, 990, 1010)


def test_received_messages_of_several_clients_are_added(samples, cell):
    received = samples[cell("ada", 2, 1)]["received_per_s"]
    assert received.interval.median == pytest.approx(2 * 800)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("latency_ms_mean", 1.04),
        ("latency_ms_p50", 1),
        ("latency_ms_p99", 1),
        ("latency_ms_max", 5),
        ("server_cpu_utilization", 1),
        ("client_cpu_utilization", 0.25),
        ("server_memory_bytes_max", 2**30),
    ],
)
def test_metrics_that_are_not_stored_are_computed(samples, cell, name, value):
    found = samples[cell("ada", 2, 10)][name]
    assert found.values == pytest.approx((value,) * 5)


def test_a_feed_has_no_time_per_million(samples, cell):
    assert "ms_per_million" not in samples[cell("ada", 1, 1)]


def test_a_killed_cell_and_an_unknown_metric_have_no_samples(samples, cell):
    assert cell("cobol", 2, 10) not in samples
    bots = samples[Cell(server="ada-server", workload="ramp connections=100")]
    assert "mood_of_the_author" not in bots
    assert bots["achieved_share"].values == (1,) * 5


def test_a_ratio_of_samples_has_no_bound_at_zero():
    one, two = Sampled(values=(1, 1, 1)), Sampled(values=(2, 2, 2))
    assert ratio_of(two, one).value == 2
    assert ratio_of(two, Sampled(values=(1, 0, 1))).high == float("inf")


def test_the_ratio_of_a_lower_bound_has_the_widest_bounds():
    most, least = Sampled(values=(100,), lower_bounds=1), Sampled(values=(10, 20))
    ratio = ratio_of(most, least)
    assert (ratio.value, ratio.low, ratio.high) == (100 / 15, 5, inf)
    assert ratio.confidence == 0.5
    below = ratio_of(least, most)
    assert (below.low, below.high) == (0, 0.2)
