"""Compression: who offers it gets it from a server that grants it, and pays."""

from statistics import median

from autostrada.report import number
from autostrada.report.race.explanation.candidate import Candidate
from autostrada.report.race.explanation.trace import Traces
from autostrada.report.race.race import Ranking
from autostrada.report.text import listed

TITLE = "Compression"

SAME_SHARE_MAX = 0.01
"""Closing frames are no compression: bytes that differ by less are the same."""


def compression(
    plain: Ranking | None, granted: Ranking | None, traces: Traces
) -> Candidate:
    """Compare clients of a server that grants compression with one that does not."""
    ratios = _ratios(plain, granted)
    sizes = {name: _sizes(name, plain, granted, traces) for name in ratios}
    known = {name: size for name, size in sizes.items() if size}
    if not (plain and granted and known):
        lacks = "it needs a workload whose server grants it, and the same without"
        return Candidate(title=TITLE, measured=(), effects={}, lacks=lacks)
    paying = {
        name: ratios[name]
        for name, (before, after) in known.items()
        if abs(after / before - 1) > SAME_SHARE_MAX
    }
    head = (
        f"In {granted.workload.name} the server grants permessage-deflate, and each "
        f"client offers it or not as its library does of itself."
    )
    if not paying:
        words = f"None of {number.count(len(known), 'client')} offers it."
        effects = dict.fromkeys(known, 1.0)
        return Candidate(title=TITLE, measured=(head, words), effects=effects)
    usual = median(paying.values())
    return Candidate(
        title=TITLE,
        measured=(head, _who_pays(paying, known)),
        effects={name: 1 / paying[name] if name in paying else usual for name in known},
    )


def _ratios(plain: Ranking | None, granted: Ranking | None) -> dict[str, float]:
    """Return how many times as long each takes where it is granted."""
    if not (plain and granted):
        return {}
    before = {
        standing.contestant: figures.interval.median
        for standing, figures in plain.measured
    }
    return {
        standing.contestant: figures.interval.median / before[standing.contestant]
        for standing, figures in granted.measured
        if standing.contestant in before
    }


def _sizes(
    name: str, plain: Ranking | None, granted: Ranking | None, traces: Traces
) -> tuple[float, float] | None:
    """Return a message's bytes on the wire without and with; none where unknown."""
    found = [
        trace.wire_bytes_per_message
        for ranking in (plain, granted)
        if ranking and (trace := traces.get((ranking.workload.name, name)))
    ]
    if len(found) == 2 and found[0] and found[1]:
        return found[0], found[1]
    return None


def _who_pays(paying: dict[str, float], known: dict[str, tuple[float, float]]) -> str:
    others = [name for name in known if name not in paying]
    first = next(iter(paying))
    before, after = known[first]
    most = max(paying, key=paying.__getitem__)
    sentence = (
        f"{listed(sorted(paying))} do: a message of theirs is {number.plain(after)} "
        f"bytes on the wire instead of {number.plain(before)}, and they take "
        f"{number.times(median(paying.values()))} as long in the median, {most} the "
        f"most, {number.times(paying[most])}."
    )
    if others:
        sentence += f" {listed(sorted(others))} do not."
    return sentence
