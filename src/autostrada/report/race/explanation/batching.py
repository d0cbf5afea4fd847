"""Batching by the client: frames that pile up come together, and cost less."""

from statistics import median

from autostrada.report import number
from autostrada.report.race.explanation.candidate import (
    Candidate,
    bounded,
    lead,
)
from autostrada.report.race.explanation.trace import Traces
from autostrada.report.race.race import Ranking

TITLE = "Batching by the client"

PILE_MIN = 2.0
"""Messages a TCP segment: who gets so many lets them pile up."""


def batching(one: Ranking | None, traces: Traces) -> Candidate:
    """Compare clients that get each frame by itself with those that get many."""
    if one is None:
        return _unknown()
    durations = {}
    piles = {}
    for standing, figures in one.measured:
        trace = traces.get((one.workload.name, standing.contestant))
        if trace and trace.messages_per_segment:
            durations[standing.contestant] = figures.interval.median
            piles[standing.contestant] = trace.messages_per_segment
    if not durations:
        return _unknown()
    single = {name: ns for name, ns in durations.items() if piles[name] < PILE_MIN}
    piling = {name: ns for name, ns in durations.items() if name not in single}
    return Candidate(
        title=TITLE,
        measured=(
            "To a client that keeps up, the server's system call carries each frame as "
            "a TCP segment of its own; for one that lets them pile up, the kernel puts "
            "many into one, and the call costs less.",
            _groups(one.workload.name, single, piling, piles),
        ),
        effects=_effects(single, piling),
    )


def _unknown() -> Candidate:
    lacks = (
        "it needs a workload with one frame a system call, in trials that are long "
        "enough for two looks"
    )
    return Candidate(title=TITLE, measured=(), effects={}, lacks=lacks)


def _effects(single: dict[str, float], piling: dict[str, float]) -> dict[str, float]:
    """
    Return how far the other group's median is behind each that piles, or before others.

    Who piles and is slow all the same is not slow because of it.
    """
    every = single | piling
    if not (single and piling):
        return dict.fromkeys(every, 1.0)
    gains = {
        name: max(1.0, bounded(median(single.values()) / ns, lead(name, every)))
        for name, ns in piling.items()
    }
    losses = {
        name: min(1.0, bounded(median(piling.values()) / ns, lead(name, every)))
        for name, ns in single.items()
    }
    return gains | losses


def _groups(
    workload: str,
    single: dict[str, float],
    piling: dict[str, float],
    piles: dict[str, float],
) -> str:
    parts = []
    if single:
        parts.append(
            f"{number.count(len(single), 'client')} got fewer than "
            f"{number.plain(PILE_MIN, 0)} messages a segment and took "
            f"{_ms(median(single.values()))} in the median"
        )
    if piling:
        fastest = min(piling, key=piling.__getitem__)
        parts.append(
            f"{number.count(len(piling), 'client')} got more and took "
            f"{_ms(median(piling.values()))}, the fastest of them {fastest} with "
            f"{number.plain(piles[fastest])} messages a segment and "
            f"{_ms(piling[fastest])}"
        )
    return f"In {workload} {'; '.join(parts)}."


def _ms(ns_per_message: float) -> str:
    million = f"1{number.THIN_SPACE}M"
    return f"{number.plain(ns_per_message)}{number.THIN_SPACE}ms for {million}"
