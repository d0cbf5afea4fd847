"""The first screen of a run: its answer in at most 40 lines of 80 columns."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from autostrada.report.circumstances import FailedAttempt
from autostrada.report.ranking import rankings
from autostrada.report.ranking_text import headline, unranked_note
from autostrada.report.screen import print_screen
from autostrada.store.record import Failure


def screen(results):
    output = io.StringIO()
    print_screen(results, Console(file=output, width=80))
    return [line.rstrip() for line in output.getvalue().splitlines()]


@pytest.mark.parametrize("experiment", ["race", "market"])
def test_a_run_has_one_screen(request, experiment):
    lines = screen(request.getfixturevalue(experiment))
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


def test_a_race_has_the_ranking_that_answers_its_question(race):
    assert screen(race) == [
        "Who is fast?",
        "ada-fast is the fastest. The next, cobol-mid, takes 1.99× as long.",
        "",
        "batched: time for the first million messages; many frames per system call",
        "                            ≥87.5%",
        "  library, version cold, 1M     CI ratio    CPU memory limited by",
        "1 ada-fast 1.2.3     200 ms  ±2.0% 1.00× 200 ns 12 MiB client CPU",
        "2 cobol-mid 1.2.3    398 ms  ±1.6% 1.99× 440 ns 12 MiB client CPU",
        "3 bash-slow 1.2.3       4 s  ±2.5% 20.0×   4 µs 12 MiB client CPU",
        "",
        "Received texts are not checked to be UTF-8 by bash-slow and cobol-mid.",
        "1 other ranking is on the page: one-by-one.",
        "Not installed: dart-missing (autostrada doctor --install).",
        "Failed: cobol-mid (crashed).",
        "0 of 41 trials stayed disturbed, 1 was repeated (others used 40% of core 1).",
    ]


def test_an_experiment_has_a_line_for_each_published_conclusion(market):
    lines = screen(market)
    assert lines[:9] == [
        "Who feeds how many?",
        "Ada sends 2.00× as much as Cobol, or 100% more: 1,000 messages a second.",
        "",
        "confirmed     Ada sends more than Cobol.  1.99× (1.91–2.08)",
        "contradicted  Ada sends three times as much  1.99× (1.91–2.08)",
        "inconclusive  Ada sends exactly twice as much and more, up t…  "
        "2.00× (1.97–2.03)",
        "not tested    Cobol sends nothing of note to two clients.",
        "inconclusive  Cobol disconnects everybody.  2",
        "not tested    It was a fine day.",
    ]


def test_an_experiment_without_a_publication_has_its_first_ranking(market):
    lines = screen(replace(market, publication=None))
    assert "json processes=1 stocks=1: received per second" in lines
    assert any("other rankings are on the page" in line for line in lines)


def test_an_experiment_with_one_contestant_has_its_cells(market):
    outcomes = {
        cell: outcome
        for cell, outcome in market.outcomes.items()
        if cell.server == "ada-server"
    }
    lines = screen(replace(market, publication=None, outcomes=outcomes))
    assert "ada-server → engine" in lines


def test_a_row_without_a_rank_and_an_interval_has_a_reason(race):
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
    note = "only one repetition, hence no rank and no interval."
    assert f"cobol-mid: {note}" in screen(replace(race, outcomes=outcomes))
    for standing in ranking.measured:
        limit(standing)
    assert f"All: {note}" in screen(replace(race, outcomes=outcomes))


def test_only_some_of_many_names_are_printed(race):
    failure = Failure(kind="not installed", message="", stderr_tail="")
    attempt = FailedAttempt(
        failure=failure, repetition=None, is_warm_up=False, is_counted=True
    )
    absent = {f"ada-{number}": (attempt,) for number in range(10)}
    text = " ".join(screen(replace(race, absent=absent)))
    assert "ada-6, ada-7 and 2 more (autostrada doctor --install)." in text


def test_a_headline_names_few_of_many_leaders(race):
    ranking = rankings(race)[0]
    ada, _, bash = ranking.standings[:3]
    tied = [replace(ada, name=f"ada-{number}") for number in range(6)]
    assert headline(replace(ranking, standings=(*tied, bash))) == (
        "ada-0, ada-1, ada-2, ada-3 and 2 others are the fastest: 5 repetitions do not "
        "distinguish them. The next, bash-slow, takes 20.0× as long."
    )
