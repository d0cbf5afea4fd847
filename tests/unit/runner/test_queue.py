"""The remaining trials, with retries after a disturbance."""

import pytest
from tests.unit.report.records import RUN, push, trial

from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.queue import TrialQueue
from autostrada.store.record import Failure, OtherLoad, Resumption, StoredRun

FAST = Cell(client="fast", workload="batched")
SLOW = Cell(client="slow", workload="batched")
FAILURE = Failure(kind="timed out", message="was still running", stderr_tail="")
STOLEN = "others used 40% of core 1"


def attempt(cell=FAST, repetition=0):
    return Attempt(cell=cell, repetition=repetition)


def planned(*cells, repetitions=6):
    return [attempt(cell, number) for number in range(repetitions) for cell in cells]


def resumed(attempts, **settings):
    return Resumption(
        stored=StoredRun(run_id=1, run=RUN),
        digests={},
        failed=frozenset(),
        attempts=frozenset(attempts),
        **settings,
    )


def make(queue, of, *, disturbed=0, outcome=None):
    """Run the trials of an attempt, the first ``disturbed`` of which are disturbed."""
    made = 0
    while True:
        load = OtherLoad(disturbance=STOLEN if made < disturbed else "")
        made += 1
        tried = trial(
            of.cell,
            of.repetition,
            outcome or push(100),
            retry=queue.retry_of(of),
            other_load=load,
        )
        if not queue.note(of, tried):
            return made


@pytest.mark.parametrize(
    ("repetitions", "disturbed", "outcome", "made", "stayed"),
    [
        (6, 0, None, 1, 0),
        (30, 1, None, 2, 0),
        (30, 1, FAILURE, 2, 0),
        (30, 9, None, 3, 1),
        (1, 9, None, 2, 1),
    ],
)
def test_a_disturbed_trial_is_repeated_at_most_twice(
    repetitions, disturbed, outcome, made, stayed
):
    attempts = planned(FAST, repetitions=repetitions)
    queue = TrialQueue(attempts)
    assert queue.todo() == attempts
    assert make(queue, attempt(), disturbed=disturbed, outcome=outcome) == made
    assert (len(queue.done), queue.repeated, queue.disturbed) == (1, made - 1, stayed)


def test_no_trial_is_repeated_in_a_run_with_a_budget():
    queue = TrialQueue(planned(FAST), is_budgeted=True)
    assert make(queue, attempt(), disturbed=9) == 1
    assert (queue.repeated, queue.disturbed) == (0, 1)


def test_at_most_a_fifth_of_all_trials_is_repeated():
    attempts = planned(FAST, SLOW, repetitions=10)
    queue = TrialQueue(attempts)
    made = [make(queue, each, disturbed=9) for each in attempts]
    assert made == [3, 3, *[1] * 18]
    assert queue.repeated == 4
    assert queue.disturbed == 20


def test_a_trial_with_an_outcome_is_not_left():
    attempts = planned(FAST, SLOW)
    queue = TrialQueue(attempts, resumed=resumed(attempts[:5]))
    assert queue.todo() == attempts[5:]
    assert queue.done == set(attempts[:5])


def test_a_trial_interrupted_before_its_retry_is_left():
    attempts = planned(FAST, SLOW)
    first, second, third = attempts[:3]
    begun = resumed(
        attempts[:3],
        retries={first: 0, second: 1, third: 2},
        disturbed=frozenset({first, third}),
    )
    # Three of twelve may be repeated, and three were.
    assert TrialQueue(attempts, resumed=begun).todo() == attempts[3:]
    more = [*attempts, *planned(FAST, SLOW, repetitions=9)[12:]]
    queue = TrialQueue(more, resumed=begun)
    assert queue.todo() == [first, *more[3:]]
    assert queue.retry_of(first) == 1
    assert queue.retry_of(more[3]) == 0
    assert make(queue, first) == 1
    assert (queue.repeated, queue.disturbed) == (4, 1)


def test_a_disturbed_trial_of_an_archive_is_not_repeated():
    archived = planned(FAST, repetitions=9)
    begun = resumed(archived[:8], disturbed=frozenset(archived[:8]))
    assert TrialQueue(archived[8:], resumed=begun).todo() == archived[8:]


def test_a_contestant_that_was_removed_has_no_trials_left():
    attempts = planned(FAST)
    others = planned(SLOW)
    queue = TrialQueue(
        attempts, resumed=resumed(others, disturbed=frozenset(others[:1]))
    )
    assert queue.todo() == attempts


def test_the_trials_of_a_further_round_are_left():
    further = [attempt(SLOW)]
    queue = TrialQueue([], is_budgeted=True)
    queue.extend(further)
    assert queue.todo() == further
    assert make(queue, further[0]) == 1
    assert queue.todo() == []


def test_the_further_rounds_of_a_resumed_run_are_done():
    further = [attempt(SLOW)]
    begun = resumed(further, disturbed=frozenset(further))
    queue = TrialQueue(planned(FAST, repetitions=1), begun, is_budgeted=True)
    assert queue.todo() == planned(FAST, repetitions=1)
    assert queue.done == set(further)
