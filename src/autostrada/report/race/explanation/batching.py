"""Batching by the client: who lets frames pile up is not woken for each of them."""

from statistics import median

from autostrada.report import number
from autostrada.report.race.explanation.candidate import Candidate
from autostrada.report.race.explanation.trace import Traces
from autostrada.report.race.race import Ranking

TITLE = "Batching by the client"

PILE_MIN = 2.0
"""Messages a wake-up: who gets so many lets them pile up."""


def batching(one: Ranking | None, traces: Traces) -> Candidate:
    """Compare clients that are woken for each frame with those that are not."""
    if one is None:
        return _unknown()
    durations = {}
    piles = {}
    for standing, figures in one.measured:
        trace = traces.get((one.workload.name, standing.contestant))
        if trace and trace.messages_per_wake_up:
            durations[standing.contestant] = figures.interval.median
            piles[standing.contestant] = trace.messages_per_wake_up
    if not durations:
        return _unknown()
    woken = {name: ns for name, ns in durations.items() if piles[name] < PILE_MIN}
    piling = {name: ns for name, ns in durations.items() if name not in woken}
    return Candidate(
        title=TITLE,
        measured=(
            "A client that waits when a frame comes has to be woken, and the server's "
            "system call pays for that; one that is busy finds several next time.",
            _groups(one.workload.name, woken, piling, piles),
        ),
        effects=_effects(woken, piling),
    )


def _unknown() -> Candidate:
    lacks = (
        "it needs a workload with one frame a system call, in trials that are long "
        "enough for two looks"
    )
    return Candidate(title=TITLE, measured=(), effects={}, lacks=lacks)


def _effects(woken: dict[str, float], piling: dict[str, float]) -> dict[str, float]:
    """Return what separates each from the other group, where that is on its side."""
    if not (woken and piling):
        return dict.fromkeys([*woken, *piling], 1.0)
    gains = {name: max(1.0, median(woken.values()) / ns) for name, ns in piling.items()}
    losses = {
        name: min(1.0, median(piling.values()) / ns) for name, ns in woken.items()
    }
    return gains | losses


def _groups(
    workload: str,
    woken: dict[str, float],
    piling: dict[str, float],
    piles: dict[str, float],
) -> str:
    parts = []
    if woken:
        parts.append(
            f"{number.count(len(woken), 'client')} got fewer than "
            f"{number.plain(PILE_MIN, 0)} messages for each time that it waited and "
            f"took {_ms(median(woken.values()))} in the median"
        )
    if piling:
        fastest = min(piling, key=piling.__getitem__)
        parts.append(
            f"{number.count(len(piling), 'client')} got more and took "
            f"{_ms(median(piling.values()))}, the fastest of them {fastest} with "
            f"{number.plain(piles[fastest])} messages and {_ms(piling[fastest])}"
        )
    return f"In {workload} {'; '.join(parts)}."


def _ms(ns_per_message: float) -> str:
    million = f"1{number.THIN_SPACE}M"
    return f"{number.plain(ns_per_message)}{number.THIN_SPACE}ms for {million}"
