"""Trials that go on in turn."""

import random

import pytest

from autostrada.runner.turns import in_turn


class Trials:
    """Trials that note each of their turns."""

    def __init__(self):
        self.turns = []
        self.ended = []

    def trial(self, name, turns, failing_in=None):
        try:
            for number in range(turns):
                if number == failing_in:
                    raise ValueError(name)
                self.turns.append(name)
                yield
        finally:
            self.ended.append(name)
        return name.upper()


def test_each_round_visits_each_trial_once_in_an_order_of_its_own():
    trials = Trials()
    names = "abcdefgh"
    list(in_turn([trials.trial(name, 3) for name in names], random.Random(1)))
    rounds = [trials.turns[first : first + 8] for first in (0, 8, 16)]
    assert all(sorted(each) == sorted(names) for each in rounds)
    assert len({tuple(each) for each in rounds}) == 3


def test_a_trial_is_told_as_soon_as_it_ends_and_the_others_go_on():
    trials = Trials()
    ended = in_turn([trials.trial("a", 4), trials.trial("b", 1)], random.Random(1))
    position, outcome, taken_s = next(ended)
    assert (position, outcome) == (1, "B")
    assert taken_s >= 0
    assert [(position, outcome) for position, outcome, _ in ended] == [(0, "A")]
    assert trials.turns.count("a") == 4


def test_if_one_breaks_down_the_others_are_ended():
    trials = Trials()
    running = [trials.trial("a", 9), trials.trial("b", 9, failing_in=2)]
    with pytest.raises(ValueError, match="b"):
        list(in_turn(running, random.Random(1)))
    assert sorted(trials.ended) == ["a", "b"]
