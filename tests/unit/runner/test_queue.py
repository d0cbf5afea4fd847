"""The remaining trials: retries after disturbance, rounds for wide intervals."""

from datetime import UTC, datetime

import pytest

from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.queue import Goal, TrialQueue
from autostrada.store.record import (
    Failure,
    Measurement,
    OtherLoad,
    Resumption,
    Run,
    StoredRun,
    Trial,
)

FAST = Cell(client="fast", workload="batched")
SLOW = Cell(client="slow", workload="batched")
FAILURE = Failure(kind="timed out", message="was still running", stderr_tail="")
STOLEN = "others used 40% of core 1"


def attempt(cell=FAST, repetition=0, *, is_warm_up=False):
    return Attempt(cell=cell, repetition=repetition, is_warm_up=is_warm_up)


def planned(*cells, repetitions=6):
    return [attempt(cell, number) for number in range(repetitions) for cell in cells]


def measurement(ns_per_message):
    return Measurement(
        messages=10,
        payload_bytes=110,
        duration_ns=round(10 * ns_per_message),
        client_duration_ns=1,
        server_busy_share=0,
        server_blocked_share=0,
        client_busy_share=1,
        congestion_control="reno",
        processes=(),
        ends=(),
        seconds=(),
    )


def trial(of, retry=0, *, disturbance="", outcome=None):
    return Trial(
        cell=of.cell,
        repetition=of.repetition,
        is_warm_up=of.is_warm_up,
        started_at=datetime(2026, 11, 21, tzinfo=UTC),
        outcome=outcome or measurement(100),
        retry=retry,
        other_load=OtherLoad(disturbance=disturbance),
    )


def resumed(attempts, **settings):
    run = Run(
        experiment="race",
        definition="",
        plan="{}",
        command="",
        started_at=datetime(2026, 11, 21, tzinfo=UTC),
        autostrada_version="",
        host="{}",
    )
    return Resumption(
        stored=StoredRun(run_id=1, run=run),
        digests={},
        failed=frozenset(),
        attempts=frozenset(attempts),
        **settings,
    )


def make(queue, of, *, disturbed=0, outcome=None):
    """Run the trials of an attempt, the first ``disturbed`` of which are disturbed."""
    made = 0
    while True:
        disturbance = STOLEN if made < disturbed else ""
        retry = queue.retry_of(of)
        made += 1
        if not queue.note(
            of, trial(of, retry, disturbance=disturbance, outcome=outcome)
        ):
            return made


def test_all_trials_of_a_new_run_are_left():
    attempts = planned(FAST, SLOW)
    queue = TrialQueue(attempts)
    assert queue.todo() == attempts
    assert (len(queue.done), queue.repeated, queue.disturbed) == (0, 0, 0)


def test_an_undisturbed_trial_is_not_repeated():
    queue = TrialQueue(planned(FAST))
    assert make(queue, attempt()) == 1
    assert (len(queue.done), queue.repeated, queue.disturbed) == (1, 0, 0)


def test_a_disturbed_trial_is_repeated_until_it_is_undisturbed():
    queue = TrialQueue(planned(FAST, repetitions=30))
    assert make(queue, attempt(), disturbed=1) == 2
    assert (queue.repeated, queue.disturbed) == (1, 0)


def test_a_trial_that_is_always_disturbed_is_repeated_twice():
    queue = TrialQueue(planned(FAST, repetitions=30))
    assert make(queue, attempt(), disturbed=9) == 3
    assert (queue.repeated, queue.disturbed) == (2, 1)


def test_a_disturbed_failure_is_repeated():
    queue = TrialQueue(planned(FAST, repetitions=30))
    assert make(queue, attempt(), disturbed=1, outcome=FAILURE) == 2


def test_a_warm_up_is_not_repeated():
    warm_up = attempt(is_warm_up=True)
    queue = TrialQueue([warm_up, *planned(FAST)])
    assert make(queue, warm_up, disturbed=9) == 1
    assert (queue.repeated, queue.disturbed) == (0, 1)


def test_at_most_a_fifth_of_all_trials_is_repeated():
    attempts = planned(FAST, SLOW, repetitions=10)
    queue = TrialQueue(attempts)
    made = [make(queue, each, disturbed=9) for each in attempts]
    assert made == [3, 3, *[1] * 18]
    assert queue.repeated == 4
    assert queue.disturbed == 20


def test_a_run_of_one_trial_may_repeat_it():
    assert make(TrialQueue([attempt()]), attempt(), disturbed=9) == 2


def test_a_trial_with_an_outcome_is_not_left():
    attempts = planned(FAST, SLOW)
    queue = TrialQueue(attempts, resumed=resumed(attempts[:5]))
    assert queue.todo() == attempts[5:]
    assert queue.done == set(attempts[:5])


def test_a_trial_interrupted_before_its_retry_is_left():
    attempts = planned(FAST, SLOW)
    first, second, third = attempts[:3]
    queue = TrialQueue(
        attempts,
        resumed=resumed(
            attempts[:3],
            retries={first: 0, second: 1, third: 2},
            disturbed=frozenset({first, third}),
        ),
    )
    # Three of twelve may be repeated, and three were.
    assert queue.todo() == attempts[3:]
    more = [*attempts, *planned(FAST, SLOW, repetitions=9)[12:]]
    queue = TrialQueue(
        more,
        resumed=resumed(
            attempts[:3],
            retries={first: 0, second: 1, third: 2},
            disturbed=frozenset({first, third}),
        ),
    )
    assert queue.todo() == [first, *more[3:]]
    assert queue.retry_of(first) == 1
    assert queue.retry_of(more[3]) == 0
    assert make(queue, first) == 1
    assert (queue.repeated, queue.disturbed) == (4, 1)


