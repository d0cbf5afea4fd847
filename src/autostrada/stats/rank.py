"""Ranks, which indistinguishable contestants share."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Name = TypeVar("Name")


def shared_ranks(
    ordered: Sequence[Name], is_distinguishable: Callable[[Name, Name], bool]
) -> dict[Name, int]:
    """
    Return the ranks, from 1, of names that are ordered with the best first.

    Each name shares the rank of the first name in the current group unless both are
    distinguishable; otherwise it starts the next group. Comparing with the first name
    of a group, not with the previous name, prevents a chain of small differences from
    making all equal. After two names with rank 1, the next rank is 3.
    """
    ranks: dict[Name, int] = {}
    first = None
    for position, name in enumerate(ordered, start=1):
        if first is None or is_distinguishable(name, first):
            first = name
            ranks[name] = position
        else:
            ranks[name] = ranks[first]
    return ranks
