"""A race of pushes with a duration: ranked by the steady rate, beside the cold one."""

from dataclasses import replace

import pytest
from tests.unit.report.race import RUN, trials
from tests.unit.report.records import values, write_run

from autostrada.report import number
from autostrada.report.charts.chosen import all_charts
from autostrada.report.cold import STEADY
from autostrada.report.export import PageLocation
from autostrada.report.headlines import summary
from autostrada.report.page import page
from autostrada.report.ranking import placed, rankings
from autostrada.report.ranking_text import headline, to_best
from autostrada.report.ranking_view import Medium, shown_on
from autostrada.report.results import read_results
from autostrada.report.samples import Sampled
from autostrada.report.screen import print_report
from autostrada.report.steady import rate_note
from autostrada.report.time_series import read_time_series
from autostrada.stats.metrics import METRICS
from autostrada.store.reader import StoreReader
from autostrada.store.record import MarkRow

STEADY_NS = {"reference": 19, "ada-fast": 195, "cobol-mid": 100}
"""Steady time per message; bash-slow does not become steady."""


def recorded(name, cold_ns, repetition):
    """Return the metrics that a trial with a duration records."""
    steady_ns = STEADY_NS.get(name)
    found = {"ms_per_million": cold_ns, "rate_is_steady": float(bool(steady_ns))}
    if name == "ada-fast":
        found["read_ahead_messages"] = 18_000
    if steady_ns:
        steady_ns += repetition / 100
        found |= {
            "steady_ns_per_message": steady_ns,
            "steady_messages_per_s": 1e9 / steady_ns,
            "steady_client_cpu_us_per_message": steady_ns / 1e3,
            "warm_up_s": 0.5,
        }
    return values("client", **found)


def pongs(outcome):
    """Return pongs of a client that is at half its rate for a third of a trial."""
    for step in range(1, 51):
        share = step / 50
        done = 0.75 * share if share < 0.4 else 1.0 - (1 - share) * 7 / 6
        yield MarkRow(
            since_start_ns=round(share * outcome.duration_ns),
            messages=round(done * outcome.messages),
        )


def steady_trials():
    for trial in trials():
        outcome, name = trial.outcome, trial.cell.client
        if trial.cell.workload != "batched" or not hasattr(outcome, "messages"):
            continue
        cold_ns = outcome.duration_ns / outcome.messages
        others = [each for each in outcome.metrics if each.metric != "ms_per_million"]
        changed = replace(
            outcome,
            metrics=(*others, *recorded(name, cold_ns, trial.repetition)),
            marks=tuple(pongs(outcome)),
            violation="" if name in STEADY_NS else "not yet steady: it rises",
        )
        yield replace(trial, outcome=changed)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    batched, *_ = RUN.definition.partition('\n[[workload]]\nname = "one-by-one"')
    definition = batched.replace("messages =", "seconds = 2\nmessages =")
    path = tmp_path_factory.mktemp("steady") / "steady.duckdb"
    run = replace(RUN, definition=definition, published="")
    write_run(path, run, (), steady_trials())
    return path


@pytest.fixture(scope="module")
def results(path):
    with StoreReader.open(path) as reader:
        return read_results(reader)


@pytest.fixture(scope="module")
def series(path):
    with StoreReader.open(path) as reader:
        return read_time_series(reader, 1)


@pytest.fixture(scope="module")
def batched(results):
    return next(each for each in rankings(results) if each.point == "batched")


def test_one_value_has_no_rank_and_decides_no_other(batched):
    cobol, ada, bash = batched.standings[:3]
    metrics = {**bash.outcome.metrics, STEADY.name: Sampled(values=(50.0,))}
    once = replace(bash, outcome=replace(bash.outcome, metrics=metrics))
    ranking = replace(batched, standings=tuple(placed([once, cobol, ada], None)))
    assert [each.rank for each in ranking.standings] == [None, 1, 2]
    assert [to_best(each, ranking) for each in ranking.standings] == [
        "0.50×", "1.00×", "1.95×",
    ]  # fmt: skip
    assert headline(ranking) == (
        "cobol-mid is the fastest. The next, ada-fast, takes 1.95× as long. bash-slow "
        "has a better value, but only one, and no rank."
    )


