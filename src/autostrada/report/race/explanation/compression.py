"""Compression: who offers it gets it from a server that grants it, and pays."""

from statistics import median

from autostrada.report import number
from autostrada.report.race.explanation.candidate import Candidate, shifted
from autostrada.report.race.explanation.trace import Traces
from autostrada.report.race.race import Ranking
from autostrada.report.text import listed

TITLE = "Compression"

SAME_SHARE_MAX = 0.01
"""Closing frames are no compression: bytes that differ by less are the same."""


def compression(
    plain: Ranking | None, granted: Ranking | None, traces: Traces
) -> Candidate:
    """
    Compare clients of a server that grants compression with one that does not.

    Who does not offer it, or does not take part where it is granted, stays as it is.
    """
    if not (plain and granted):
        return _unknown()
    before, after = _durations(plain), _durations(granted)
    sizes = {
        name: (size_before, size_after)
        for name in after
        if name in before
        and (size_before := _size(name, plain, traces))
        and (size_after := _size(name, granted, traces))
    }
    if not sizes:
        return _unknown()
    paying = {
        name: after[name]
        for name, size in sizes.items()
        if abs(size[1] / size[0] - 1) > SAME_SHARE_MAX
    }
    ratios = {name: ns / before[name] for name, ns in paying.items()}
    return Candidate(
        title=TITLE,
        measured=(
            f"In {granted.workload.name} the server grants permessage-deflate, and "
            f"each client offers it or not as its library does of itself.",
            _who_pays(ratios, sizes),
        ),
        effects=shifted(before | paying, before),
    )


def _unknown() -> Candidate:
    lacks = "it needs a workload whose server grants it, and the same without"
    return Candidate(title=TITLE, measured=(), effects={}, lacks=lacks)


def _durations(ranking: Ranking) -> dict[str, float]:
    return {
        standing.contestant: figures.interval.median
        for standing, figures in ranking.measured
    }


def _size(name: str, ranking: Ranking, traces: Traces) -> float | None:
    """Return a message's bytes on the wire; none where nobody recorded them."""
    trace = traces.get((ranking.workload.name, name))
    return trace.wire_bytes_per_message if trace else None


def _who_pays(ratios: dict[str, float], sizes: dict[str, tuple[float, float]]) -> str:
    if not ratios:
        return f"Of {number.count(len(sizes), 'client')} nobody offers it."
    others = [name for name in sizes if name not in ratios]
    most = max(ratios, key=ratios.__getitem__)
    before, after = sizes[most]
    usual = number.times(median(ratios.values()))
    sentence = (
        f"Those that do: {listed(sorted(ratios))}. They take {usual} as long in the "
        f"median, {most} the most, {number.times(ratios[most])}: a message of it is "
        f"{number.plain(after)} bytes on the wire instead of {number.plain(before)}."
    )
    if others:
        sentence += f" Those that do not: {listed(sorted(others))}."
    return sentence
