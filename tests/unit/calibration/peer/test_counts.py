"""What the peer client counts of numbers."""

import pytest

from autostrada.calibration.peer.counts import Tally


def counted(numbers, first=0):
    tally = Tally(first=first)
    answered = [number for number in numbers if tally.take(number)]
    return tally, answered


@pytest.mark.parametrize(
    ("numbers", "missing", "gaps", "duplicates", "reordered"),
    [
        ([0, 1, 2], 0, 0, 0, 0),
        ([0, 2, 3, 6], 3, 2, 0, 0),
        ([0, 1, 1, 2], 0, 0, 1, 0),
        ([0, 2, 1, 3], 0, 1, 0, 1),
        ([1], 1, 1, 0, 0),
    ],
)
def test_a_number_is_judged_by_those_before_it(
    numbers, missing, gaps, duplicates, reordered
):
    tally, answered = counted(numbers)
    assert (tally.missing, tally.gaps) == (missing, gaps)
    assert (tally.duplicates, tally.reordered) == (duplicates, reordered)
    assert (tally.messages, answered) == (len(numbers), list(dict.fromkeys(numbers)))


def test_the_first_number_of_a_feed_is_believed():
    tally, _ = counted([5, 6, 8], first=None)
    assert (tally.missing, tally.gaps) == (1, 1)


def test_a_wrong_message_is_no_answer_though_its_number_has_come():
    tally = Tally(first=0)
    assert not tally.take(0, is_right=False)
    assert tally.take(1)
    assert (tally.wrong, tally.missing) == (1, 0)
