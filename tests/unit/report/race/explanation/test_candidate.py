"""How much of a puzzle a candidate explains, and how that is said."""

import pytest

from autostrada.report.race.explanation.candidate import (
    Candidate,
    answer,
    bounded,
    lead,
    shifted,
    summary,
)
from autostrada.report.race.explanation.puzzle import Puzzle


@pytest.fixture
def puzzle(published):
    return Puzzle(
        contestant="ada", kind="fast", factor=5.0, table=published("a table", ada=1)
    )


def candidate(**effects):
    return Candidate(title="The moon", measured=("It was full.",), effects=effects)


def test_a_lead_is_over_the_median_of_the_others():
    assert lead("ada", {"ada": 10, "bash": 20, "cobol": 40, "dart": 90}) == 4
    assert lead("dart", {"ada": 10, "bash": 20, "cobol": 40, "dart": 90}) == 2 / 9


def test_a_shift_is_how_much_a_lead_changes():
    without = {"ada": 10, "bash": 10, "cobol": 10, "elsewhere": 1}
    with_it = {"ada": 5, "bash": 10, "cobol": 10}
    assert shifted(with_it, without) == {"ada": 2, "bash": 0.75, "cobol": 0.75}


def test_one_client_alone_tells_of_no_shift():
    assert shifted({"ada": 5}, {"ada": 10, "bash": 10}) == {}


@pytest.mark.parametrize(
    ("shift", "reached", "expected"),
    [
        (4.0, 2.0, 2.0),
        (1.5, 2.0, 1.5),
        (4.0, 0.5, 1.0),
        (0.1, 0.5, 0.5),
        (0.8, 0.5, 0.8),
        (0.1, 3.0, 1.0),
    ],
)
def test_nobody_is_moved_further_than_where_it_is_then(shift, reached, expected):
    assert bounded(shift, reached) == expected


@pytest.mark.parametrize(
    ("effect", "judged"),
    [
        (0.5, "at most 1.00× of the 5.00×. It is not why."),
        (1.4, "at most 1.40× of the 5.00×. It is not why."),
        (2.0, "at most 2.00× of the 5.00×. It may be a part of it."),
        (4.9, "at most 4.90× of the 5.00×. That would be enough."),
    ],
)
def test_what_is_explained_is_judged_by_how_far_it_reaches(puzzle, effect, judged):
    given = answer(candidate(ada=effect), puzzle)
    assert given.words == f"Explains {judged}"
    assert given.factor == max(1.0, effect)


def test_of_who_lost_it_counts_how_far_it_is_put_behind(puzzle, published):
    slow = Puzzle(contestant="ada", kind="slow", factor=4.0, table=published("t", a=1))
    given = answer(candidate(ada=0.5, bash=0.25), slow)
    assert given.factor == 2.0
    assert given.words == (
        "Explains at most 2.00× of the 4.00×. It may be a part of it. Of the other "
        "clients bash loses the most by it, 4.00×, which would be enough."
    )


def test_of_who_was_not_measured_the_others_tell_what_it_could_do(puzzle):
    given = answer(candidate(bash=1.2, cobol=0.1), puzzle)
    assert given.factor is None
    assert given.words == (
        "Not measured of it. Of the other clients bash gains the most by it, 1.20×."
    )
    nobody = answer(candidate(bash=0.9), puzzle)
    assert nobody.words.endswith("Of the other clients nobody gains anything by it.")


def test_what_cannot_be_told_says_what_it_lacks(puzzle):
    lacking = Candidate(title="The moon", measured=(), effects={}, lacks="it was day")
    assert answer(lacking, puzzle).words == "Cannot be told: it was day."


def summed(puzzle, *candidates):
    return summary([answer(each, puzzle) for each in candidates], puzzle)


def test_a_summary_names_what_explains_the_most_and_what_is_left(puzzle):
    sun = Candidate(title="The sun", measured=(), effects={"ada": 1.2})
    assert summed(puzzle, candidate(ada=2.0), sun) == (
        "No candidate is enough by itself: The moon explains the most, 2.00×, and "
        "2.50× is left."
    )
    assert summed(puzzle, candidate(ada=5.0), sun) == "The moon alone would be enough."


def test_a_summary_of_who_was_not_measured_is_what_could_do_it(puzzle):
    assert summed(puzzle, candidate(bash=1.1)) == (
        "No candidate moves another client as far."
    )
    assert summed(puzzle, candidate(bash=7.0)) == (
        "Of other clients, one is moved as far by The moon alone."
    )
