"""Rankings of trials that were not measured in slices."""

from dataclasses import replace

import pytest

from autostrada.report.ranking import placed, rankings
from autostrada.report.ranking_text import headline, to_best, violation_note
from autostrada.report.samples import Sampled
from autostrada.stats.metrics import METRICS


@pytest.fixture(scope="module")
def batched(race):
    return next(each for each in rankings(race) if each.point == "batched")


def test_one_value_has_no_rank_and_decides_no_other(batched):
    ada, cobol, bash = batched.standings[:3]
    metrics = {**bash.outcome.metrics, bash.metric.name: Sampled(values=(100.0,))}
    once = replace(bash, outcome=replace(bash.outcome, metrics=metrics))
    ranking = replace(batched, standings=tuple(placed([once, ada, cobol], None)))
    assert [each.rank for each in ranking.standings] == [None, 1, 2]
    assert [to_best(each, ranking) for each in ranking.standings] == [
        "0.50×", "1.00×", "1.99×",
    ]  # fmt: skip
    assert headline(ranking) == (
        "ada-fast is the fastest. The next, cobol-mid, takes 1.99× as long. bash-slow "
        "has a better value, but only one, and no rank."
    )


def test_a_rate_that_grows_within_the_window_has_no_rank(batched):
    def growing(standing, *values):
        metrics = {
            **standing.outcome.metrics,
            "achieved_per_s": Sampled(values=(50.0, 51.0, 52.0, 53.0, 54.0)),
            "rate_growth": Sampled(values=values),
        }
        outcome = replace(standing.outcome, metrics=metrics)
        metric = METRICS["achieved_per_s"]
        return replace(standing, outcome=outcome, metric=metric, rank=None)

    ada, cobol, bash = batched.standings[:3]
    made = [
        growing(ada, 1.3, 1.4, 1.3, 1.5, 1.6),
        growing(cobol, 1.0, 1.1, 1.3, 1.5, 1.6),
        growing(bash, 2.0),
    ]
    assert made[0].text == "not yet steady"
    assert [each.is_unsteady for each in made] == [True, False, False]
    assert [each.rank for each in placed(made, None)] == [None, 1, 1]


def test_a_row_has_the_first_reason_why_a_repetition_is_not_steady(batched):
    outcome = batched.standings[0].outcome
    assert violation_note(outcome) == ""
    assert violation_note(replace(outcome, violations=("it rises",) * 3)) == (
        "In 3 of 5 repetitions: it rises; 2 more."
    )
