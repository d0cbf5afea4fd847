"""What is shown of earlier loads."""

import pytest
from rich.console import Console
from tests.unit.report.loads import AFTER, BEFORE, load, loads

from autostrada.report.history import beside, in_unit, loads_of_name, names


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
