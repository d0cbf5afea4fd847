"""The explanation of the race made by hand, as page and terminal show it."""

from dataclasses import replace

import pytest

from autostrada.report.race.explanation.explanation import explain
from autostrada.report.race.race import read_race


@pytest.fixture(scope="module")
def race(reader):
    return read_race(reader)


def test_each_candidate_answers_each_puzzle(race):
    explanation = explain(race)
    [explained] = explanation.explained
    assert explained.question.startswith("Why did erlang-absent win by a factor of 3.0")
    assert explained.here == "erlang-absent was not measured here in one-by-one."
    titles = [candidate.title for candidate in explanation.candidates]
    assert [answer.title for answer in explained.answers] == titles
    assert [bool(candidate.lacks) for candidate in explanation.candidates] == [
        False,
        False,
        True,
        True,
    ]


def test_who_was_measured_is_set_against_the_others_here(race, published):
    table = race.experiment.published[0]
    table = table.model_copy(update={"milliseconds": {"ada-fast": 1, "x-y": 30}})
    experiment = race.experiment.model_copy(update={"published": (table,)})
    explanation = explain(replace(race, experiment=experiment))
    assert explanation.explained[0].here == (
        "Here, in one-by-one, ada-fast is 1.15× as fast as the median of the others."
    )


def test_traces_are_of_those_that_were_measured(race):
    traces = [(workload, name) for workload, name, _ in explain(race).traces]
    assert ("batched", "ada-fast") in traces
    assert ("batched", "dart-missing") not in traces


def test_without_puzzles_there_is_nothing_to_explain(race):
    experiment = race.experiment.model_copy(update={"published": ()})
    assert explain(replace(race, experiment=experiment)) is None
