"""Findings for published conclusions, with sentences that state the figures."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from autostrada.errors import OutOfMemory
from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import Claim, Requirement
from autostrada.report import figures, number
from autostrada.report.cell_names import CellNames, cell_names
from autostrada.report.results import Results
from autostrada.report.samples import Sampled, ratio_bounds, ratio_of
from autostrada.report.text import listed
from autostrada.stats.claim import Finding, together, within
from autostrada.stats.figures import FIGURES, Figure, Group
from autostrada.stats.lower_bound import lower_bound_interval
from autostrada.stats.verdict import Bottleneck

CAUTIONS = {
    Bottleneck.LOAD_GENERATOR: (
        "The load generator was the bottleneck: the contestants may do more"
    ),
    Bottleneck.MACHINE: "The machine was disturbed",
}
"""Cautions about figures that do not depend only on the contestants."""

FINDING_TEXTS = {
    Finding.CONFIRMED: "it is met",
    Finding.CONTRADICTED: "it is not met",
    Finding.INCONCLUSIVE: "the interval includes values on both sides of the limit",
}
"""Whether a requirement is met, for each finding of a measured figure."""

LATE = "The load generator sent late, so the contestants may be faster"


CUMULATIVE_GROUPS = {Group.MEMORY, Group.LATENCY, Group.QUEUES}
"""Groups of figures that grow with the duration or the size of a trial."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """The finding for one comparison of a claim, and a sentence with its figures."""

    finding: Finding
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """A published conclusion and our finding for it."""

    text: str
    finding: Finding
    shown: tuple[Shown, ...]
    reason: str
    """Why it cannot be contradicted by any measurement; ``""`` if it can."""

    @property
    def decisive(self) -> Shown | None:
        """The first comparison with the conclusion's finding; ``None`` without one."""
        same = (each for each in self.shown if each.finding is self.finding)
        return next(same, None)

    @property
    def tally(self) -> str:
        """Number of comparisons for each finding, as a sentence; empty for one."""
        if len(self.shown) < 2:
            return ""
        counts = _tally([each.finding for each in self.shown])
        return f"Of {number.count(len(self.shown), 'comparison')} {counts}."


def conclusions(results: Results) -> list[Conclusion]:
    """Judge all claims of an experiment's publication, in the order of that file."""
    if not results.publication:
        return []
    return [_conclusion(claim, results) for claim in results.publication.claim]


def headline(judged: Sequence[Conclusion], results: Results) -> str:
    """Count the published conclusions by finding; without any, the measured cells."""
    if not judged:
        return _measured(results)
    counts = _tally([each.finding for each in judged])
    of = number.count(len(judged), "published conclusion")
    failed = [each.text for each in judged if each.finding is Finding.CONTRADICTED]
    example = f" Contradicted: {_as_sentence(failed[0])}" if failed else ""
    return f"Of {of} {counts}.{example}"


def _tally(findings: Sequence[Finding]) -> str:
    """Count the findings, as a part of a sentence."""
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
    """Say how many cells have figures, and in how many of them something broke."""
    outcomes = results.outcomes.values()
    measured = sum(bool(each.measured) for each in outcomes)
    broken = sum(bool(each.problem) for each in outcomes)
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
    """Judge one claim; a claim with a reason can be confirmed but not contradicted."""
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
    """Return the finding for a claim that its comparisons cannot contradict."""
    return Finding.INCONCLUSIVE if finding is Finding.CONTRADICTED else finding


def _shown(comparison: Requirement, results: Results) -> Shown:
    """
    Judge one comparison.

    It is not tested if a figure is missing. A contradiction is inconclusive if a longer
    or larger trial might meet the requirement and the run changed the parameters.
    """
    figure = FIGURES[comparison.figure]
    of_cell = comparison.of.cell
    to_cell = comparison.to.cell if comparison.to else None
    cells = [cell for cell in (of_cell, to_cell) if cell is not None]
    named = cell_names(cells)
    title = f"{_title(figure)}{named.shared}"
    missing = [
        f"{name} has no such figure ({_absence_reason(cell, results)})"
        for cell, name in zip(cells, named.names, strict=True)
        if _sampled(cell, figure, results) is None
    ]
    if missing:
        sentence = f"{title}: {listed(missing)}."
        return Shown(finding=Finding.NOT_TESTED, sentence=sentence)
    of = _sampled(of_cell, figure, results)
    assert of, "missing figures are handled above"
    to = _sampled(to_cell, figure, results) if to_cell else None
    measured = "; ".join(
        f"{_figure(sampled, figure)}, {name}{_ended(cell, figure, results)}"
        for sampled, name, cell in zip((of, to), named.names, cells, strict=False)
        if sampled
    )
    judged = _judged(comparison, (of, to), figure, f"{title}: {measured}")
    is_too_little = judged.finding is Finding.CONTRADICTED and _wants_more(
        comparison, of
    )
    if is_too_little and any(map(results.is_changed, cells)):
        sentence = f"{judged.sentence} But this run used other parameters."
        judged = Shown(finding=Finding.INCONCLUSIVE, sentence=sentence)
    cautions = [*_cautions(cells, named, results, figure)]
    return replace(judged, sentence=" ".join([judged.sentence, *cautions]))


