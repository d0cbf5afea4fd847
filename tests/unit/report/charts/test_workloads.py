"""The chart of all workloads side by side."""

from dataclasses import replace

import pytest

from autostrada.report.charts.workloads import workloads_chart
from autostrada.report.race.race import read_race


@pytest.fixture(scope="module")
def race(reader):
    return read_race(reader)


def test_every_library_has_a_dot_in_every_workload(race, rows_of):
    keys = ("contestant", "workload", "ms", "label", "limit", "is_bound")
    rows = rows_of(workloads_chart(race), *keys)
    assert {(row["contestant"], row["workload"]): row["ms"] for row in rows} == {
        ("ada-fast", "batched"): 200,
        ("cobol-mid", "batched"): 398,
        ("bash-slow", "batched"): 4000,
        ("ada-fast", "one-by-one"): 2000,
        ("cobol-mid", "one-by-one"): 2010,
        ("bash-slow", "one-by-one"): 2600,
    }
    assert [row["is_bound"] for row in rows] == [False] * 3 + [True, True, False]


def test_its_legend_explains_hollow_dots(race):
    labels = [key.label for key in workloads_chart(race).legend]
    assert labels == ["batched", "one-by-one", "hollow: the engine was the limit"]


def test_one_workload_makes_no_chart(race):
    assert workloads_chart(replace(race, rankings=race.rankings[:1])) is None
