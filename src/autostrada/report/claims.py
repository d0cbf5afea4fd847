"""Which of the published conclusions are confirmed here, in sentences of figures."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from autostrada.errors import OutOfMemory
from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import Claim, Requirement
from autostrada.report import figures, number
from autostrada.report.cell_names import Places, places
from autostrada.report.results import Results
from autostrada.report.samples import Sampled, ratio_bounds, ratio_of
from autostrada.report.text import listed
from autostrada.stats.claim import Finding, together, within
from autostrada.stats.figures import FIGURES, Figure, Group
from autostrada.stats.lower_bound import unbounded
from autostrada.stats.verdict import Bottleneck

CAUTIONS = {
    Bottleneck.LOAD_GENERATOR: (
        "The load generator was the bottleneck: the contestants may do more"
    ),
    Bottleneck.MACHINE: "The machine was disturbed",
}
"""What is said where a figure is not of the contestants alone."""

IN_WORDS = {
    Finding.CONFIRMED: "it is met",
    Finding.CONTRADICTED: "it is not met",
    Finding.INCONCLUSIVE: "the interval includes values on both sides of the limit",
}
"""What a figure of which something is known says of a requirement."""

LATE = "The load generator sent late, so the contestants may be faster"


BUILDING_UP = {Group.MEMORY, Group.LATENCY, Group.QUEUES}
"""Groups of figures that take their time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """One comparison of a claim: what it came to, and the figures that show it."""

    finding: Finding
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """A published conclusion, and what is known of it here."""

    text: str
    finding: Finding
    shown: tuple[Shown, ...]
    reason: str
    """Why it cannot be tested whatever is measured; ``""`` where it can."""

    @property
    def decisive(self) -> Shown | None:
        """The first comparison that says what the conclusion comes to."""
        same = (each for each in self.shown if each.finding is self.finding)
        return next(same, None)

    @property
    def tally(self) -> str:
        """Say what became of its comparisons; empty where there is but one."""
        if len(self.shown) < 2:
            return ""
        said = _tally([each.finding for each in self.shown])
        return f"Of {number.count(len(self.shown), 'comparison')} {said}."


def conclusions(results: Results) -> list[Conclusion]:
    """Judge every claim that was published of an experiment, in their order."""
    if not results.publication:
        return []
    return [_conclusion(claim, results) for claim in results.publication.claim]


def headline(judged: Sequence[Conclusion], results: Results) -> str:
    """Say what came of the published conclusions; without any, what was measured."""
    if not judged:
        return _measured(results)
    said = _tally([each.finding for each in judged])
    of = number.count(len(judged), "published conclusion")
    failed = [each.text for each in judged if each.finding is Finding.CONTRADICTED]
    example = f" Contradicted: {_as_sentence(failed[0])}" if failed else ""
    return f"Of {of} {said}.{example}"


def _tally(findings: Sequence[Finding]) -> str:
    """Count what is confirmed, contradicted, inconclusive and not tested."""
    counts = Counter(findings)
    return listed(
        [
            f"{number.plain(counts[finding], 0)} "
            f"{'is' if counts[finding] == 1 else 'are'} {finding}"
            for finding in Finding
            if counts[finding]
        ]
    )


def _as_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _measured(results: Results) -> str:
    """Say how many cells have figures."""
    outcomes = results.outcomes.values()
    measured = sum(bool(each.measured) for each in outcomes)
    broken = sum(bool(each.trouble) for each in outcomes)
    sentence = (
        f"{number.plain(measured, 0)} of {number.count(len(outcomes), 'cell')} "
        f"{'has' if measured == 1 else 'have'} figures"
    )
    return (
        f"{sentence}, and in {number.plain(broken, 0)} something broke."
        if (broken)
        else f"{sentence}."
    )


def _conclusion(claim: Claim, results: Results) -> Conclusion:
    """Judge one claim; what has a reason not to be told can hold, and cannot fail."""
    shown = tuple(_shown(each, results) for each in claim.comparisons)
    finding = together([each.finding for each in shown])
    if finding is Finding.CONFIRMED:
        return Conclusion(text=claim.text, finding=finding, shown=shown, reason="")
    return Conclusion(
        text=claim.text,
        finding=_without_failure(finding) if claim.reason else finding,
        shown=shown,
        reason=claim.reason,
    )


def _without_failure(finding: Finding) -> Finding:
    """Return what a claim comes to that its comparisons can only confirm."""
    return Finding.INCONCLUSIVE if finding is Finding.CONTRADICTED else finding


