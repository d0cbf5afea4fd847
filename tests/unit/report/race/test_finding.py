"""Sentences computed from the race made by hand."""

import pytest

from autostrada.report.number import THIN_SPACE
from autostrada.report.race import finding
from autostrada.report.race.published import published_sources
from autostrada.report.race.race import read_race
from autostrada.store.reader import StoreReader


@pytest.fixture(scope="module")
def race(reader):
    return read_race(reader)


def test_the_headline_names_the_fastest_and_the_next(race):
    assert finding.headline(race.rankings[0]) == (
        "ada-fast is the fastest. The next, cobol-mid, takes 1.99× as long."
    )


def test_the_headline_shares_the_place_and_doubts_a_workload_of_the_engine(race):
    assert finding.headline(race.rankings[1]) == (
        "ada-fast and cobol-mid are the fastest: 5 repetitions cannot tell them apart. "
        "The next, bash-slow, takes 1.30× as long. But the engine was the limit for 2 "
        "of 3: this ranks the engine, not the libraries."
    )


def test_one_repetition_makes_no_rank(write_race, tmp_path):
    with StoreReader.open(write_race(tmp_path / "one.duckdb", attempts=12)) as reader:
        race = read_race(reader)
    assert [figures.rank for _, figures in race.rankings[0].measured] == [None] * 3
    assert finding.headline(race.rankings[0]) == (
        "ada-fast was the fastest in its only repetition. "
        "The next, cobol-mid, takes 2.00× as long."
    )


def test_the_reason_says_what_held_the_fastest_back(race):
    assert finding.reason(race.rankings[0]).startswith(
        "ada-fast itself was the limit. Engine (server) busy 20"
    )
    assert finding.reason(race.rankings[1]).startswith(
        "Our engine was the limit: ada-fast may be faster."
    )


def test_bounds_are_marked_only_where_the_engine_was_the_limit(race):
    [_, (standing, figures), *_] = race.rankings[1].measured
    assert standing.contestant == "cobol-mid"
    assert finding.duration(figures) == f"≤ 2{THIN_SPACE}010"
    assert finding.rate(figures) == f"≥ 498{THIN_SPACE}k"
    assert finding.duration(race.rankings[0].measured[0][1]) == "200"


def test_ratios_are_bounds_where_one_of_both_figures_is(race):
    batched, one_by_one = race.rankings
    ada, cobol, bash = one_by_one.measured
    assert finding.to_fastest(ada[1], one_by_one) == "1.00×"
    assert finding.to_fastest(cobol[1], one_by_one) == "~ 1.00×"
    assert finding.to_fastest(bash[1], one_by_one) == "≥ 1.30×"
    assert finding.to_fastest(batched.measured[1][1], batched) == "1.99×"
    assert finding.to_reference(batched.measured[1][1], batched) == "≥ 19.9×"
    assert finding.ratio_bound(ada[1], bash[1]) == "≤ "
    assert finding.has_bounds(batched)


def test_bounds_of_ratios_say_what_is_indistinguishable(race):
    (_, ada), (_, cobol), _ = race.rankings[0].measured
    # 396/204 and 404/198: beyond each, the weights sum up to 2.3 %, with it to 3.5 %.
    assert finding.ratio_detail(cobol.to_fastest) == "1.94–2.04"
    assert finding.ratio_detail(ada.to_fastest) == ""
    assert finding.ratio_detail(None) == ""
    cobol_again = race.rankings[1].measured[1][1]
    assert finding.ratio_detail(cobol_again.to_fastest) == "indistinguishable"


def test_a_cell_in_which_some_failed_says_how_many(race):
    notes = [finding.failed_note(each) for each in race.rankings[0].standings]
    assert notes == [
        "",
        "1 repetition failed, the figures are those of the other 4.",
        "",
        "",
    ]


def test_only_some_libraries_have_a_published_figure(race):
    sources = published_sources(race.experiment.published)
    has = [
        finding.has_published(standing, sources)
        for standing in race.rankings[0].standings
    ]
    assert has == [True, False, False, False]


def test_the_ceiling_is_seen_where_the_engine_limits_most(race):
    batched, one_by_one = finding.ceilings(race)
    assert batched.spread == pytest.approx(4000 / 200)
    assert (batched.limited_by_engine, batched.engine_busy_share) == (0, 0.1)
    assert (one_by_one.spread, one_by_one.limited_by_engine) == (1.3, 2)
    assert finding.ceiling_sentence(batched).endswith("the limit for none of them.")
    assert "1.30× as long" in finding.ceiling_sentence(one_by_one)
    assert "the engine, not the libraries" in finding.ceiling_sentence(one_by_one)
    assert finding.caution(race).startswith("In one-by-one the engine was the limit")


def test_a_complete_run_has_no_gap(race):
    assert finding.gap(race) == ""


def test_a_run_that_measured_nothing_says_so(write_race, tmp_path):
    with StoreReader.open(write_race(tmp_path / "empty.duckdb", attempts=0)) as reader:
        race = read_race(reader)
    assert finding.headline(race.rankings[0]) == "No library was measured."
    assert finding.reason(race.rankings[0]) == ""
    assert finding.ceilings(race) == []
    assert finding.caution(race) == ""
    assert finding.gap(race) == "This run is not complete: 40 trials are missing."