def test_a_contestant_that_was_removed_has_no_trials_left():
    attempts = planned(FAST)
    others = planned(SLOW)
    queue = TrialQueue(
        attempts, resumed=resumed(others, disturbed=frozenset(others[:1]))
    )
    assert queue.todo() == attempts
    assert queue.more() == []


GOAL = Goal(half_width_max=0.03, repetitions=6, seed=7)


def measured(queue, attempts, figures):
    for each, figure in zip(attempts, figures, strict=True):
        queue.note(each, trial(each, outcome=measurement(figure)))


WIDE = [90, 95, 100, 100, 105, 110]
NARROW = [99, 99, 100, 100, 101, 101]


def test_without_a_goal_there_is_no_further_round():
    attempts = planned(FAST)
    queue = TrialQueue(attempts)
    measured(queue, attempts, WIDE)
    assert queue.more() == []


def test_only_cells_with_a_wide_interval_are_repeated():
    attempts = planned(FAST, SLOW)
    queue = TrialQueue(attempts, GOAL)
    measured(queue, attempts[::2], WIDE)
    measured(queue, attempts[1::2], NARROW)
    assert queue.more() == [attempt(FAST, 6)]


def test_a_cell_is_repeated_until_its_interval_is_narrow():
    attempts = planned(FAST)
    queue = TrialQueue(attempts, GOAL)
    measured(queue, attempts, WIDE)
    rounds = 0
    while more := queue.more():
        rounds += 1
        measured(queue, more, [100])
    # With two samples cut off on each side, the interval of twelve has no width.
    assert rounds == 6


def test_fewer_measurements_than_the_confidence_requires_are_not_enough():
    attempts = planned(FAST, repetitions=3)
    goal = Goal(half_width_max=0.03, repetitions=3, seed=7)
    queue = TrialQueue(attempts, goal)
    measured(queue, attempts, [100] * 3)
    made = 3
    while more := queue.more():
        measured(queue, more, [100])
        made += 1
    assert made == 6


@pytest.mark.parametrize(
    ("repetitions", "most"), [(1, 5), (3, 15), (6, 30), (10, 30), (40, 40)]
)
def test_a_cell_that_stays_wide_is_given_up(repetitions, most):
    attempts = planned(FAST, repetitions=repetitions)
    goal = Goal(half_width_max=0.03, repetitions=repetitions, seed=7)
    queue = TrialQueue(attempts, goal)
    measured(queue, attempts, [10**n for n in range(repetitions)])
    made = repetitions
    while more := queue.more():
        measured(queue, more, [10**made])
        made += 1
    assert made == most


def test_a_cell_that_was_never_measured_is_given_up():
    attempts = planned(FAST)
    queue = TrialQueue(attempts, GOAL)
    for each in attempts:
        queue.note(each, trial(each, outcome=FAILURE))
    assert queue.more() == []


def test_each_round_has_its_own_order():
    cells = [Cell(client=str(n), workload="batched") for n in range(20)]
    attempts = planned(*cells, repetitions=5)
    goal = Goal(half_width_max=0.03, repetitions=5, seed=7)

    def rounds():
        queue = TrialQueue(attempts, goal)
        measured(queue, attempts, [100] * len(attempts))
        first = queue.more()
        measured(queue, first, range(1, 21))
        return first, queue.more()

    first, second = rounds()
    assert [each.repetition for each in (*first, *second)] == [5] * 20 + [6] * len(
        second
    )
    assert [each.cell for each in first] != cells
    assert [each.cell for each in first][: len(second)] != [
        each.cell for each in second
    ]
    assert rounds() == (first, second)


def test_an_interrupted_round_is_completed_first():
    attempts = planned(FAST, SLOW)
    done = [*attempts, attempt(FAST, 6)]
    figures = dict(zip(attempts, [value for value in WIDE for _ in "ab"], strict=True))
    queue = TrialQueue(
        attempts,
        GOAL,
        resumed(done, ns_per_message=figures | {attempt(FAST, 6): 100.0}),
    )
    assert queue.todo() == []
    assert queue.more() == [attempt(SLOW, 6)]
    measured(queue, [attempt(SLOW, 6)], [100])
    assert {each.repetition for each in queue.more()} == {7}


def test_a_repeated_trial_replaces_the_disturbed_one():
    attempts = planned(FAST)
    queue = TrialQueue(attempts, GOAL)
    first = attempts[0]
    disturbed = trial(first, disturbance=STOLEN, outcome=measurement(500))
    assert queue.note(first, disturbed)
    queue.note(first, trial(first, retry=1, outcome=measurement(99)))
    measured(queue, attempts[1:], NARROW[1:])
    assert queue.more() == []


def test_a_trial_of_a_search_is_repeated_only_if_disturbed():
    steps = [attempt(Cell(server="fast", workload="ramp connections=1"))]
    queue = TrialQueue([], GOAL)
    queue.search(steps)
    assert queue.todo() == steps
    assert make(queue, steps[0], disturbed=1) == 2
    assert (queue.todo(), queue.more()) == ([], [])


def test_a_search_interrupted_before_its_retry_repeats_it():
    steps = [attempt(Cell(server="fast", workload="ramp connections=1"))]
    queue = TrialQueue(
        planned(FAST, repetitions=1),
        GOAL,
        resumed([*planned(FAST, repetitions=1), *steps], disturbed=frozenset(steps)),
        searched=frozenset(steps),
    )
    assert queue.todo() == steps
    assert steps[0].cell not in {each.cell for each in queue.more()}
