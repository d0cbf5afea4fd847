"""
The slices of starts, in blocks that the machine affected alike.

Any of them may be missing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from statistics import fmean, median

from autostrada.stats.least_squares import connected
from autostrada.stats.prior import DEVIATION_MIN

Slices = Mapping[str, Mapping[int, Mapping[int, float]]]
"""A positive value of each slice, such as the cost of a message: by contestant, start,
and instant in it in ns."""

Speeds = Mapping[str, Sequence[Mapping[int, Mapping[int, float]]]]
"""How long things of constant work took in each slice, as far as that is known: by
contestant, kind, start, and instant in it."""

BLOCK_SLICES = 8
"""Number of slices in a row that the machine is assumed to affect alike: a few seconds.
Fewer leave less to compare; a round of many contestants takes longer."""

BLOCK_GAP_NS_MAX = 10_000_000_000
"""Longest time between the beginnings of two slices in a row of a block."""

DISTURBED_MIN = 8.0
"""Distance of a disturbed slice from the others, in robust standard deviations of
residuals, which are smaller than the noise since medians are subtracted."""

DISTURBED_SHARE_MAX = 0.1
"""Largest share of a contestant's slices that may be disturbed; if more are at least
half as far from the others, they are its own, such as collections of its garbage."""

POLISHES = 3
"""Number of passes in which medians are subtracted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CostedSlice:
    """What a contestant's message cost in a slice."""

    name: str
    start: int
    at_ns: int
    log_cost: float
    log_speeds: tuple[float, ...]
    """Logarithms of the times of constant work, less those of all; 0 if unknown."""

    block: int = 0
    """Number of the block in its start."""

    @property
    def row(self) -> tuple[str, int, float]:
        """Contestant, block and value."""
        return self.name, self.block, self.log_cost


def slices_of_starts(values: Slices, speeds: Speeds) -> dict[int, list[CostedSlice]]:
    """Return the slices of each start in the order of their instants."""
    usual = _means_of_logs(speeds)
    by_start: dict[int, list[CostedSlice]] = defaultdict(list)
    for name, starts in values.items():
        for start, by_instant in starts.items():
            kinds = speeds.get(name) or [{}] * len(usual)
            timed = [kind.get(start, {}) for kind in kinds]
            by_start[start] += [
                CostedSlice(
                    name=name,
                    start=start,
                    at_ns=at_ns,
                    log_cost=log(cost),
                    log_speeds=tuple(
                        log(found[at_ns]) - mean if at_ns in found else 0.0
                        for found, mean in zip(timed, usual, strict=True)
                    ),
                )
                for at_ns, cost in by_instant.items()
            ]
    return {start: _in_blocks(found) for start, found in by_start.items()}


def _means_of_logs(speeds: Speeds) -> list[float]:
    """Return the mean logarithm of the speeds of each kind."""
    every: dict[int, list[float]] = defaultdict(list)
    for kinds in speeds.values():
        for kind, starts in enumerate(kinds):
            every[kind] += [
                log(ns) for by_instant in starts.values() for ns in by_instant.values()
            ]
    return [fmean(found) if found else 0.0 for found in every.values()]


def parts_of(slices: Sequence[CostedSlice]) -> Iterator[list[CostedSlice]]:
    """Yield the slices of each part that common blocks connect."""
    pairs = dict.fromkeys((each.name, each.block) for each in slices)
    for keys in map(set, connected(pairs)):
        yield [each for each in slices if (each.name, each.block) in keys]


def _in_blocks(slices: Sequence[CostedSlice]) -> list[CostedSlice]:
    """
    Divide the slices of a start into blocks, each without a long pause.

    They are longer than ``BLOCK_SLICES`` if that many do not connect all contestants.
    """
    ordered = sorted(slices, key=lambda each: (each.at_ns, each.name))
    size = BLOCK_SLICES
    while True:
        found: list[CostedSlice] = []
        block = length = 0
        for each in ordered:
            is_late = found and each.at_ns - found[-1].at_ns > BLOCK_GAP_NS_MAX
            if is_late or length == size:
                block, length = block + 1, 0
            found.append(replace(each, block=block))
            length += 1
        pairs = dict.fromkeys((each.name, each.block) for each in found)
        if size >= len(found) or len(connected(pairs)) == 1:
            return found
        size *= 2


def disturbed_in(
    slices_of_start: Mapping[int, Sequence[CostedSlice]],
) -> set[CostedSlice]:
    """
    Return the slices that something disturbed, which would spoil a mean.

    They are far from what the medians of contestant and block predict (J. W. Tukey,
    Exploratory data analysis, 1977, chapter 11). They are left out rather than all
    slices weighted by their distance: what a contestant does now and then, such as
    collecting garbage, has to count in full.
    """
    distances: dict[str, dict[CostedSlice, float]] = defaultdict(dict)
    for slices in slices_of_start.values():
        residuals = {each: each.log_cost for each in slices}
        for _ in range(POLISHES):
            _subtract_medians(residuals, lambda each: each.name)
            _subtract_medians(residuals, lambda each: each.block)
        for each, residual in residuals.items():
            distances[each.name][each] = abs(residual)
    every = [value for found in distances.values() for value in found.values()]
    usual = max(median(every) * 1.4826, DEVIATION_MIN) if every else 0.0
    disturbed = set()
    for found in distances.values():
        own = median(found.values()) * 1.4826
        limit = DISTURBED_MIN * max(own, usual)
        away = sum(value > limit / 2 for value in found.values())
        if away <= max(1, DISTURBED_SHARE_MAX * len(found)):
            disturbed |= {each for each, value in found.items() if value > limit}
    return disturbed


def _subtract_medians(
    residuals: dict[CostedSlice, float], group: Callable[[CostedSlice], str | int]
) -> None:
    """Subtract the median of each group of slices from their residuals."""
    groups: dict[str | int, list[CostedSlice]] = defaultdict(list)
    for each in residuals:
        groups[group(each)].append(each)
    for members in groups.values():
        middle = median(residuals[each] for each in members)
        for each in members:
            residuals[each] -= middle
