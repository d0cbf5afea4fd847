"""A comparison in slices, on each medium and compared with one of trials."""

from dataclasses import replace

import pytest
from tests.unit.report.outline import table_text, tables, words
from tests.unit.report.records import read
from tests.unit.report.sliced import DEFINITION, RUN, write_sliced

from autostrada.report.compare.comparison import compare
from autostrada.report.compare.differences import differences
from autostrada.report.compare.runs import report_runs
from autostrada.report.compare.side import parse_addresses, read_side
from autostrada.report.pages.run_page import run_page
from autostrada.report.ranking import BIAS, bias_max_of, rankings
from autostrada.report.ranking_text import (
    clock_note,
    headline,
    slices_note,
    unranked_note,
)
from autostrada.report.screen import print_report, print_screen


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Return a function: results of the comparison with some changes."""

    def results(**changes):
        path = tmp_path_factory.mktemp("sliced") / "sliced.duckdb"
        return read(write_sliced(path, **changes))

    return results


@pytest.fixture(scope="module")
def sliced(stored):
    return stored()


@pytest.fixture(scope="module")
def ranking(sliced):
    [found] = rankings(sliced)
    return found


def by_name(ranking, name):
    return next(one for one in ranking.every if one.name == name)


def test_intervals_contain_the_ratio_of_cpu_times_and_the_bias_is_small(ranking):
    elm = by_name(ranking, "elm-wide").to_best
    assert elm.low < 0.5 < elm.high
    assert elm.high < 0.52
    assert ranking.bias_max == pytest.approx(0.00247, abs=0.0001)


def test_a_bias_that_changes_from_start_to_start_is_chance(ranking):
    def varied(standing, by):
        bias = standing.outcome.metrics[BIAS]
        values = [value * (1 + by * (-1) ** at) for at, value in enumerate(bias.values)]
        metrics = standing.outcome.metrics | {BIAS: replace(bias, values=tuple(values))}
        return replace(standing, outcome=replace(standing.outcome, metrics=metrics))

    every = [one for one in ranking.every if BIAS in one.outcome.metrics]
    assert bias_max_of([varied(one, 0.0) for one in every]) == ranking.bias_max > 0
    assert bias_max_of([varied(one, 0.1) for one in every]) == 0


def test_the_report_fits_a_terminal(sliced, printed, snapshot):
    snapshot("sliced.txt", printed(print_report, sliced))
    assert "ada-fast is the fastest" in printed(print_screen, sliced)


def test_the_page_has_all_columns(sliced, snapshot):
    page = run_page(sliced, [])
    shown = table_text(dict(tables(page))["table-echo"])
    snapshot("sliced.csv", shown)
    for text in (
        "CPU time,\nslices to\nhalf a second",
        "messages\na wake-up",
        "By the clock, elm-wide is 2",
        "it uses 2.00 cores.",
    ):
        assert text in shown
    assert "bound: the contestant was idle at times" in words(page)


def test_rows_say_why_the_clock_has_another_order(ranking):
    names = [one.name for one in ranking.standings if clock_note(one, ranking)]
    assert sorted(names) == ["cobol-mid", "dart-mid"]


def test_a_contestant_that_waits_is_slower_by_the_clock(ranking):
    cobol, elm = by_name(ranking, "cobol-mid"), by_name(ranking, "elm-wide")
    waiting, busy = cobol.outcome.slices, elm.outcome.slices
    # It takes twice as long as elm-wide, which has one core.
    waiting = replace(waiting, duration_ns=times(waiting.cpu_ns, 3.5))
    busy = replace(busy, duration_ns=busy.cpu_ns)
    standings = (
        replace(cobol, outcome=replace(cobol.outcome, slices=waiting)),
        replace(elm, outcome=replace(elm.outcome, slices=busy)),
    )
    note = clock_note(standings[0], replace(ranking, standings=standings))
    assert note.startswith("By the clock, elm-wide is 116% faster: cobol-mid waits")


def times(by_round, factor):
    return {
        start: {number: factor * ns for number, ns in found.items()}
        for start, found in by_round.items()
    }


def test_one_that_varies_wildly_is_named_and_has_no_note(ranking):
    first, cobol, *others = ranking.standings
    wild = {
        start: {at: ns * 9.0 ** (start % 2) for at, ns in found.items()}
        for start, found in cobol.outcome.slices.duration_ns.items()
    }
    slices = replace(cobol.outcome.slices, duration_ns=wild)
    cobol = replace(cobol, outcome=replace(cobol.outcome, slices=slices))
    varied = replace(ranking, standings=(first, cobol, *others))
    assert {clock_note(one, varied) for one in (first, cobol)} == {""}
    omitted = replace(ranking, standings=(first, replace(cobol, estimate=None)))
    assert "with those of the others: cobol-mid." in slices_note(omitted)
    assert "cobol-mid" not in slices_note(ranking)


def test_headlines_name_few_of_many_leaders(ranking):
    first, *others = ranking.standings
    tied = replace(ranking, standings=(first, *(replace(o, rank=1) for o in others)))
    assert headline(tied) == (
        "ada-fast, cobol-mid, dart-mid, elm-wide and 2 others are the fastest "
        "(6 starts do not distinguish them)."
    )


def test_one_start_gives_no_ranks(stored):
    [found] = rankings(stored(starts=1))
    assert {one.rank for one in found.every} == {None}
    assert headline(found).startswith("ada-fast was the best in its only repetition.")
    assert unranked_note(found) == "All: too few starts, hence no rank."
    assert "Standard deviation" not in slices_note(found)


def test_trials_without_slices_are_ranked_as_before(stored):
    [found] = rankings(stored(are_kept=False))
    assert found.metric.name == "achieved_per_s"
    assert found.slices is None
    assert slices_note(found) == ""


def test_ranking_values_of_another_method_are_not_compared(tmp_path):
    path = write_sliced(tmp_path / "sliced.duckdb", are_kept=False)
    write_sliced(path)
    sides = map(read_side, parse_addresses("1", "2", path, None))
    comparison = compare(*sides)
    [line] = [line for line in differences(comparison) if "slices" in line]
    assert line == (
        "echo: B was measured in slices and is ranked by messages a second of a core, "
        "which A does not have: the ranking values are not compared"
    )
    assert report_runs(comparison).conclusion == (
        "Nothing can be compared: A and B have no ranking metric in common."
    )


def test_two_runs_in_slices_are_compared(tmp_path):
    path = write_sliced(tmp_path / "sliced.duckdb")
    run = replace(RUN, definition=DEFINITION.replace("limit_s = 60", "limit_s = 50"))
    write_sliced(path, run=run)
    comparison = compare(*map(read_side, parse_addresses("1", "2", path, None)))
    assert {cell.main.name for cell in comparison.cells} == {"messages_per_cpu_s"}
    conclusion = report_runs(comparison).conclusion
    assert conclusion.startswith("Compared with A, B is indistinguishable")
