"""Ranks that are shared where the samples do not tell the contestants apart."""

from collections.abc import Mapping, Sequence
from statistics import median

from autostrada.stats.ratio import median_ratio


def shared_ranks(samples: Mapping[str, Sequence[float]]) -> dict[str, int]:
    """
    Rank contestants from 1, the smallest median first, ties sharing a rank.

    Going up from the fastest, each shares the rank of the first in the group before it
    unless its ratio to that one is distinguishable from 1. Comparing with the first,
    not with the neighbour, keeps a chain of small steps from making all equal. As in
    sports, two firsts are followed by a third.
    """
    ordered = sorted(samples, key=lambda name: (median(samples[name]), name))
    ranks: dict[str, int] = {}
    first = None
    for place, name in enumerate(ordered, start=1):
        if (
            first is None
            or median_ratio(samples[name], samples[first]).is_distinguishable
        ):
            first = name
            ranks[name] = place
        else:
            ranks[name] = ranks[first]
    return ranks
