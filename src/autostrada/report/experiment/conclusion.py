"""Which of the published conclusions hold here, in sentences made of the figures."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from autostrada.errors import OutOfMemory
from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import Claim, Comparison
from autostrada.report import number
from autostrada.report.experiment.claim.place import Places, places
from autostrada.report.experiment.figure import FIGURES, Figure, Group
from autostrada.report.experiment.results import Results
from autostrada.report.experiment.sample import Sampled, ratio_bounds, ratio_of
from autostrada.report.text import listed
from autostrada.stats.claim import Holding, together, within
from autostrada.stats.lower_bound import unbounded
from autostrada.stats.verdict import Limit

CAUTIONS = {
    Limit.ENGINE: "The engine was the limit, and they may do more",
    Limit.MACHINE: "The machine was disturbed",
}
"""What is said where a figure is not of the contestants alone."""

LATE = "The engine was late, and they may be faster"


BUILDING_UP = {Group.MEMORY, Group.LATENCY, Group.QUEUES}
"""Groups of figures that take their time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """One comparison of a claim: what it came to, and the figures that show it."""

    holding: Holding
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """A published conclusion, and what is known of it here."""

    text: str
    holding: Holding
    shown: tuple[Shown, ...]
    reason: str
    """Why it cannot be told whatever is measured; ``""`` where it can."""

    @property
    def decisive(self) -> Shown | None:
        """The first comparison that says what the conclusion comes to."""
        same = (each for each in self.shown if each.holding is self.holding)
        return next(same, None)

    @property
    def tally(self) -> str:
        """Say what became of its comparisons; empty where there is but one."""
        if len(self.shown) < 2:
            return ""
        said = _tally([each.holding for each in self.shown])
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
    said = _tally([each.holding for each in judged])
    of = number.count(len(judged), "published conclusion")
    failed = [each.text for each in judged if each.holding is Holding.FAILS]
    example = f" Not so: {_as_sentence(failed[0])}" if failed else ""
    return f"Of {of} {said} here.{example}"


def _tally(holdings: Sequence[Holding]) -> str:
    """Count what holds, what does not, and what cannot be told."""
    counts = Counter(holdings)
    return listed(
        [
            f"{number.plain(counts[holding], 0)} {_in_plural(holding, counts[holding])}"
            for holding in Holding
            if counts[holding]
        ]
    )


def _in_plural(holding: Holding, count: int) -> str:
    if count == 1:
        return str(holding)
    return {Holding.HOLDS: "hold", Holding.FAILS: "do not hold"}.get(
        holding, str(holding)
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
    holding = together([each.holding for each in shown])
    if holding is Holding.HOLDS:
        return Conclusion(text=claim.text, holding=holding, shown=shown, reason="")
    return Conclusion(
        text=claim.text,
        holding=Holding.UNTOLD if claim.reason else holding,
        shown=shown,
        reason=claim.reason,
    )


def _shown(comparison: Comparison, results: Results) -> Shown:
    """Judge one comparison; what cannot be told says why."""
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
        return Shown(holding=Holding.UNTOLD, sentence=sentence)
    of = _sampled(of_cell, figure, results)
    assert of, "only what was measured comes here"
    to = _sampled(to_cell, figure, results) if to_cell else None
    said = "; ".join(
        f"{_figure(sampled, figure)}, {name}{_ended(cell, figure, results)}"
        for sampled, name, cell in zip((of, to), where.names, cells, strict=False)
        if sampled
    )
    judged = _judged(comparison, (of, to), figure, f"{title}: {said}")
    is_too_little = judged.holding is Holding.FAILS and _wants_more(comparison, of)
    if is_too_little and any(map(results.is_changed, cells)):
        sentence = f"{judged.sentence} But this run has other parameters here."
        judged = Shown(holding=Holding.UNTOLD, sentence=sentence)
    cautions = [*_cautions(cells, where, results, figure)]
    return replace(judged, sentence=" ".join([judged.sentence, *cautions]))


def _wants_more(comparison: Comparison, of: Sampled) -> bool:
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
        if verdict and verdict.limit in CAUTIONS:
            yield f"{CAUTIONS[verdict.limit]} ({name})."
        elif verdict and verdict.is_late and figure.group is Group.LATENCY:
            yield f"{LATE} ({name})."


def _judged(
    comparison: Comparison,
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
        ratio = ratio_of(of, to)
        if ratio is None:
            return Shown(
                holding=Holding.UNTOLD,
                sentence=f"{said}; the second is 0 and no ratio can be taken.",
            )
        low, high, has_bounds = ratio.low, ratio.high, ratio.confidence > 0
        bounds = ratio_bounds(low, high, like=ratio.value)
        said += f": {number.times(ratio.value)}"
        said += f" ({bounds})" if has_bounds else ""
    if not has_bounds:
        unsure = to if to and to.interval.confidence == 0 else of
        return Shown(
            holding=Holding.UNTOLD,
            sentence=f"{said}. It would have to be {wanted}, and {unsure.doubt}.",
        )
    holding = within(
        low, high, at_least=comparison.at_least, at_most=comparison.at_most
    )
    return Shown(
        holding=holding,
        sentence=f"{said}. It would have to be {wanted}: {_verdict(holding)}.",
    )


def _verdict(holding: Holding) -> str:
    return {
        Holding.HOLDS: "so it is",
        Holding.FAILS: "it is not",
        Holding.UNTOLD: "the interval says both",
    }[holding]


def _wanted(comparison: Comparison, figure: Figure) -> Iterator[str]:
    write = number.times if comparison.to else figure.written
    if comparison.at_least is not None:
        yield f"at least {write(comparison.at_least)}"
    if comparison.at_most is not None:
        yield f"at most {write(comparison.at_most)}"


def _title(figure: Figure) -> str:
    return figure.title[0].upper() + figure.title[1:]


def _figure(sampled: Sampled, figure: Figure) -> str:
    """Write a figure with its bounds; where it is but a bound, as that."""
    interval = sampled.interval
    bounds = figure.bounds(interval)
    if bounds and interval.high == inf and interval.low == interval.median:
        return bounds
    written = figure.written(interval.median)
    return f"{written} ({bounds})" if bounds else written


def _sampled(cell: Cell, figure: Figure, results: Results) -> Sampled | None:
    """Return what is known of a figure, also by trials that were ended as it grew."""
    outcome = results.outcomes.get(cell)
    sampled = outcome.figures.get(figure.name) if outcome else None
    ended = results.outgrown.get(cell, {}).get(figure.name, ())
    if not ended:
        return sampled
    measured = sampled.values if sampled else ()
    return Sampled(values=(*measured, *ended), known=unbounded(measured, ended))


def _ended(cell: Cell, figure: Figure, results: Results) -> str:
    """Say how trials were ended that count with what they had by then."""
    if figure.name not in results.outgrown.get(cell, {}):
        return ""
    failures = [each.failure for each in results.outcomes[cell].failures]
    words = [each.message for each in failures if each.kind == OutOfMemory.kind]
    return f" ({words[-1]})"


def _why(cell: Cell, results: Results) -> str:
    outcome = results.outcomes.get(cell)
    if outcome is None:
        return "not in this run"
    return outcome.absence or "not known of it"
