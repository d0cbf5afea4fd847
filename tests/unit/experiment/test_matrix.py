"""The order of trials: each once, warm-ups first, drawn from the seed."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autostrada.experiment.matrix import (
    Attempt,
    Cell,
    attempts,
    is_planned,
    repetitions_of,
)
from autostrada.workloads.push import Push
from autostrada.workloads.reply import Reply

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


def draw(contestants, workloads, repetitions, warm_ups, seed):
    cells = cells_of(contestants, workloads)
    return list(attempts(cells, repetitions=repetitions, warm_ups=warm_ups, seed=seed))


@given(NAMES, NAMES, st.integers(1, 4), st.integers(0, 3), SEEDS)
def test_every_attempt_is_made_exactly_once(
    contestants, workloads, repetitions, warm_ups, seed
):
    drawn = draw(contestants, workloads, repetitions, warm_ups, seed)
    planned = Counter(
        Attempt(cell=cell, repetition=repetition, is_warm_up=False)
        for cell in cells_of(contestants, workloads)
        for repetition in range(repetitions)
    ) + Counter(
        Attempt(cell=cell, repetition=repetition, is_warm_up=True)
        for cell in cells_of(contestants, workloads[:1])
        for repetition in range(warm_ups)
    )
    assert Counter(drawn) == planned


@given(NAMES, NAMES, st.integers(1, 4), st.integers(0, 3), SEEDS)
def test_warm_ups_come_first_and_repetitions_one_after_another(
    contestants, workloads, repetitions, warm_ups, seed
):
    drawn = draw(contestants, workloads, repetitions, warm_ups, seed)
    places = [(not attempt.is_warm_up, attempt.repetition) for attempt in drawn]
    assert places == sorted(places)


@given(NAMES, NAMES, st.integers(1, 4), st.integers(0, 3), SEEDS)
def test_the_same_seed_draws_the_same_order(
    contestants, workloads, repetitions, warm_ups, seed
):
    first = draw(contestants, workloads, repetitions, warm_ups, seed)
    assert first == draw(contestants, workloads, repetitions, warm_ups, seed)


def orders_of(drawn, size):
    cells = [attempt.cell for attempt in drawn]
    return [tuple(cells[start : start + size]) for start in range(0, len(cells), size)]


def test_each_repetition_has_its_own_order():
    orders = orders_of(draw("abcdefgh", ["w"], 5, 1, seed=7), size=8)
    assert len(orders) == 6
    assert len(set(orders)) == 6


def test_another_seed_draws_another_order():
    assert draw("abcdefgh", ["w"], 1, 0, seed=1) != draw(
        "abcdefgh", ["w"], 1, 0, seed=2
    )


def test_the_workloads_of_a_repetition_are_mixed():
    drawn = draw("abcdefgh", ["one", "two"], 1, 0, seed=7)
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


def test_a_server_and_a_client_warm_up_together_once():
    cells = [
        Cell(server=server, client=client, workload=workload)
        for workload in "ab"
        for server in "xy"
        for client in "pq"
    ]
    drawn = list(attempts(cells, repetitions=1, warm_ups=1, seed=3))
    warm_ups = [each.cell for each in drawn if each.is_warm_up]
    assert sorted(warm_ups) == sorted(cells[:4])


REPLY = Reply(name="w", kind="reply", payload_bytes=1, in_flight=1, window_s=1)
PUSH = Push(
    name="w",
    kind="push",
    messages=1_000,
    seconds=1,
    slices=2,
    payload_text="text",
    frames_per_write="many",
)


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
        each.repetition
        for each in repetitions_of(cell, 4)
        if is_planned(each, point, ["slow"])
    ] == planned
