"""The confidence that a capacity lies between the two edges found by a search."""

from collections.abc import Sequence
from math import comb


def edges_confidence(met: Sequence[bool], violated: Sequence[bool]) -> float:
    """
    Return a lower bound of the confidence that the capacity lies between two edges.

    ``met`` and ``violated`` are the trials at each edge: whether the objective was met.
    If the capacity were beyond an edge, each of its trials would show that with a
    probability of at least one half. The probability that an edge is wrong is therefore
    at most that of as many equal tosses of a coin. The probability that either edge is
    wrong is at most the sum. Six trials that agree at each edge attain 96.9 %.
    """
    missed = _by_chance(sum(met), len(met))
    missed += _by_chance(len(violated) - sum(violated), len(violated))
    return max(0.0, 1 - missed)


def _by_chance(agreeing: int, tosses: int) -> float:
    """Return the probability of at least ``agreeing`` heads in tosses of a coin."""
    ways = sum(comb(tosses, heads) for heads in range(agreeing, tosses + 1))
    return ways * 0.5**tosses
