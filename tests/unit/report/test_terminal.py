"""An experiment on a terminal of 80 columns."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.report.market import write_market

from autostrada.report.page import write_page
from autostrada.report.terminal import print_results, print_run
from autostrada.store.writer import StoreWriter


def printed(path):
    output = io.StringIO()
    print_run(path, Console(file=output, width=80))
    return [line.rstrip() for line in output.getvalue().splitlines()]


@pytest.fixture(scope="module")
def lines(market_path):
    return printed(market_path)


def test_nothing_is_wider_than_80_columns(lines):
    assert max(map(len, lines)) <= 80


def test_a_grid_has_published_figures_above_measured_ones(lines):
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


def test_a_list_has_a_reason_for_a_missing_figure(lines):
    text = " ".join(" ".join(lines).split())
    assert "disconnected out of memory:" in text
    assert "<0.01× broken" in text


def test_the_output_begins_with_the_answer(lines):
    assert lines[0] == "Who feeds how many?"
    assert lines[1].startswith("Ada sends 2.00× as much as Cobol, or 100% more: 1,000")


def test_every_system_of_the_publication_is_a_line(lines):
    begin = lines.index("systems, versions and settings of the publication")
    assert lines[begin + 1 : begin + 6] == [
        "server: Algol 60: replaced by ada-server",
        "   Ada is like it.",
        "server: Cobol: measured by cobol-server",
        "machine: abacus: not available",
        "   Nobody has one.",
    ]


def test_all_cells_except_those_of_searches_are_shown(lines):
    begin = lines.index("all cells")
    end = lines.index("capacity: ada-server → engine in ramp")
    cells = [line for line in lines[begin:end] if line.startswith("json ")]
    assert len(cells) == 7
    assert cells[0].split() == [
        *("json", "processes=1", "1,000", "1", "ms", "100%", "25%"),
        *("1", "GiB", "server", "CPU"),
    ]
    ada, cobol = (lines.index(f"{name}-server → engine") for name in ("ada", "cobol"))
    assert ada < lines.index(cells[0]) < cobol
    assert not any(line.startswith("ramp") for line in lines[begin:end])


def test_a_cell_shows_how_many_of_its_clients_are_the_engine(market, ada_cell):
    mixed = replace(market.outcomes[ada_cell], reference_clients=3)
    results = replace(market, outcomes={**market.outcomes, ada_cell: mixed})
    output = io.StringIO()
    print_results(results, Console(file=output, width=80))
    text = " ".join(output.getvalue().split())
    assert text.count("(3 engine)") == 2
    assert "(3 engine): so many of the client processes are the engine." in text


def test_a_search_shows_its_trials(lines):
    begin = lines.index("capacity: ada-server → engine in ramp")
    assert lines[begin + 3 : begin + 8] == [
        "connections    met achieved bottleneck",
        "100         1 of 1     100% load sustained",
        "150         3 of 3     100% load sustained",
        "200         1 of 3      80% unclear",
        "400         0 of 1      80% unclear",
    ]


def test_the_output_ends_with_claims_and_their_summary(lines):
    assert "inconclusive: Ada sends more than Cobol." in lines
    assert "not tested: It was a fine day." in lines
    assert "   Nobody can measure that." in lines
    assert (
        "Of 6 published conclusions 4 are inconclusive and 2 are not tested."
        in " ".join(lines)
    )


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
    assert any(line.split()[:3] == ["reference", "≤", "20"] for line in lines)
    assert write_page(path).is_file()
