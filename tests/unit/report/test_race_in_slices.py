"""A race in slices: ranked by CPU time, with the cold start beside it."""

from dataclasses import replace

import pytest
from tests.unit.report.outline import words
from tests.unit.report.race import CELLS, RUN, trials
from tests.unit.report.records import read, values, write_run

from autostrada.report import number
from autostrada.report.charts.selection import all_charts
from autostrada.report.cold import read_ahead_note
from autostrada.report.pages.run_page import run_page
from autostrada.report.ranking import rankings
from autostrada.report.ranking_view import Medium, shown_on
from autostrada.report.screen import print_report
from autostrada.report.time_series import read_time_series
from autostrada.store.reader import StoreReader
from autostrada.store.record import MarkRow, SliceRow

CPU_NS = {"reference": 20, "ada-fast": 195, "cobol-mid": 100, "bash-slow": 4000}
"""CPU time of a message in slices, which each client is busy in."""

SLICE_NS = 300_000_000
ROUNDS = 4


def slices(name, repetition):
    """Yield slices in turn; starts differ by up to 1 %, and the machine by 10 %."""
    for turn in range(ROUNDS):
        ns = CPU_NS[name] * (1 + (repetition - 2) / 200 * (-1) ** len(name))
        ns *= 1 + 0.1 * (repetition % 2) + 0.01 * turn
        messages = round(SLICE_NS / ns)
        yield SliceRow(
            since_start_ns=(turn * len(CPU_NS) + [*CPU_NS].index(name)) * 500_000_000,
            duration_ns=SLICE_NS,
            messages=messages,
            server_cpu_ns=10 * messages,
            client_cpu_ns=round(messages * ns),
        )


def pongs(duration_ns, messages):
    """Return pongs of a client that is at half its rate for a third of a trial."""
    for step in range(1, 51):
        share = step / 50
        done = 0.75 * share if share < 0.4 else 1.0 - (1 - share) * 7 / 6
        yield MarkRow(
            since_start_ns=round(share * duration_ns), messages=round(done * messages)
        )


def sliced_trials():
    for trial in trials():
        outcome, name = trial.outcome, trial.cell.client
        if trial.cell.workload != "batched" or not hasattr(outcome, "messages"):
            continue
        found = tuple(slices(name, trial.repetition))
        messages = sum(each.messages for each in found)
        cold_ns, *_ = CELLS["batched", name]
        ahead = {"read_ahead_messages": 18_000} if name == "ada-fast" else {}
        rate = messages / sum(each.client_cpu_ns for each in found) * 1e9
        changed = replace(
            outcome,
            messages=messages,
            duration_ns=ROUNDS * SLICE_NS,
            metrics=values(
                "client", ms_per_million=cold_ns, messages_per_cpu_s=rate, **ahead
            ),
            marks=tuple(pongs(cold_ns * 1_000_000, 1_000_000)),
            slices=found,
        )
        yield replace(trial, outcome=changed)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    batched, *_ = RUN.definition.partition('\n[[workload]]\nname = "one-by-one"')
    definition = batched.replace("messages =", "seconds = 1.2\nslices = 4\nmessages =")
    path = tmp_path_factory.mktemp("slices") / "race.duckdb"
    run = replace(RUN, definition=definition, published="")
    write_run(path, run, (), sliced_trials())
    return path


@pytest.fixture(scope="module")
def results(path):
    return read(path)


@pytest.fixture(scope="module")
def series(path):
    with StoreReader.open(path) as reader:
        return read_time_series(reader, 1)


@pytest.fixture(scope="module")
def batched(results):
    return next(each for each in rankings(results) if each.point == "batched")


def test_the_cold_rate_stands_beside_it(batched):
    cobol, ada, bash = batched.standings[:3]
    assert cobol.cold_text == "400\N{NARROW NO-BREAK SPACE}ms/1M"
    assert cobol.cold_ratio == pytest.approx(4, rel=0.1)
    assert ada.cold_ratio == pytest.approx(200 / 195, rel=0.1)
    assert [each.has_other_cold_rate for each in (cobol, ada, bash)] == [
        True, False, False,
    ]  # fmt: skip


def test_reading_ahead_of_the_program_is_named_beyond_1_percent(batched):
    cobol, ada = batched.standings[:2]
    assert read_ahead_note(cobol.outcome) == ""
    assert read_ahead_note(ada.outcome) == (
        "When the library answered the last ping, its program had at most "
        f"{number.plain(18_000, 0)} messages still to receive, so the cold time is at "
        "most 1.8% too short."
    )


def test_the_rate_over_time_is_drawn_where_they_differ(results, series):
    chart = all_charts(results, rankings(results), (), series)["rate-batched"]
    assert {row["contestant"] for row in chart.table} == {"cobol-mid"}
    cobol = [row["share"] for row in chart.table]
    assert cobol[0] < 0.7 * cobol[-1]


def test_page_and_terminal_show_both(results, series, printed, snapshot):
    shown = words(run_page(results, series))
    assert "cold, 1M" in shown
    assert "× as long" in shown
    snapshot("race-in-slices.txt", printed(print_report, results))


def test_the_column_of_cold_times_names_the_number_of_messages_once(batched, results):
    def cold(*standings):
        columns = shown_on(Medium.PAGE, batched, standings, results)
        (found,) = (
            column
            for column in columns
            if column.titles[Medium.PAGE].startswith("cold")
        )
        entries = [found.entry(standing).text for standing in standings]
        return found.titles[Medium.PAGE], entries

    cobol, ada = batched.standings[:2]
    space = "\N{NARROW NO-BREAK SPACE}"
    title, cells = cold(cobol, ada)
    assert (title, cells[0]) == ("cold,\n1M", f"400{space}ms")
    metrics = dict(ada.outcome.metrics)
    metrics["ms_per_100k"] = metrics.pop("ms_per_million")
    other = replace(ada, outcome=replace(ada.outcome, metrics=metrics))
    title, cells = cold(cobol, other)
    assert (title, cells[0]) == ("cold", f"400{space}ms/1M")
    assert cells[1].endswith(f"{space}ms/100k")
