"""The order in which the cells of an experiment are tried."""

import random
from collections.abc import Collection, Iterator, Sequence

from autostrada.store.record import REFERENCE, Attempt, Cell
from autostrada.workloads.workload import Workload

__all__ = ["REFERENCE", "Attempt", "Cell", "attempts", "is_planned"]


def attempts(
    cells: Sequence[Cell], *, repetitions: int, seed: int
) -> Iterator[Attempt]:
    """
    Yield every attempt, one repetition after the other.

    Each repetition has its own random order, drawn from ``seed``, so that a machine
    that slows down during the run affects all contestants alike.
    """
    shuffle = random.Random(seed)
    for repetition in range(repetitions):
        for cell in shuffle.sample(cells, k=len(cells)):
            yield Attempt(cell=cell, repetition=repetition)


def is_planned(
    attempt: Attempt, point: Workload, long_warm_ups: Collection[str]
) -> bool:
    """
    Whether a repetition is one of those that a point of a workload has.

    With slices, contestants with ``long_warm_ups`` take part in every second start,
    unless their cold start is measured as well.
    """
    if point.repetitions_max and attempt.repetition >= point.repetitions_max:
        return False
    ends = {attempt.cell.server, attempt.cell.client}
    plan = point.slice_plan
    is_rare = plan and not plan.first_messages and not ends.isdisjoint(long_warm_ups)
    return not (is_rare and attempt.repetition % 2)
