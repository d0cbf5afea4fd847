"""Rows, bars and verdicts, for given metrics."""

import math
from types import SimpleNamespace

import pytest
from rich.console import Console

from autostrada.machine.host import this_host
from compare.table import Bar, BenchRow, alternate, number, speed, speed_row


@pytest.mark.parametrize(
    ("relation", "metric", "expected"),
    [
        ("≥", 5, "reached"),
        ("≥", 4.99, "not reached"),
        ("≤", 5, "reached"),
        ("≤", 5.01, "not reached"),
        ("≤", math.inf, "not reached"),
    ],
)
def test_a_metric_is_compared_with_its_bar(relation, metric, expected):
    row = BenchRow(what="", metric=metric, bar=Bar(relation=relation, value=5))
    assert row.verdict == expected


@pytest.mark.parametrize(
    ("bar", "bounds", "expected"),
    [
        (Bar(relation="≥", value=1), (1.0, 1.1), "reached"),
        (Bar(relation="≥", value=1), (0.9, 1.1), "undecided"),
        (Bar(relation="≥", value=1.2), (0.9, 1.1), "not reached"),
        (Bar(relation="≤", value=1), (0.9, 1.1), "undecided"),
        (Bar(relation="≥", value=1, low=0.9), (0.9, 1.1), "reached"),
        (Bar(relation="≥", value=1, low=0.95), (0.9, 1.1), "not reached"),
    ],
)
def test_an_interval_that_contains_the_bar_decides_nothing(bar, bounds, expected):
    row = BenchRow(what="", metric=1.05, bounds=bounds, bar=bar)
    assert row.verdict == expected


def test_a_ratio_is_how_many_times_as_fast_the_engine_is():
    samples = {"engine": [2.0, 2.0, 2.0], "other": [8.0, 8.0, 8.0]}
    row = speed_row("echo", samples, "other", Bar(relation="≥", value=5))
    assert row.shown == "4 (4 to 4) ×"
    assert row.verdict == "not reached"
    assert row.details == [
        "engine: 500,000,000 (500,000,000 to 500,000,000) messages/s",
        "other: 125,000,000 (125,000,000 to 125,000,000) messages/s",
    ]


def test_speed_is_the_median_of_the_rates():
    assert speed("engine", [1e6, 2e6, 4e6]) == "engine: 500 (250 to 1,000) messages/s"


def test_contenders_are_measured_alternately_in_both_orders():
    order = []
    contenders = {name: lambda name=name: order.append(name) for name in "ab"}
    bench = SimpleNamespace(host=this_host(), rounds=2, console=Console(quiet=True))
    samples = alternate("", bench, contenders)
    assert order == ["a", "b", "b", "a"]
    assert samples == {"a": [None, None], "b": [None, None]}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.9542, "0.954"),
        (0.012, "0.012"),
        (131.6, "132"),
        (1e6, "1,000,000"),
    ],
)
def test_metrics_are_shown_with_significant_digits(value, shown):
    assert number(value) == shown
