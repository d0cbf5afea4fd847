"""Trials that go on in turn."""

import json
import random

import pytest
from tests.unit.definitions import define, definition

from autostrada.engine.process import find_engine
from autostrada.runner import turns
from autostrada.runner.execution import group_attempts
from autostrada.runner.turns import in_turn
from autostrada.store.record import Attempt, Cell


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
    list(in_turn([[trials.trial(name, 3) for name in names]], random.Random(1)))
    rounds = [trials.turns[first : first + 8] for first in (0, 8, 16)]
    assert all(sorted(each) == sorted(names) for each in rounds)
    assert len({tuple(each) for each in rounds}) == 3


def test_a_trial_is_told_as_soon_as_it_ends_and_the_others_go_on():
    trials = Trials()
    ended = in_turn([[trials.trial("a", 4), trials.trial("b", 1)]], random.Random(1))
    position, outcome, taken_s = next(ended)
    assert (position, outcome) == (1, "B")
    assert taken_s >= 0
    assert [(position, outcome) for position, outcome, _ in ended] == [(0, "A")]
    assert trials.turns.count("a") == 4


def test_groups_follow_each_other_and_the_first_trial_takes_turns_with_all_of_them():
    trials = Trials()
    groups = [
        [trials.trial("a", 2 * 2), trials.trial("b", 2)],
        [trials.trial("c", 2), trials.trial("d", 2)],
    ]
    ended = [position for position, _, _ in in_turn(groups, random.Random(1))]
    assert sorted(ended) == [0, 1, 2, 3]
    began = {name: trials.turns.index(name) for name in "cd"}
    assert min(began.values()) > max(
        index for index, name in enumerate(trials.turns) if name == "b"
    )
    # Its last turn is the one in which it ends.
    assert trials.turns[min(began.values()) :].count("a") == 1


def test_if_one_breaks_down_the_others_are_ended():
    trials = Trials()
    running = [trials.trial("a", 9), trials.trial("b", 9, failing_in=2)]
    with pytest.raises(ValueError, match="b"):
        list(in_turn([running], random.Random(1)))
    assert sorted(trials.ended) == ["a", "b"]


def test_connections_are_used_while_other_trials_start(monkeypatch):
    monkeypatch.setattr(turns, "IDLE_S_MAX", -1)
    uses = []

    def trial():
        for _ in range(2):
            while (yield):
                uses.append(1)

    list(in_turn([[trial(), trial(), trial()]], random.Random(1)))
    assert len(uses) == 1 + 2


@pytest.mark.parametrize(
    ("size", "groups"),
    [
        (5, [["a 4", "b 4", "c 4", "d 4", "e 4"]]),
        (3, [["a 8", "b 4", "d 4"], ["c 4", "e 4"]]),
        (0, [["a 16", "b 4"], ["c 4"], ["d 4"], ["e 4"]]),
    ],
)
def test_what_does_not_fit_is_divided_into_groups_with_one_in_common(size, groups):
    attempts = [
        Attempt(cell=Cell(server=name, workload="echo"), repetition=0)
        for name in "abcde"
    ]
    assert [
        [f"{each.cell.server} {rounds}" for each, rounds in group]
        for group in group_attempts(attempts, 4, size)
    ] == groups


ENDED_BETWEEN = """
import json, os, signal, sys
from pathlib import Path
from random import Random
from autostrada.experiment.experiment import parse_experiment
from autostrada.machine.host import this_host
from autostrada.machine.orphans import adopt_orphans
from autostrada.runner.context import RunContext
from autostrada.runner.trial import Start, trial_steps
from autostrada.runner.turns import in_turn
from autostrada.store.record import Attempt, Cell

experiment = parse_experiment(sys.argv[1], origin="trial.toml")
workload = experiment.points()["echo"]
context = RunContext(
    experiment=experiment, engine=Path(sys.argv[2]), host=this_host()
)
adopt_orphans()
start = Start()

def trial(number):
    attempt = Attempt(cell=Cell(workload="echo"), repetition=number)
    return trial_steps(
        context, attempt, workload, context.endpoints(), start=start
    )

def stops_its_server(steps):
    before = set(start.pids)
    next(steps)
    for pid in start.pids - before:
        if b"serve" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGSTOP)
    return (yield from steps)

trials = [trial(0)]
if not experiment.memory_bytes_max < 2**20:
    trials += [stops_its_server(trial(1)), trial(2)]
found = {number: made for number, made, _ in in_turn([trials], Random(1))}
print(json.dumps({
    "slices": {
        n: len(getattr(made.outcome, "slices", ())) for n, made in found.items()
    },
    "failed": {n: getattr(made.outcome, "kind", None) for n, made in found.items()},
    "left": sorted(start.pids),
}))
"""

TIMES = {"warm_up_s": 0, "window_s": 0.2, "slices": 2, "drain_s": 0.5}
ECHO = define("echo", connections=2, in_flight=1, **TIMES)


def test_a_server_that_does_not_go_on_loses_only_its_own_trial(orchestrate):
    made = json.loads(orchestrate(ENDED_BETWEEN, definition(ECHO), find_engine()))
    assert made["slices"] == {"0": 2, "1": 0, "2": 2}
    assert made["failed"]["0"] is made["failed"]["2"] is None
    assert made["failed"]["1"] == "timed out"
    assert made["left"] == []


def test_a_trial_that_exceeds_its_memory_says_so(orchestrate):
    text = definition(ECHO, memory_bytes_max=1000)
    made = json.loads(orchestrate(ENDED_BETWEEN, text, find_engine()))
    assert made["failed"] == {"0": "out of memory"}
