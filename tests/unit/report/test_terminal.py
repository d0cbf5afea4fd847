"""A run on a terminal of 80 columns, as a whole and as its first screen."""

from dataclasses import replace

import pytest
from tests.unit.report.market import write_market
from tests.unit.report.race import trials, write_race
from tests.unit.report.records import read

from autostrada.experiment.publication import Publication
from autostrada.report.circumstances import FailedAttempt
from autostrada.report.pages.run_page import write_page
from autostrada.report.ranking import rankings
from autostrada.report.ranking_text import headline, unranked_note
from autostrada.report.screen import print_report, print_screen
from autostrada.report.terminal import print_conclusions


@pytest.mark.parametrize("name", ["race", "market"])
def test_a_report_has_all_tables_and_conclusions(request, printed, snapshot, name):
    results = request.getfixturevalue(name)
    snapshot(f"{name}.txt", printed(print_report, results))


@pytest.mark.parametrize("name", ["market", "alone"])
def test_the_first_screen_has_the_answer(request, printed, snapshot, name):
    text = printed(print_screen, request.getfixturevalue(name))
    assert len(text.splitlines()) <= 40
    snapshot(f"{name}-screen.txt", text)


def test_conclusions_are_printed_with_their_grounds(sure, printed, snapshot):
    snapshot("conclusions.txt", printed(print_conclusions, sure))


@pytest.fixture
def alone(market, ada_cell):
    """A market with one contestant, whose clients are partly the engine."""
    outcomes = {
        cell: outcome
        for cell, outcome in market.outcomes.items()
        if cell.server == ada_cell.server
    }
    outcomes[ada_cell] = replace(outcomes[ada_cell], reference_clients=3)
    return replace(market, publication=None, outcomes=outcomes)


def test_the_first_screen_of_a_race_has_its_ranking_and_not_its_conclusions(
    race, printed
):
    claim = {"text": "It was a fine day.", "reason": "Nobody can measure that."}
    publication = {"title": "t", "origin": "o", "claim": [claim]}
    claimed = replace(race, publication=Publication.model_validate(publication))
    assert "1. It was a fine day." in printed(print_report, claimed)
    text = printed(print_screen, claimed)
    assert "bash-slow 1.2.3" in text
    assert "It was a fine day." not in text


@pytest.mark.parametrize("attempts", [0, 1, 12])
def test_an_incomplete_run_can_be_printed_and_has_a_page(printed, tmp_path, attempts):
    path = write_market(tmp_path / "cut.duckdb", attempts=attempts)
    assert "This run is incomplete" in printed(print_report, read(path))
    assert "This run is incomplete" in write_page(path).read_text(encoding="utf-8")


def test_a_race_of_the_reference_alone_is_a_table(printed, tmp_path):
    alone = (each for each in trials() if each.cell.client == "reference")
    path = write_race(tmp_path / "race.duckdb", made=alone)
    lines = [line.split() for line in printed(print_report, read(path)).splitlines()]
    assert ["reference", "1.2.3", "≤", "20"] in [line[:4] for line in lines]
    assert write_page(path).is_file()


def test_a_row_without_a_rank_and_an_interval_has_a_reason(race, printed):
    ranking = rankings(race)[0]
    assert unranked_note(ranking) == ""
    outcomes = dict(race.outcomes)

    def limit(standing):
        outcome = standing.outcome
        name = ranking.metric.name
        one = replace(outcome.metrics[name], values=outcome.metrics[name].values[:1])
        metrics = {**outcome.metrics, name: replace(one, rounds=one.rounds[:1])}
        outcomes[outcome.cell] = replace(outcome, metrics=metrics)

    limit(ranking.standings[1])
    note = "only one repetition, hence no rank and no interval.\n"
    text = printed(print_screen, replace(race, outcomes=outcomes))
    assert f"\ncobol-mid: {note}" in text
    for standing in ranking.measured:
        limit(standing)
    text = printed(print_screen, replace(race, outcomes=outcomes))
    assert f"\nAll: {note}" in text


def test_only_some_of_many_names_are_printed(race, printed):
    attempt = FailedAttempt(
        kind="not installed",
        message="",
        stderr_tail="",
        repetition=None,
        is_counted=True,
    )
    absent = {f"ada-{number}": (attempt,) for number in range(10)}
    text = " ".join(printed(print_screen, replace(race, absent=absent)).split())
    assert "ada-6, ada-7 and 2 more (autostrada doctor --install)." in text


def test_a_headline_names_few_of_many_leaders(race):
    ranking = rankings(race)[0]
    ada, _, bash = ranking.standings[:3]
    tied = [replace(ada, name=f"ada-{number}") for number in range(6)]
    assert headline(replace(ranking, standings=(*tied, bash))) == (
        "ada-0, ada-1, ada-2, ada-3 and 2 others are the fastest: 5 repetitions do not "
        "distinguish them. The next, bash-slow, takes 20.0× as long."
    )
