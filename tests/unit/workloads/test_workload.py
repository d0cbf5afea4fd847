"""Workloads: the points of a sweep, values of a quick run, and invalid ones."""

import pytest
from pydantic import ValidationError
from tests.unit.definitions import define, make_experiment

from autostrada.workloads.echo import Echo
from autostrada.workloads.feed import Feed
from autostrada.workloads.payload import Payload

FEED = Feed(
    name="json",
    kind="feed",
    feed="stocks",
    seconds=120,
    sweep={"processes": (1, 2), "stocks": (1, 100)},
    quick={"seconds": 2, "sweep": {"processes": [1]}},
)


def test_a_workload_without_a_sweep_is_its_only_point():
    (push,) = make_experiment(define("push")).workload
    assert list(push.points()) == [push]
    assert push.duration_s == 0


def test_each_combination_of_values_is_a_point():
    points = list(FEED.points())
    assert [point.name for point in points] == [
        "json processes=1 stocks=1",
        "json processes=1 stocks=100",
        "json processes=2 stocks=1",
        "json processes=2 stocks=100",
    ]
    assert [(point.processes, point.stocks) for point in points] == [
        (1, 1),
        (1, 100),
        (2, 1),
        (2, 100),
    ]
    assert all(point.seconds == point.duration_s == 120 for point in points)


def test_connections_are_those_of_all_clients():
    feed = FEED.model_copy(update={"processes": 2, "connections": 8})
    assert feed.total_connections == 16
    echo = Echo(name="echo", kind="echo", window_s=1, connections=100)
    assert echo.total_connections == 100


def test_a_quick_run_has_other_values():
    quick = FEED.quick_version()
    assert quick.seconds == 2
    assert [point.name for point in quick.points()] == ["json processes=1"]


def feed(**changes):
    return Feed.model_validate(FEED.model_dump() | changes)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"sweep": {"colour": (1,)}}, "cannot sweep 'colour'"),
        ({"sweep": {"stocks": ()}}, "sweep.stocks"),
        ({"sweep": {"stocks": (0,)}}, "stocks"),
        ({"sweep": {"stocks": (1.5,)}}, "stocks"),
        ({"quick": {"colour": 1}}, "colour"),
        ({"quick": {"seconds": 0}}, "seconds"),
        ({"workers": 2, "processes": 3, "sweep": {}}, "cannot be shared evenly"),
    ],
)
def test_an_invalid_workload_is_refused(change, fault):
    with pytest.raises(ValidationError, match=fault):
        feed(**change)


@pytest.mark.parametrize("payload", [{}, {"text": "a", "base64": "YQ=="}])
def test_a_payload_is_a_text_or_bytes(payload):
    with pytest.raises(ValidationError, match="give text or base64"):
        Payload(**payload)


def test_a_feed_lasts_for_opening_and_then_its_seconds():
    opening = feed(processes=4, connections=500, connect_rate_per_s=100, sweep={})
    assert (opening.opening_s, opening.duration_s) == (20, 140)
    assert feed(processes=4, sweep={}).opening_s == 0


def test_a_feed_lasts_until_the_interval_of_its_last_message_is_over():
    assert feed(every_ms=50_000).duration_s == 150
    assert feed(every_ms=60_000).duration_s == 120
