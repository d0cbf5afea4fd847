"""The rounds of a run with a budget: what is measured next, and when it ends."""

from collections import Counter
from dataclasses import replace

import pytest

from autostrada.experiment.matrix import Attempt, Cell
from autostrada.experiment.next_round import NextRound
from autostrada.runner.schedule import Schedule, ScheduledCells, TimeLeft

A, B, C, D, E = (Cell(client=name, workload="batched") for name in "abcde")
LONG = 1e9


def schedule(compared=(A, B), others=(C, D), *, repetitions=5, seed=7, **known):
    scheduled = ScheduledCells(
        compared=compared, others=others, workloads=["batched", "later"], **known
    )
    return Schedule(scheduled, repetitions=repetitions, seed=seed)


def time(left_s=LONG, **expected_s):
    return TimeLeft(
        left_s=left_s, expected_s=lambda cell: expected_s.get(cell.client, 1.0)
    )


def cells(attempts):
    return [each.cell for each in attempts]


def rounds_of(made, number):
    return {
        Attempt(cell=cell, repetition=each) for cell in made for each in range(number)
    }


def first_rounds(chosen, left_s=LONG):
    """Make the rounds that are made in any case; return their attempts."""
    done, made = set(), []

    def left():
        return time(left_s - len(done))

    while todo := chosen.first(done, left()) or (
        len({each.cell for each in done}) < 4 and chosen.further(done, left(), [])
    ):
        done |= {*todo}
        made.append(todo)
    return made


def test_what_is_compared_is_measured_three_times_and_other_cells_once():
    *compared, others = first_rounds(schedule())
    assert [{*cells(each)} for each in compared] == 3 * [{A, B}]
    assert {*cells(others)} == {C, D}
    rounds = [*compared, others]
    assert [{each.repetition for each in made} for made in rounds] == [
        {0},
        {1},
        {2},
        {3},
    ]


def test_a_budget_that_is_short_is_spent_on_what_is_compared():
    made = [{*cells(each)} for each in first_rounds(schedule(), 5.5)]
    assert made == [{A, B}, {A, B}, {A}]


def test_the_order_is_balanced_over_the_rounds_of_what_is_compared():
    found = NextRound(cells=(A, B, C), rounds=1, trials=0, chance=0.5)
    orders = set()
    for seed in range(20):
        # Other rounds are between those in which the cells are together.
        done = rounds_of((A, B, C, D), 2) | {Attempt(cell=D, repetition=7)}
        made = []
        for trials in range(4):
            now = replace(found, trials=trials)
            todo = schedule(seed=seed).further(done, time(), [now])
            done |= {*todo, Attempt(cell=D, repetition=todo[0].repetition + 1)}
            made.append(tuple(cells(todo)))
        assert (made[0], made[2]) == (made[1][::-1], made[3][::-1])
        orders |= {*made}
    assert len(orders) == 6


def test_an_interrupted_round_is_followed_by_one_with_a_number_of_its_own():
    done = {Attempt(cell=A, repetition=0)}
    todo = schedule().first(done, time())
    assert {(each.cell, each.repetition) for each in todo} == {(B, 1), (A, 1)}


UNDECIDED = [
    NextRound(cells=(A, B), rounds=1, trials=0, chance=0.5),
    NextRound(cells=(A,), rounds=2, trials=0, chance=0.6),
]


def test_the_best_chance_a_second_comes_first():
    done = rounds_of((A, B, C, D), 3)
    assert cells(schedule().further(done, time(a=1, b=3), UNDECIDED)) == [A]
    todo = schedule().further(done, time(a=1, b=0.5), UNDECIDED)
    assert {*cells(todo)} == {A, B}


def test_what_is_undecided_comes_before_the_tables_whose_time_is_kept():
    chosen = schedule()
    done = rounds_of((A, B), 3)
    todo = chosen.further(done, time(6), UNDECIDED[1:])
    assert cells(todo) == [A]
    done |= {*todo}
    assert {*cells(chosen.further(done, time(5), UNDECIDED[1:]))} == {C, D}


def test_tables_take_a_third_of_the_time_before_what_is_undecided():
    chosen = schedule(others=(C, D, E))
    done, left_s, made = rounds_of((A, B), 3), 6, []
    found = NextRound(cells=(A,), rounds=2, trials=0, chance=0.6)
    while todo := chosen.further(done, time(left_s), [replace(found, trials=left_s)]):
        made += cells(todo)
        done |= {*todo}
        left_s = 6 - len(made)
    # Two of six are for tables; what is left then is too short for two rounds.
    assert made[:3] == [A, A, A]
    assert {*made[3:5]} < {*made[3:]} == {C, D, E}


def test_a_round_whose_decision_fits_comes_before_others():
    done = rounds_of((A, B, C, D), 5)
    soon = NextRound(cells=(B,), rounds=1, trials=0, chance=0.1)
    assert cells(schedule().further(done, time(1.9), [*UNDECIDED[1:], soon])) == [B]
    assert cells(schedule().further(done, time(1.9), UNDECIDED[1:])) == [A]


