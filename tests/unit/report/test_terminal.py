"""An experiment on a terminal of 80 columns: its tables and its conclusions."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.report.market import write_market

from autostrada.report.page import write_page
from autostrada.report.results import read_results
from autostrada.report.screen import print_report
from autostrada.report.terminal import print_conclusions
from autostrada.store.reader import StoreReader
from autostrada.store.writer import StoreWriter


def lines_of(results, print_results=print_report):
    output = io.StringIO()
    print_results(results, Console(file=output, width=80))
    return [line.rstrip() for line in output.getvalue().splitlines()]


def printed(path):
    with StoreReader.open(path) as reader:
        return lines_of(read_results(reader))


@pytest.fixture(scope="module")
def lines(market):
    return lines_of(market)


def test_nothing_is_wider_than_80_columns(lines):
    assert max(map(len, lines)) <= 80


def test_a_grid_has_published_metrics_above_measured_ones(lines):
    begin = lines.index("processes         stocks 1        stocks 10")
    assert lines[begin + 1 : begin + 9] == [
        "1                      500              500",
        "                     1,000              500",
        "                 990–1,010          495–505",
        "          2.00× server CPU 1.00× server CPU",
        "2             disconnected              100",
        "                       800              400",
        "                   792–808          396–404",
        "                server CPU 4.00× server CPU",
    ]


def test_a_list_has_a_reason_for_a_missing_metric(lines):
    text = " ".join(" ".join(lines).split())
    assert "disconnected out of memory:" in text
    assert "<0.01× broken" in text


def test_the_output_begins_with_the_answer(lines):
    assert lines[0] == "Who feeds how many?"
    assert lines[1].startswith("Ada sends 2.00× as much as Cobol, or 100% more: 1,000")


def test_a_ranking_has_a_line_for_each_contestant(lines):
    begin = lines.index("json processes=1 stocks=1: received per second")
    assert lines[begin + 1 : begin + 5] == [
        "                                93.7%",
        "  library, version   received/s    CI ratio  CPU memory limited by",
        "1 ada-server 1.2.3        1,000 ±1.0% 1.00× 1 ms  1 GiB server CPU",
        "2 cobol-server 1.2.3        500 ±1.0% 0.50× 2 ms  1 GiB unclear",
    ]


def test_cells_that_are_not_ranked_have_a_table_for_each_pair(lines, market):
    begin = lines.index("ada-server → engine")
    assert lines[begin + 1 : begin + 6] == [
        "cell                 achieved/s limited by",
        "ramp connections=100        100 load sustained",
        "ramp connections=150        150 load sustained",
        "ramp connections=200        160 unclear",
        "ramp connections=400        160 unclear",
    ]
    outcomes = {
        cell: outcome
        for cell, outcome in market.outcomes.items()
        if cell.server == "ada-server" and cell.workload.startswith("json")
    }
    unranked = lines_of(replace(market, outcomes=outcomes))
    begin = unranked.index("ada-server → engine")
    assert unranked[begin + 3].split() == [
        *("json", "processes=1", "stocks=1", "1,000", "1", "ms", "100%", "25%"),
        *("1", "GiB", "server", "CPU"),
    ]


def test_a_note_explains_clients_that_are_the_engine(market, ada_cell):
    mixed = replace(market.outcomes[ada_cell], reference_clients=3)
    results = replace(market, outcomes={**market.outcomes, ada_cell: mixed})
    text = " ".join(" ".join(lines_of(results)).split())
    assert "(3 engine): so many of the client processes are the engine." in text


def test_conclusions_are_printed_with_their_grounds(market):
    lines = lines_of(market, print_conclusions)
    assert "confirmed: Ada sends more than Cobol." in lines
    assert "not tested: It was a fine day." in lines
    assert lines[-1] == "   Nobody can measure that."


@pytest.mark.parametrize("attempts", [0, 1, 12])
def test_an_incomplete_run_can_be_printed(tmp_path, attempts):
    lines = printed(write_market(tmp_path / "cut.duckdb", attempts=attempts))
    assert any("This run is incomplete" in line for line in lines)


def test_a_race_of_the_reference_alone_is_a_table(write_race, all_trials, tmp_path):
    path = tmp_path / "race.duckdb"
    write_race(path, attempts=0)
    with StoreWriter.create_or_open(path) as writer:
        for trial in all_trials:
            if trial.cell.client == "reference":
                writer.record_trial(1, trial)
    lines = printed(path)
    assert any(line.split()[:4] == ["reference", "1.2.3", "≤", "20"] for line in lines)
    assert write_page(path).is_file()
