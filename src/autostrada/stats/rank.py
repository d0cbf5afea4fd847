"""Ranks that are shared where the samples do not tell the contestants apart."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Name = TypeVar("Name")


def shared_ranks(
    ordered: Sequence[Name], is_distinguishable: Callable[[Name, Name], bool]
) -> dict[Name, int]:
    """
    Rank what is given with the best first, from 1, ties sharing a rank.

    Going down from the best, each shares the rank of the first in the group before it
    unless the two are distinguishable. Comparing with the first, not with the
    neighbour, keeps a chain of small steps from making all equal. As in sports, two
    firsts are followed by a third.
    """
    ranks: dict[Name, int] = {}
    first = None
    for place, name in enumerate(ordered, start=1):
        if first is None or is_distinguishable(name, first):
            first = name
            ranks[name] = place
        else:
            ranks[name] = ranks[first]
    return ranks