def test_a_round_that_changed_nothing_is_not_made_again():
    chosen = schedule(others=())
    done = rounds_of((A, B), 5)
    assert chosen.further(done, time(), UNDECIDED[:1])
    assert not chosen.further(done, time(), UNDECIDED[:1])
    # The chance may be the same after a trial that counts.
    counted = replace(UNDECIDED[0], trials=2)
    assert chosen.further(done, time(), [counted])


@pytest.mark.parametrize(
    "useless",
    [
        NextRound(cells=(A, B), rounds=1, trials=0, chance=0.01),
        NextRound(cells=(A, E), rounds=1, trials=0, chance=0.9),
    ],
)
def test_no_time_is_spent_without_a_chance_of_a_decision(useless):
    assert not schedule().further(rounds_of((A, B, C, D), 5), time(), [useless])


def test_the_time_that_is_left_gives_every_cell_the_planned_repetitions():
    chosen = schedule(repetitions=4)
    done = set().union(*first_rounds(chosen))
    while todo := chosen.further(done, time(), []):
        done |= {*todo}
    assert Counter(each.cell for each in done) == dict.fromkeys((A, B, C, D), 4)


def test_a_load_that_another_rate_decides_comes_after_it():
    names = [chr(ord("a") + number) for number in range(20)]
    sources = [Cell(client=name, workload="batched") for name in names]
    halves = [Cell(client=name, workload="later") for name in names]
    chosen = schedule((), [*halves, *sources], dependent=["later"])
    found = cells(chosen.further(set(), time(), []))
    assert {each.workload for each in found[:20]} == {"batched"}
    assert {*found[20:]} == {*halves}


def test_the_first_workload_gets_its_repetitions_before_the_next():
    later = Cell(client="a", workload="later")
    chosen = schedule(others=(C, later), repetitions=4)
    done = rounds_of((A, B, C), 3) | rounds_of((later,), 1)
    assert {*cells(chosen.further(done, time(), []))} == {A, B, C}
    done |= rounds_of((A, B, C), 4)
    assert cells(chosen.further(done, time(), [])) == [later]


def test_cells_that_take_too_long_for_the_rest_are_left_out():
    done = rounds_of((A, B, C, D), 3)
    todo = schedule().further(done, time(2.5, c=9, d=1, a=9, b=1), [])
    assert {*cells(todo)} == {B, D}


def test_what_decides_a_host_is_measured_in_each_round_before_it():
    hosted = Cell(client="a", workload="later")
    known = {"preceding": {hosted: (C,)}, "dependent": ["later"]}
    chosen = schedule((hosted,), (C,), repetitions=3, **known)
    assert cells(chosen.first(set(), time())) == [C, hosted]
    found = NextRound(cells=(hosted,), rounds=1, trials=3, chance=0.5)
    done = rounds_of((hosted, C), 3)
    assert cells(chosen.further(done, time(), [found])) == [C, hosted]
    assert not chosen.further(done, time(1.9), [replace(found, trials=4)])
    # Its contestant is not one of the run.
    alone = schedule((hosted,), (), **known)
    assert cells(alone.first(set(), time())) == [hosted]


def test_the_time_for_a_load_includes_what_precedes_it():
    load, other = (Cell(client=name, workload="later") for name in "ab")
    known = {"preceding": {load: (C,), other: (C,)}, "dependent": ["later"]}

    def first_round(left_s, compared):
        chosen = schedule(compared, (C,), **known)
        return {*cells(chosen.first(set(), time(left_s, c=4)))}

    assert first_round(4.9, (load, other, D)) == {D}
    assert first_round(6.9, (load, other, D)) == {load, C, D}
    # It is made once for both of them.
    assert first_round(6.9, (load, other)) == {load, other, C}


def test_a_load_may_begin_after_what_precedes_it_in_its_round():
    load = Cell(client="a", workload="later")
    chosen = schedule((load,), (C,), preceding={load: (C,)}, dependent=["later"])
    first, second = (Attempt(cell=C, repetition=number) for number in range(2))
    attempts = [replace(second, cell=load)]
    assert chosen.may_begin([first], set(), time(1))
    assert not chosen.may_begin([first], set(), time(0.9))
    assert chosen.may_begin(attempts, {first, second}, time(1))
    assert not chosen.may_begin(attempts, {first, second}, time(0.9))
    # There was no time for what precedes it, but there is for the shorter load.
    assert not chosen.may_begin(attempts, {first}, time(1))


def test_a_run_that_continues_another_has_further_rounds():
    scheduled = ScheduledCells(compared=(A,), others=(), workloads=["batched"])
    chosen = Schedule(scheduled, repetitions=3, seed=7, rounds=4)
    assert chosen.first(set(), time()) == [Attempt(cell=A, repetition=4)]
