"""Lines over time: rates from counters, and no more points than a screen can show."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from operator import itemgetter

POINTS_MAX = 120
"""Of one line; a chart on a phone has about as many pixels twice."""

Line = tuple[tuple[float, float], ...]
"""Instants in seconds, each with a figure, by time."""


def rate_line(at_s: Sequence[float], counter: Sequence[float]) -> Line:
    """
    Return what a counter gained a second, a level piece for each two looks at it.

    Of many looks some are left out, evenly: the pieces get longer, and no gain is lost.
    One look makes no rate, and the line is empty.
    """
    looks = _thinned(list(zip(at_s, counter, strict=True)), POINTS_MAX // 2 + 1)
    line: list[tuple[float, float]] = []
    for (begin_s, before), (end_s, after) in pairwise(looks):
        gained_per_s = (after - before) / (end_s - begin_s)
        line += [(begin_s, gained_per_s), (end_s, gained_per_s)]
    return tuple(line)


def level_line(at_s: Sequence[float], levels: Sequence[float]) -> Line:
    """Return levels as they were seen; of many neighbours only the highest."""
    looks = list(zip(at_s, levels, strict=True))
    neighbours = max(1, ceil(len(looks) / POINTS_MAX))
    return tuple(
        max(looks[first : first + neighbours], key=itemgetter(1))
        for first in range(0, len(looks), neighbours)
    )


def _thinned(
    looks: list[tuple[float, float]], count_max: int
) -> list[tuple[float, float]]:
    """Return the first, the last, and evenly chosen ones between them."""
    if len(looks) <= count_max:
        return looks
    last = len(looks) - 1
    return [looks[place * last // (count_max - 1)] for place in range(count_max)]
