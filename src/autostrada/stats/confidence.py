"""The confidence that a capacity lies between the edges that a search has found."""

from collections.abc import Sequence
from math import comb


def edges_confidence(met: Sequence[bool], violated: Sequence[bool]) -> float:
    """
    Return a lower bound of the confidence that the capacity lies between two edges.

    ``met`` and ``violated`` have the trials of one edge each: whether the objective
    was met. If the capacity were beyond an edge, each of its trials would contradict
    that with a probability of at least one half. So an edge is wrong with at most the
    probability that as many tosses of a coin agree, and one of the two with at most
    the sum. Three trials that agree at either edge attain 75 %.
    """
    missed = _by_chance(sum(met), len(met))
    missed += _by_chance(len(violated) - sum(violated), len(violated))
    return max(0.0, 1 - missed)


def _by_chance(agreeing: int, tosses: int) -> float:
    """Return how probably so many tosses of a coin, or more, agree."""
    ways = sum(comb(tosses, heads) for heads in range(agreeing, tosses + 1))
    return ways * 0.5**tosses
