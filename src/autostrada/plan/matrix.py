"""The cells of an experiment and the order in which they are tried."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Cell:
    """One point of the matrix. Cells that compare equal are the same test."""

    contestant: str
    workload: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """Which cell, which time. Warm-ups count on their own."""

    cell: Cell
    repetition: int
    is_warm_up: bool


def attempts(
    contestants: Sequence[str],
    workloads: Sequence[str],
    *,
    repetitions: int,
    warm_ups: int,
    seed: int,
) -> Iterator[Attempt]:
    """
    Yield every attempt: the warm-ups, then the repetitions, each in its own order.

    Each repetition is shuffled anew from ``seed``, so that a machine that slows down
    during the run slows down every contestant alike, not whichever comes last. A
    contestant warms up once, with the first workload: what is to be warmed (the disk's
    cache of its program) does not depend on the workload.
    """
    shuffle = random.Random(seed)
    first = [Cell(contestant=name, workload=workloads[0]) for name in contestants]
    every = [
        Cell(contestant=name, workload=workload)
        for workload in workloads
        for name in contestants
    ]
    for cells, times, is_warm_up in (
        (first, warm_ups, True),
        (every, repetitions, False),
    ):
        for repetition in range(times):
            for cell in shuffle.sample(cells, k=len(cells)):
                yield Attempt(cell=cell, repetition=repetition, is_warm_up=is_warm_up)