def _wants_more(comparison: Requirement, of: Sampled) -> bool:
    """
    Whether a failed comparison might be met in a longer or larger trial.

    A single figure may grow until it reaches its bound. Ratios grow only for memory,
    latency and queues, which build up during a trial.
    """
    least = comparison.at_least
    if least is None:
        return False
    if comparison.to is None:
        return of.interval.high < least
    builds_up = FIGURES[comparison.figure].group in CUMULATIVE_GROUPS
    return builds_up and comparison.at_most is None


def _cautions(
    cells: Sequence[Cell], named: CellNames, results: Results, figure: Figure
) -> Iterator[str]:
    """Yield a caution for each cell whose figure depends on more than contestants."""
    for cell, name in zip(cells, named.names, strict=True):
        verdict = results.outcomes[cell].verdict
        if verdict and verdict.bottleneck in CAUTIONS:
            yield f"{CAUTIONS[verdict.bottleneck]} ({name})."
        elif verdict and verdict.is_late and figure.group is Group.LATENCY:
            yield f"{LATE} ({name})."


def _judged(
    comparison: Requirement,
    sampled: tuple[Sampled, Sampled | None],
    figure: Figure,
    measured: str,
) -> Shown:
    """Judge measured figures: the ratio of two, or a single one."""
    of, to = sampled
    wanted = " and ".join(_wanted(comparison, figure))
    if to is None:
        low, high = of.interval.low, of.interval.high
        has_bounds = of.interval.confidence > 0
    else:
        if min(to.values) <= 0:
            return Shown(
                finding=Finding.INCONCLUSIVE,
                sentence=f"{measured}; the second is 0, so there is no ratio.",
            )
        ratio = ratio_of(of, to)
        low, high, has_bounds = ratio.low, ratio.high, ratio.confidence > 0
        bounds = ratio_bounds(low, high, like=ratio.value)
        measured += f": {number.times(ratio.value)}"
        measured += f" ({bounds})" if has_bounds else ""
    if not has_bounds:
        unsure = to if to and to.interval.confidence == 0 else of
        return Shown(
            finding=Finding.INCONCLUSIVE,
            sentence=(
                f"{measured}. The claim requires {wanted}, and "
                f"{unsure.no_confidence_reason}."
            ),
        )
    finding = within(
        low, high, at_least=comparison.at_least, at_most=comparison.at_most
    )
    return Shown(
        finding=finding,
        sentence=f"{measured}. The claim requires {wanted}: {FINDING_TEXTS[finding]}.",
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
    """Format a figure with its bounds; a lower bound is written as ``≥ low``."""
    interval = sampled.interval
    bounds = figures.bounds(figure, interval)
    if bounds and interval.high == inf and interval.low == interval.median:
        return bounds
    written = figures.written(figure, interval.median)
    return f"{written} ({bounds})" if bounds else written


def _sampled(cell: Cell, figure: Figure, results: Results) -> Sampled | None:
    """Return the samples of a figure, including memory bounds of ended trials."""
    outcome = results.outcomes.get(cell)
    sampled = outcome.figures.get(figure.name) if outcome else None
    ended = results.memory_lower_bounds.get(cell, {}).get(figure.name, ())
    if not ended:
        return sampled
    measured = sampled.values if sampled else ()
    return Sampled(
        values=(*measured, *ended), known_interval=lower_bound_interval(measured, ended)
    )


def _ended(cell: Cell, figure: Figure, results: Results) -> str:
    """Say why trials ended whose memory counts as a lower bound; empty without any."""
    if figure.name not in results.memory_lower_bounds.get(cell, {}):
        return ""
    failures = [each.failure for each in results.outcomes[cell].failures]
    messages = [each.message for each in failures if each.kind == OutOfMemory.kind]
    return f" ({messages[-1]})"


def _absence_reason(cell: Cell, results: Results) -> str:
    outcome = results.outcomes.get(cell)
    if outcome is None:
        return "not tested"
    return outcome.absence or "not known for this cell"
