"""How sure it is that a search's edges are on the right sides of what it looks for."""

from collections.abc import Sequence
from math import comb


def edges_confidence(well: Sequence[bool], unwell: Sequence[bool]) -> float:
    """
    Return at least how sure it is that the knee lies between two edges.

    Each sequence has the trials of one edge: whether all was well. Were the knee beyond
    an edge, a trial there would have said so at least every second time. So an edge is
    wrong at most as probably as so many agree by tossing a coin, and both of them
    together at most as the sum. Three that agree at either edge attain 75 %.
    """
    missed = _by_chance(sum(well), len(well))
    missed += _by_chance(len(unwell) - sum(unwell), len(unwell))
    return max(0.0, 1 - missed)


def _by_chance(agreeing: int, tosses: int) -> float:
    """Return how probably so many tosses of a coin, or more, agree."""
    ways = sum(comb(tosses, heads) for heads in range(agreeing, tosses + 1))
    return ways * 0.5**tosses
