"""The order in which the cells of an experiment are tried."""

import random
from collections.abc import Iterator, Sequence

from autostrada.store.record import REFERENCE, Attempt, Cell

__all__ = ["REFERENCE", "Attempt", "Cell", "attempts"]


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