def test_the_cold_rate_stands_beside_it(batched):
    cobol, ada, bash = batched.standings[:3]
    assert cobol.text.startswith("100")
    assert cobol.cold_text == "398\N{NARROW NO-BREAK SPACE}ms/1M"
    assert cobol.cold_ratio == pytest.approx(4, rel=0.02)
    assert ada.cold_ratio == pytest.approx(200 / 195, rel=0.02)
    assert [each.has_other_cold_rate for each in (cobol, ada, bash)] == [
        True, False, True,
    ]  # fmt: skip


def test_not_yet_steady_is_an_answer_without_a_number(batched):
    bash = batched.standings[2]
    assert (bash.text, bash.sampled, bash.cold_ratio) == ("not yet steady", None, None)
    assert bash.cold_text.startswith("4")
    assert rate_note(bash.outcome) == (
        "No steady rate in 5 of 5 repetitions: not yet steady: it rises; 4 more."
    )
    assert rate_note(batched.standings[0].outcome) == ""


def test_a_rate_that_grows_within_the_window_has_no_rank(batched):
    cobol, ada, bash = batched.standings[:3]

    def growing(standing, *values):
        metrics = {
            **standing.outcome.metrics,
            "achieved_per_s": Sampled(values=(50.0, 51.0, 52.0, 53.0, 54.0)),
            "rate_growth": Sampled(values=values),
        }
        outcome = replace(standing.outcome, metrics=metrics)
        metric = METRICS["achieved_per_s"]
        return replace(standing, outcome=outcome, metric=metric, rank=None)

    made = [
        growing(cobol, 1.3, 1.4, 1.3, 1.5, 1.6),
        growing(ada, 1.0, 1.1, 1.3, 1.5, 1.6),
        growing(bash, 2.0),
    ]
    assert made[0].text == "not yet steady"
    assert [each.is_unsteady for each in made] == [True, False, False]
    assert [each.rank for each in placed(made, None)] == [None, 1, 1]


def test_reading_ahead_of_the_program_is_named_beyond_1_percent(batched):
    ada = next(each for each in batched.standings if each.name == "ada-fast")
    assert rate_note(ada.outcome) == (
        "When the library answered the last ping, its program had at most "
        f"{number.plain(18_000, 0)} messages still to receive, so the cold time is at "
        "most 1.8% too short."
    )


def test_a_client_that_answers_no_ping_has_no_steady_rate(batched):
    standing = batched.standings[0]
    metrics = {"messages_per_s": standing.outcome.metrics["messages_per_s"]}
    unobserved = replace(standing.outcome, metrics=metrics, violations=("none",) * 5)
    assert replace(standing, outcome=unobserved).text == "not observed"


def test_the_rate_over_time_is_drawn_where_they_differ(results, series, rows_of):
    chart = all_charts(results, rankings(results), (), series)["rate-batched"]
    rows = rows_of(chart, "contestant", "at_s", "share")
    assert {row["contestant"] for row in rows} == {"cobol-mid", "bash-slow"}
    cobol = [row["share"] for row in rows if row["contestant"] == "cobol-mid"]
    assert cobol[0] < 0.7 * cobol[-1]


def test_page_and_terminal_show_both(results, series, printed, snapshot, tmp_path):
    location = PageLocation(path=tmp_path / "steady-1.html")
    html = page(results, series, location).html
    assert "not yet steady" in html
    assert '<th scope="col">cold,<br>1M</th>' in html
    assert "3.98× as long" in html
    snapshot("steady.txt", printed(print_report, results))


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
    assert (title, cells[0]) == ("cold,\n1M", f"398{space}ms")
    metrics = dict(ada.outcome.metrics)
    metrics["ms_per_100k"] = metrics.pop("ms_per_million")
    other = replace(ada, outcome=replace(ada.outcome, metrics=metrics))
    title, cells = cold(cobol, other)
    assert (title, cells[0]) == ("cold", f"398{space}ms/1M")
    assert cells[1].endswith(f"{space}ms/100k")


def test_the_archived_table_has_a_column_for_each(results):
    table = summary(results).markdown.splitlines()
    assert "batched, steady | to best | cold, 1M | bottleneck" in table[0]
    assert table[1].count("|") == table[0].count("|")
    bash = next(line for line in table if "bash-slow" in line)
    assert "not yet steady" in bash
