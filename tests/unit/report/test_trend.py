"""A contestant over runs: its levels, relative to the engine, and where they change."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.unit.definitions import define, definition
from tests.unit.report.records import RUN, push, trial, version, write_run

from autostrada.errors import UsageError
from autostrada.experiment.matrix import Cell
from autostrada.report.charts.trend import trend_chart
from autostrada.report.trend import print_trends, read_trends

DEFINITION = definition(
    define("push", "batched", messages=1_000_000),
    title="Small",
    question="Who is fast?",
    repetitions=3,
    limit_s=60,
    clients=["reference", "ada-fast"],
)


def write(path, ratios, *, first=0):
    """Write a run for each ratio of the contestant to the engine."""
    for number, ratio in enumerate(ratios, first):
        # The machine is another one in each run.
        engine_ns = 20.0 * (1 + number % 3)
        costs = {"reference": engine_ns, "ada-fast": ratio * engine_ns}
        started_at = RUN.started_at + timedelta(days=number)
        run = replace(RUN, definition=DEFINITION, started_at=started_at)
        of_version = version("ada-fast", version=f"1.{number}")
        trials = [
            trial(Cell(client=name, workload="batched"), repetition, push(cost))
            for name, cost in costs.items()
            for repetition in range(3)
        ]
        write_run(path, run, [version("reference"), of_version], trials)
    return path


def test_a_new_level_is_found_over_files_whose_machines_differ(tmp_path, printed):
    ratios = [10.0, 10.1, 9.9, 10.0, 12.0, 12.1, 11.9, 12.0]
    paths = [write(tmp_path / "old.duckdb", ratios[:3])]
    paths += [write(tmp_path / "new.duckdb", ratios[3:], first=3)]
    [trend] = read_trends(paths, "ada-fast")
    assert trend.is_relative
    assert trend.levels == pytest.approx(ratios)
    assert trend.changes == [4]
    assert trend.conclusion == "20.0% slower from 1.4 (2026-11-24) on"
    shown = printed(print_trends, [trend])
    lines = shown.splitlines()
    assert [line.split()[2] for line in lines if line.endswith("changed")] == ["1.4"]
    assert " ".join(shown.split()).endswith(trend.conclusion)
    chart = trend_chart("ada-fast", [trend])
    assert chart.legend[-1].label == "a new level begins"
    assert chart.x.domain[4] == "2026-11-24 21:00 1.4"
    assert [row["run"] for row in chart.marks[-1].rows] == ["2026-11-24 21:00 1.4"]


def test_few_runs_have_no_answer(tmp_path):
    path = write(tmp_path / "few.duckdb", [10.0, 12.0])
    [trend] = read_trends([path], "ada-fast")
    assert trend.conclusion == "too few runs: 2 runs of at least 8"
    with pytest.raises(
        UsageError, match="has measured 'cobol': choose one of ada-fast"
    ):
        read_trends([path], "cobol")
