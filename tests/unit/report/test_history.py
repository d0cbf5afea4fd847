"""What is shown of earlier loads, and conditions on how they changed."""

from datetime import UTC, datetime

import pytest
from rich.console import Console

from autostrada.errors import UsageError
from autostrada.report.history import (
    beside,
    compared,
    comparison,
    in_unit,
    loads_of_name,
    names,
)
from autostrada.report.load_gate import failure, parse_change
from autostrada.store.history import LoadMetric, SavedLoad

AT = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)


def load(name, rate, p99_s=None, asked="10 connections"):
    metrics = [LoadMetric(name="rate", title="", unit="per_s", value=rate)]
    if p99_s is not None:
        metrics.append(LoadMetric(name="p99", title="", unit="s", value=p99_s))
    return SavedLoad(
        name=name, at=AT, asked=f"ws://a: {asked}", limit="", metrics=metrics
    )


def loads(name, rates, p99_s=None):
    return [load(name, rate, p99_s) for rate in rates]


BEFORE = loads("before", [100, 101, 102, 103, 104, 105], 0.05)
AFTER = loads("after", [150, 151, 152, 153, 154, 155], 0.05)


def text(tables):
    console = Console(width=80, no_color=True)
    with console.capture() as captured:
        for table in tables:
            console.print(table)
    lines = captured.get().splitlines()
    assert all(len(line) <= 80 for line in lines)
    return [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (0.0123, "s", "12.3 ms"),
        (9_800, "per_s", "9,800/s"),
        (0.5, "share", "50.0%"),
        (2048, "bytes", "2.00\N{NARROW NO-BREAK SPACE}KiB"),
        (7, "count", "7"),
    ],
)
def test_a_value_has_its_unit(value, unit, written):
    assert in_unit(value, unit) == written


def test_a_load_is_shown_beside_those_that_asked_for_the_same():
    earlier = [*loads("a", [100, 300, 200], 0.05), load("a", 1, asked="5 connections")]
    assert beside(load("a", 250, 0.1), earlier) == (
        "history: in 3 loads before, rate 100/s to 300/s, p99 50.0 ms"
    )
    assert "first load 'b'" in beside(load("b", 250), earlier)
    timed = load("a", 250, asked="10 connections, --reply time")
    assert "first load 'a' of this kind" in beside(timed, earlier)


def test_names_and_the_loads_of_one_are_listed():
    title, first, second = text(names([*BEFORE, *AFTER]))
    assert title.split() == ["name", "loads", "last", "asked", "for"]
    assert first == "before     6 2026-05-04 12:30 10 connections"
    assert second.startswith("after ")
    _, *rows = text(names([*BEFORE, load("before", 1, asked="1 connections")]))
    assert [row.split()[1] for row in rows] == ["6", "1"]
    _, *rows = text(loads_of_name(BEFORE))
    assert len(rows) == 6
    assert rows[0] == "2026-05-04 12:30 10 connections 100/s 50.0 ms"


def test_two_names_are_compared_by_each_metric_of_all_loads():
    few = [*AFTER, load("after", 153)]
    assert [each.name for each in compared(BEFORE, AFTER)] == ["rate", "p99"]
    assert [each.name for each in compared(BEFORE, few)] == ["rate"]
    title, rate, p99 = text(comparison(BEFORE, AFTER))
    assert title.split() == ["metric", "before", "after", "ratio", "interval"]
    title, *_ = text(comparison(loads("v1.2", [1]), loads("[b]", [2])))
    assert title.split()[:3] == ["metric", "v1.2", "[b]"]
    assert rate.split()[:4] == ["rate", "102/s", "152/s", "1.49×"]
    assert rate.endswith(" higher")
    assert p99.split() == ["p99", "50.0", "ms", "50.0", "ms", "1.00×", *p99.split()[6:]]
    assert not p99.endswith("higher")


@pytest.mark.parametrize(
    ("condition", "fails"),
    [
        ("rate > +5%", True),
        ("rate>+45%", True),
        ("rate > +60%", False),
        ("rate < -5%", False),
        ("p99 > +1%", False),
    ],
)
def test_a_condition_fails_if_the_change_is_clear(condition, fails):
    found = failure(parse_change(condition), compared(BEFORE, AFTER))
    assert bool(found) == fails
    assert not fails or found.startswith(f"{condition}: rate is 1.4")


@pytest.mark.parametrize("text", ["", "p99", "p99 > 5", "p99 > 0", "p99 > +5"])
def test_other_conditions_are_refused(text):
    with pytest.raises(UsageError, match=r"p99 > \+5%"):
        parse_change(text)


def test_a_condition_that_cannot_be_judged_is_refused():
    for condition, loaded, remedy in [
        ("p50 > +5%", AFTER, "rate, p99"),
        ("rate > +5%", AFTER[:1], "load more often"),
    ]:
        with pytest.raises(UsageError, match=remedy):
            failure(parse_change(condition), compared(BEFORE, loaded))
