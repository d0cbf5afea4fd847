"""The order of trials: each once, drawn from the seed."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.definitions import define, make_experiment

from autostrada.experiment.matrix import (
    Attempt,
    Cell,
    attempts,
    is_planned,
)

NAMES = st.lists(
    st.text("abcdefgh", min_size=1, max_size=3), min_size=1, max_size=4, unique=True
)
SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


def cells_of(contestants, workloads):
    return [
        Cell(client=contestant, workload=workload)
        for workload in workloads
        for contestant in contestants
    ]


def draw(contestants, workloads, repetitions, seed):
    cells = cells_of(contestants, workloads)
    return list(attempts(cells, repetitions=repetitions, seed=seed))


@given(NAMES, NAMES, st.integers(1, 4), SEEDS)
def test_every_attempt_is_made_exactly_once(contestants, workloads, repetitions, seed):
    drawn = draw(contestants, workloads, repetitions, seed)
    planned = Counter(
        Attempt(cell=cell, repetition=repetition)
        for cell in cells_of(contestants, workloads)
        for repetition in range(repetitions)
    )
    assert Counter(drawn) == planned


@given(NAMES, NAMES, st.integers(1, 4), SEEDS)
def test_repetitions_come_one_after_another(contestants, workloads, repetitions, seed):
    drawn = draw(contestants, workloads, repetitions, seed)
    numbers = [attempt.repetition for attempt in drawn]
    assert numbers == sorted(numbers)


@given(NAMES, NAMES, st.integers(1, 4), SEEDS)
def test_the_same_seed_draws_the_same_order(contestants, workloads, repetitions, seed):
    first = draw(contestants, workloads, repetitions, seed)
    assert first == draw(contestants, workloads, repetitions, seed)


def orders_of(drawn, size):
    cells = [attempt.cell for attempt in drawn]
    return [tuple(cells[start : start + size]) for start in range(0, len(cells), size)]


def test_each_repetition_has_its_own_order():
    orders = orders_of(draw("abcdefgh", ["w"], 6, seed=7), size=8)
    assert len(orders) == 6
    assert len(set(orders)) == 6


def test_another_seed_draws_another_order():
    assert draw("abcdefgh", ["w"], 1, seed=1) != draw("abcdefgh", ["w"], 1, seed=2)


def test_the_workloads_of_a_repetition_are_mixed():
    drawn = draw("abcdefgh", ["one", "two"], 1, seed=7)
    workloads = [attempt.cell.workload for attempt in drawn]
    assert workloads not in (sorted(workloads), sorted(workloads, reverse=True))


@pytest.mark.parametrize(
    ("server", "client", "contestant"),
    [
        ("reference", "ada-fast", "ada-fast"),
        ("ada-fast", "reference", "ada-fast"),
        ("ada-fast", "bash-slow", "ada-fast × bash-slow"),
        ("ada-fast", "ada-fast", "ada-fast"),
        ("reference", "reference", "reference"),
    ],
)
def test_the_measured_contestant_is_the_end_that_is_not_the_engine(
    server, client, contestant
):
    assert Cell(server=server, client=client, workload="w").contestant == contestant


REPLY, PUSH = make_experiment(
    define("reply", payload_bytes=1, in_flight=1, window_s=1),
    define("push", seconds=1, slices=2),
).workload


@pytest.mark.parametrize(
    ("point", "planned"),
    [
        (REPLY, [0, 1, 2, 3]),
        (REPLY.model_copy(update={"slices": 2}), [0, 2]),
        (PUSH, [0, 1, 2, 3]),
        (PUSH.model_copy(update={"repetitions_max": 1}), [0]),
    ],
)
def test_a_long_warm_up_is_part_of_each_start_only_after_a_cold_one(point, planned):
    cell = Cell(client="slow", workload="w")
    assert [
        number
        for number in range(4)
        if is_planned(Attempt(cell=cell, repetition=number), point, ["slow"])
    ] == planned
