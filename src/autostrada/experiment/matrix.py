"""The cells of an experiment and the order in which they are tried."""

import random
from collections.abc import Iterator, Sequence

from autostrada.store.record import REFERENCE, Attempt, Cell

__all__ = ["REFERENCE", "Attempt", "Cell", "attempts"]


def attempts(
    cells: Sequence[Cell], *, repetitions: int, warm_ups: int, seed: int
) -> Iterator[Attempt]:
    """
    Yield every attempt: the warm-ups, then the repetitions, each in its own order.

    Each repetition is shuffled anew from ``seed``, so that a machine that slows down
    during the run slows down every contestant alike, not whichever comes last. A
    server and a client warm up once, with the first workload that they have together:
    what is to be warmed (the disk's cache of their programs) does not depend on it.
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
