"""The peer client's counts by sequence number."""

import pytest

from autostrada.calibration.peer.counts import Tally


def counted(numbers, first=0):
    tally = Tally(first=first)
    answered = [number for number in numbers if tally.add(number)]
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
def test_a_number_is_classified_by_the_earlier_ones(
    numbers, missing, gaps, duplicates, reordered
):
    tally, answered = counted(numbers)
    assert (tally.missing, tally.gaps) == (missing, gaps)
    assert (tally.duplicates, tally.reordered) == (duplicates, reordered)
    assert (tally.messages, answered) == (len(numbers), list(dict.fromkeys(numbers)))


def test_a_feed_may_begin_with_any_number():
    tally, _ = counted([5, 6, 8], first=None)
    assert (tally.missing, tally.gaps) == (1, 1)


def test_a_wrong_message_is_not_an_answer_even_if_its_number_is_new():
    tally = Tally(first=0)
    assert not tally.add(0, is_right=False)
    assert tally.add(1)
    assert (tally.wrong, tally.missing) == (1, 0)
