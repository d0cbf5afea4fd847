"""The overview of all cells."""

from dataclasses import replace

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.circumstances import missing_note
from autostrada.report.overview import (
    by_ends,
    cell_command,
    commands,
    ends,
    group_tables,
    problems,
)
from autostrada.stats.metrics import Group


@pytest.fixture(scope="module")
def tables(market):
    return {table.group: table for table in group_tables(market)}


def test_each_group_has_its_metrics_and_cells(tables):
    assert [*tables] == [
        Group.THROUGHPUT,
        Group.LATENCY,
        Group.LOSSES,
        Group.CPU,
        Group.MEMORY,
    ]
    memory = tables[Group.MEMORY]
    assert [metric.name for metric in memory.metrics] == ["server_memory_bytes_max"]
    assert len(memory.outcomes) == 7
    assert len(tables[Group.THROUGHPUT].outcomes) == 7 + 4


def test_ends_are_named_including_the_engine():
    assert ends(Cell(server="ada", client="bash", workload="x")) == "ada → bash"
    assert ends(Cell(server="ada", workload="x")) == "ada → engine"


def test_cells_are_grouped_by_their_ends(market):
    grouped = by_ends(market.outcomes.values())
    assert {name: len(outcomes) for name, outcomes in grouped.items()} == {
        "ada-server → engine": 4 + 4,
        "cobol-server → engine": 4,
        "dart-server → engine": 4,
    }


def test_a_failure_is_reported_once(market):
    absent, disturbed, *failed = problems(market)
    assert (absent.subject, absent.kind) == ("dart-server", "not installed")
    assert [each.kind for each in failed] == ["broken", "out of memory"]
    assert disturbed.subject == "ada-server → engine in json processes=1 stocks=1"
    assert disturbed.description == (
        "1 trial was disturbed and repeated: others used 40% of core 1 (repetition 5)."
    )


def test_missing_cells_are_reported(market, results_of):
    assert missing_note(market.missing) == ""
    cut = results_of(attempts=1)
    assert missing_note(cut.missing) == "This run is incomplete: 59 trials are missing."
    missing = [each for each in problems(cut) if each.kind == "not measured yet"]
    assert missing[0].description == "4 of 5 repetitions"


def test_commands_contain_the_choices_of_the_run(market):
    command = "autostrada run --store a.duckdb my/market.toml --quick --seed 7 --set "
    command += "'json.seconds=\"1\"' --contestants='a folder' --contestant ada-server"
    run = replace(market.run, command=command)
    assert [made for made, _ in commands(replace(market, run=run))] == [
        command,
        "autostrada plan my/market.toml --quick --set 'json.seconds=\"1\"' "
        "'--contestants=a folder' --contestant ada-server",
        "autostrada report a.duckdb --run 1",
    ]
    [cell, *_] = market.outcomes
    assert cell_command(replace(market, run=run), cell) == (
        "autostrada run my/market.toml --quick --set 'json.seconds=\"1\"' "
        f"'--contestants=a folder' --contestant {cell.server} --workload json"
    )
    assert cell_command(market, replace(cell, server="reference")) == ""
