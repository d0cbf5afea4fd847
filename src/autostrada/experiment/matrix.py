"""The order in which the cells of an experiment are tried."""

import random
from collections.abc import Collection, Iterator, Sequence

from autostrada.store.record import REFERENCE, Attempt, Cell
from autostrada.workloads.workload import Workload

__all__ = ["REFERENCE", "Attempt", "Cell", "attempts", "is_planned", "repetitions_of"]


def attempts(
    cells: Sequence[Cell], *, repetitions: int, warm_ups: int, seed: int
) -> Iterator[Attempt]:
    """
    Yield every attempt: first the warm-ups, then the repetitions.

    Each repetition has its own random order, drawn from ``seed``, so that a machine
    that slows down during the run affects all contestants alike. Each pair of a server
    and a client is warmed up only with its first workload, because the purpose (the
    disk cache of their programs) does not depend on the workload.
    """
    shuffle = random.Random(seed)
    first = {(cell.server, cell.client): cell for cell in reversed(cells)}
    for tried, times, is_warm_up in (
        (list(reversed(first.values())), warm_ups, True),
        (list(cells), repetitions, False),
    ):
        for repetition in range(times):
            for cell in shuffle.sample(tried, k=len(tried)):
                yield Attempt(cell=cell, repetition=repetition, is_warm_up=is_warm_up)


def repetitions_of(cell: Cell, repetitions: int) -> Iterator[Attempt]:
    """Yield so many repetitions of a cell."""
    for number in range(repetitions):
        yield Attempt(cell=cell, repetition=number, is_warm_up=False)


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