def _shown(comparison: Requirement, results: Results) -> Shown:
    """Judge one comparison; an inconclusive one says why."""
    figure = FIGURES[comparison.figure]
    of_cell = comparison.of.cell
    to_cell = comparison.to.cell if comparison.to else None
    cells = [cell for cell in (of_cell, to_cell) if cell is not None]
    where = places(cells)
    title = f"{_title(figure)}{where.shared}"
    missing = [
        f"{name} has no such figure ({_why(cell, results)})"
        for cell, name in zip(cells, where.names, strict=True)
        if _sampled(cell, figure, results) is None
    ]
    if missing:
        sentence = f"{title}: {listed(missing)}."
        return Shown(finding=Finding.NOT_TESTED, sentence=sentence)
    of = _sampled(of_cell, figure, results)
    assert of, "only what was measured comes here"
    to = _sampled(to_cell, figure, results) if to_cell else None
    said = "; ".join(
        f"{_figure(sampled, figure)}, {name}{_ended(cell, figure, results)}"
        for sampled, name, cell in zip((of, to), where.names, cells, strict=False)
        if sampled
    )
    judged = _judged(comparison, (of, to), figure, f"{title}: {said}")
    is_too_little = judged.finding is Finding.CONTRADICTED and _wants_more(
        comparison, of
    )
    if is_too_little and any(map(results.is_changed, cells)):
        sentence = f"{judged.sentence} But this run has other parameters here."
        judged = Shown(finding=Finding.INCONCLUSIVE, sentence=sentence)
    cautions = [*_cautions(cells, where, results, figure)]
    return replace(judged, sentence=" ".join([judged.sentence, *cautions]))


def _wants_more(comparison: Requirement, of: Sampled) -> bool:
    """
    Whether a comparison that fails might hold of a longer or larger trial.

    A figure by itself may have been too small for its bound; memory, latency and what
    waits in queues build up, so that their ratios grow as well.
    """
    least = comparison.at_least
    if least is None:
        return False
    if comparison.to is None:
        return of.interval.high < least
    builds_up = FIGURES[comparison.figure].group in BUILDING_UP
    return builds_up and comparison.at_most is None


def _cautions(
    cells: Sequence[Cell], where: Places, results: Results, figure: Figure
) -> Iterator[str]:
    """Say in which of the cells a figure is not of the contestants alone."""
    for cell, name in zip(cells, where.names, strict=True):
        verdict = results.outcomes[cell].verdict
        if verdict and verdict.bottleneck in CAUTIONS:
            yield f"{CAUTIONS[verdict.bottleneck]} ({name})."
        elif verdict and verdict.is_late and figure.group is Group.LATENCY:
            yield f"{LATE} ({name})."


def _judged(
    comparison: Requirement,
    sampled: tuple[Sampled, Sampled | None],
    figure: Figure,
    said: str,
) -> Shown:
    """Judge figures that are there: by their ratio, or the one by itself."""
    of, to = sampled
    wanted = " and ".join(_wanted(comparison, figure))
    if to is None:
        low, high = of.interval.low, of.interval.high
        has_bounds = of.interval.confidence > 0
    else:
        if min(to.values) <= 0:
            return Shown(
                finding=Finding.INCONCLUSIVE,
                sentence=f"{said}; the second is 0 and no ratio can be taken.",
            )
        ratio = ratio_of(of, to)
        low, high, has_bounds = ratio.low, ratio.high, ratio.confidence > 0
        bounds = ratio_bounds(low, high, like=ratio.value)
        said += f": {number.times(ratio.value)}"
        said += f" ({bounds})" if has_bounds else ""
    if not has_bounds:
        unsure = to if to and to.interval.confidence == 0 else of
        return Shown(
            finding=Finding.INCONCLUSIVE,
            sentence=f"{said}. The claim requires {wanted}, and {unsure.doubt}.",
        )
    finding = within(
        low, high, at_least=comparison.at_least, at_most=comparison.at_most
    )
    return Shown(
        finding=finding,
        sentence=f"{said}. The claim requires {wanted}: {IN_WORDS[finding]}.",
    )


def _wanted(comparison: Requirement, figure: Figure) -> Iterator[str]:
    def write(value: float) -> str:
        return number.times(value) if comparison.to else figures.written(figure, value)

    if comparison.at_least is not None:
        yield f"at least {write(comparison.at_least)}"
    if comparison.at_most is not None:
        yield f"at most {write(comparison.at_most)}"


def _title(figure: Figure) -> str:
    return figure.title[0].upper() + figure.title[1:]


def _figure(sampled: Sampled, figure: Figure) -> str:
    """Write a figure with its bounds; where it is but a bound, as that."""
    interval = sampled.interval
    bounds = figures.bounds(figure, interval)
    if bounds and interval.high == inf and interval.low == interval.median:
        return bounds
    written = figures.written(figure, interval.median)
    return f"{written} ({bounds})" if bounds else written


def _sampled(cell: Cell, figure: Figure, results: Results) -> Sampled | None:
    """Return what is known of a figure, also by trials that were ended as it grew."""
    outcome = results.outcomes.get(cell)
    sampled = outcome.figures.get(figure.name) if outcome else None
    ended = results.memory_lower_bounds.get(cell, {}).get(figure.name, ())
    if not ended:
        return sampled
    measured = sampled.values if sampled else ()
    return Sampled(values=(*measured, *ended), known=unbounded(measured, ended))


def _ended(cell: Cell, figure: Figure, results: Results) -> str:
    """Say how trials were ended that count with what they had by then."""
    if figure.name not in results.memory_lower_bounds.get(cell, {}):
        return ""
    failures = [each.failure for each in results.outcomes[cell].failures]
    words = [each.message for each in failures if each.kind == OutOfMemory.kind]
    return f" ({words[-1]})"


def _why(cell: Cell, results: Results) -> str:
    outcome = results.outcomes.get(cell)
    if outcome is None:
        return "not tested"
    return outcome.absence or "not known of it"
