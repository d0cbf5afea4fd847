"""Rankings of the contestants in each workload, with ratios and bottlenecks."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report import number
from autostrada.report.cold import COLD, STEADY, cold_ratio, cold_text
from autostrada.report.results import Outcome, Results
from autostrada.report.samples import Sampled, ratio_of
from autostrada.report.text import listed
from autostrada.stats.figures import FIGURES, Figure
from autostrada.stats.rank import shared_ranks
from autostrada.stats.ratio import Ratio
from autostrada.stats.variation import coefficient_of_variation
from autostrada.stats.verdict import BUSY_SHARE_MIN, MET_SHARE_MIN, Bottleneck
from autostrada.workloads.feed import Feed
from autostrada.workloads.push import Push
from autostrada.workloads.workload import Workload

LEADERS_MAX = 4
"""Largest number of indistinguishable contestants that a headline names."""

NOT_STEADY = "not yet steady"
NOT_OBSERVED = "not observed"

COLD_RATIO_MAX = 1.1
"""Ratio of the cold to the steady time, or its inverse, up to which they are alike."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One cell of a ranking, with figures, failures, or both."""

    name: str
    """Short name of the cell, unique within the ranking."""

    outcome: Outcome
    figure: Figure
    """The figure by which the cell is ranked."""

    rank: int | None = None
    """
    Rank from 1; indistinguishable cells share one.

    It is ``None`` for the reference, for a cell without the figure and for a cell with
    one sample.
    """

    to_best: Ratio | None = None
    """Ratio to the best; ``None`` for the reference and without the figure."""

    to_reference: Ratio | None = None
    """Ratio to the reference; ``None`` if one of them was not measured."""

    @property
    def is_reference(self) -> bool:
        """Whether both ends are the engine, the upper bound."""
        return self.outcome.cell.contestant == REFERENCE

    @property
    def sampled(self) -> Sampled | None:
        """Samples of the ranked figure; ``None`` if it was not measured."""
        return self.outcome.figures.get(self.figure.name)

    @property
    def is_unsteady(self) -> bool:
        """Whether the cell is to be ranked by its steady rate, and has none."""
        return (
            self.figure == STEADY
            and STEADY.name not in self.outcome.figures
            and self.outcome.measured > 0
        )

    @property
    def text(self) -> str:
        """The ranked figure with its unit, or why there is none; empty if unknown."""
        if self.sampled:
            return self.outcome.written(self.figure)
        if not self.is_unsteady:
            return ""
        is_known = "rate_is_steady" in self.outcome.figures
        return NOT_STEADY if is_known else NOT_OBSERVED

    @property
    def cold_text(self) -> str:
        """The time of the first messages, with their number; empty if unknown."""
        return cold_text(self.outcome)

    @property
    def cold_ratio(self) -> float | None:
        """Ratio of the cold to the steady time per message; ``None`` without both."""
        return cold_ratio(self.outcome)

    @property
    def has_other_cold_rate(self) -> bool:
        """Whether the cold rate differs from the steady one, or none is steady."""
        ratio = self.cold_ratio
        if ratio is None:
            return self.is_unsteady
        return max(ratio, 1 / ratio) > COLD_RATIO_MAX

    @property
    def variation(self) -> str:
        """Coefficient of variation of the repetitions in percent; empty for one."""
        share = coefficient_of_variation(self.sampled.values) if self.sampled else None
        return (
            "" if share is None else number.percent(share, number.decimals(100 * share))
        )

    @property
    def is_bound(self) -> bool:
        """Whether the ranked figure is a bound, because of the load generator."""
        verdict = self.outcome.verdict
        return bool(verdict and verdict.is_lower_bound)

    def is_limited(self, bottleneck: Bottleneck) -> bool:
        """Whether the cell has the given bottleneck."""
        verdict = self.outcome.verdict
        return bool(verdict and verdict.bottleneck is bottleneck)


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The ranking of all cells at one point of a workload."""

    point: str
    workload: Workload
    figure: Figure
    reference: Standing | None
    """The engine as its own contestant; ``None`` if it does not take part."""

    standings: tuple[Standing, ...]
    """All cells without the reference: the best first, cells without figures last."""

    @property
    def every(self) -> list[Standing]:
        """The reference, if it takes part, followed by all other cells."""
        return [*([self.reference] if self.reference else []), *self.standings]

    @cached_property
    def measured(self) -> list[Standing]:
        """The cells with figures, the best first, without the reference."""
        return [each for each in self.standings if each.sampled]

    @property
    def is_by_steady_rate(self) -> bool:
        """Whether the ranking is by the steady rate, beside which the cold one is."""
        return self.figure == STEADY

    @property
    def leaders(self) -> list[Standing]:
        """The cells of the first rank; without ranks, the best cell."""
        return [each for each in self.measured if each.rank == 1] or self.measured[:1]

    @property
    def has_bounds(self) -> bool:
        """Whether the figure of at least one cell is a bound."""
        return any(each.is_bound for each in self.every)

    @property
    def cells_limited_by_engine(self) -> int:
        """Number of measured cells in which the load generator was the bottleneck."""
        return sum(each.is_limited(Bottleneck.LOAD_GENERATOR) for each in self.measured)

    @property
    def is_limited_by_engine(self) -> bool:
        """Whether the load generator was the bottleneck in most measured cells."""
        return 2 * self.cells_limited_by_engine > len(self.measured)


def rankings(results: Results) -> list[Ranking]:
    """
    Return the ranking of each point with more than one cell.

    The values that a search tried are not ranked, only its capacity.
    """
    cells: dict[str, list[Outcome]] = defaultdict(list)
    tried = {each.at(step) for each in results.searches for step in each.tried}
    for cell, outcome in results.outcomes.items():
        if cell not in tried:
            cells[cell.workload].append(outcome)
    points = results.experiment.points()
    return [
        _ranking(point, points[point], outcomes)
        for point, outcomes in cells.items()
        if len(outcomes) > 1 and point in points
    ]


def is_race(results: Results) -> bool:
    """Whether the experiment is a race: all its workloads are pushes."""
    workloads = results.experiment.workload
    return all(isinstance(each, Push) for each in workloads)


def _ranking(point: str, workload: Workload, outcomes: Sequence[Outcome]) -> Ranking:
    figure = ranked_by(workload, point, outcomes)
    names = _names([outcome.cell for outcome in outcomes])
    every = [
        Standing(name=name, outcome=outcome, figure=figure)
        for name, outcome in zip(names, outcomes, strict=True)
    ]
    reference = next((each for each in every if each.is_reference), None)
    others = sorted((each for each in every if each is not reference), key=_best_first)
    return Ranking(
        point=point,
        workload=workload,
        figure=figure,
        reference=reference,
        standings=tuple(_placed(others, reference)),
    )


def _placed(
    ordered: Sequence[Standing], reference: Standing | None
) -> Iterator[Standing]:
    """Yield sorted standings with their ranks and ratios."""
    samples = {each.name: each.sampled for each in ordered if each.sampled}
    ranks = shared_ranks(
        list(samples),
        lambda one, other: ratio_of(samples[one], samples[other]).is_distinguishable,
    )
    best = samples[next(iter(ranks))] if ranks else None
    for each in ordered:
        found = each.sampled
        if found is None or best is None:
            yield each
            continue
        yield Standing(
            name=each.name,
            outcome=each.outcome,
            figure=each.figure,
            rank=ranks[each.name] if found.interval.confidence else None,
            to_best=ratio_of(found, best),
            to_reference=ratio_of(found, reference.sampled)
            if reference and reference.sampled
            else None,
        )


def ranked_by(workload: Workload, point: str, outcomes: Sequence[Outcome]) -> Figure:
    """
    Return the figure by which the cells of a point are ranked.

    For pushes it is the steady time per message if a cell has it, and otherwise the
    time of the first messages or the mean rate. For workloads that are neither pushes
    nor feeds, it is the response time if every cell sustains the load, and the achieved
    rate otherwise.
    """
    if getattr(workload, "search", None) and point == workload.name:
        return FIGURES["capacity_connections"]
    if isinstance(workload, Push):
        names = {name for each in outcomes for name in each.figures}
        ranked = (STEADY, *COLD.values())
        return next(
            (each for each in ranked if each.name in names), FIGURES["messages_per_s"]
        )
    if isinstance(workload, Feed):
        has_instants = workload.every_ms is not None and workload.feed != "sequence"
        return FIGURES["latency_ms_p99" if has_instants else "received_per_s"]
    shares = [
        each.figures["achieved_share"].interval.median
        for each in outcomes
        if "achieved_share" in each.figures
    ]
    is_sustained = min(shares, default=0) >= MET_SHARE_MIN
    return FIGURES["response_ms_p99" if is_sustained else "achieved_per_s"]


def _best_first(standing: Standing) -> tuple[float, str]:
    if not standing.sampled:
        return float("inf"), standing.name
    value = standing.sampled.interval.median
    return -value if standing.figure.better == "higher" else value, standing.name


def _names(cells: Sequence[Cell]) -> list[str]:
    """Name cells by server and client; an end that is always the engine is omitted."""
    if all(cell.server == REFERENCE for cell in cells):
        return [cell.client for cell in cells]
    if all(cell.client == REFERENCE for cell in cells):
        return [cell.server for cell in cells]
    return [
        " → ".join(
            "engine" if end == REFERENCE else end for end in (cell.server, cell.client)
        )
        for cell in cells
    ]


def headline(ranking: Ranking) -> str:
    """
    Name the best cells, and how far behind the next one is.

    A further sentence warns if the ranking is one of the load generator.
    """
    first = ranking.leaders
    if not first:
        return "No library was measured."
    names = [each.name for each in first]
    if len(names) > LEADERS_MAX:
        names[LEADERS_MAX:] = [f"{len(names) - LEADERS_MAX} others"]
    best_names = listed(names)
    others = ranking.measured[ranking.measured.index(first[-1]) + 1 :]
    best = "the fastest" if isinstance(ranking.workload, Push) else "the best"
    if len(ranking.measured) == 1:
        return f"{best_names} is the only measured library."
    if first[0].rank is None:
        sentences = [f"{best_names} was {best} in its only repetition."]
    elif len(first) == 1:
        sentences = [f"{best_names} is {best}."]
    else:
        repetitions = number.count(_repetitions(first[0]), "repetition")
        sentences = [f"{best_names} are {best}: {repetitions} do not distinguish them."]
    if others and others[0].to_best:
        behind = number.times(others[0].to_best.value)
        taken = (
            f"takes {behind} as long"
            if isinstance(ranking.workload, Push)
            else f"has {behind} the best {ranking.figure.title}"
        )
        sentences.append(f"The next, {others[0].name}, {taken}.")
    if ranking.is_limited_by_engine:
        sentences.append(
            f"But the load generator was the bottleneck for "
            f"{ranking.cells_limited_by_engine} of {len(ranking.measured)}: this ranks "
            f"the load generator, not the libraries."
        )
    return " ".join(sentences)


def _repetitions(standing: Standing) -> int:
    return len(standing.sampled.values) if standing.sampled else 0


def reason(ranking: Ranking) -> str:
    """State the bottleneck of the best cell, with its evidence; empty without one."""
    if not ranking.leaders:
        return ""
    first = ranking.leaders[0]
    verdict = first.outcome.verdict
    if verdict is None:
        return ""
    sentence = {
        Bottleneck.CLIENT_CPU: (
            f"The bottleneck was the CPU of the client, {first.name}."
        ),
        Bottleneck.LOAD_GENERATOR: (
            f"The load generator was the bottleneck: {first.name} may be faster."
        ),
        Bottleneck.MACHINE: "The machine was disturbed.",
        Bottleneck.UNCLEAR: "The bottleneck is unclear.",
    }.get(verdict.bottleneck, f"The bottleneck was the {verdict.bottleneck}.")
    return f"{sentence} {verdict.evidence}"


def wire(ranking: Ranking) -> str:
    """State the wire bytes per byte of payload; empty if they were not recorded."""
    found = {
        each.name: each.outcome.figures["wire_bytes_per_payload_byte"].interval.median
        for each in ranking.measured
        if "wire_bytes_per_payload_byte" in each.outcome.figures
    }
    if not found:
        return ""
    least = min(found, key=found.__getitem__)
    bounds = [number.plain(size) for size in (found[least], max(found.values()))]
    if bounds[0] == bounds[1]:
        return f"{bounds[0]} bytes on the wire per byte of payload."
    return (
        f"{bounds[0]} to {bounds[1]} bytes on the wire per byte of payload, the fewest "
        f"for {least}."
    )


def range_note(ranking: Ranking) -> str:
    """
    Compare the last cell with the first, and say how busy the load generator was.

    It shows whether a ranking is one of the libraries. The text is empty if no cell was
    measured.
    """
    every = [each.to_best.value for each in ranking.measured if each.to_best]
    if not every:
        return ""
    limited = (
        f"in {ranking.cells_limited_by_engine} of {len(ranking.measured)} cells"
        if ranking.cells_limited_by_engine
        else "in no cell"
    )
    busy = [
        each.outcome.engine_busy_share
        for each in ranking.measured
        if each.outcome.engine_busy_share is not None
    ]
    busy_sentence = (
        f"The engine was busy {number.percent(median(busy))} of the time (median of "
        f"the cells) and the bottleneck {limited}"
        if busy
        else f"The load generator was the bottleneck {limited}"
    )
    ranked = (
        ": these figures rank the load generator, not the libraries"
        if ranking.is_limited_by_engine
        else ""
    )
    return (
        f"{ranking.point}: the last is {number.times(every[-1])} the first by "
        f"{ranking.figure.title}. {busy_sentence}{ranked}."
    )


def caution(ranked: Sequence[Ranking]) -> str:
    """
    Name the workloads, after the first, in which most cells are limited by the engine.

    The text is empty if there are none.
    """
    names = [each.point for each in ranked[1:] if each.is_limited_by_engine]
    if not names:
        return ""
    return (
        f"In {listed(names)} the load generator was the bottleneck of most libraries, "
        f"so those figures rank the load generator."
    )


def to_best(standing: Standing, ranking: Ranking) -> str:
    """Format the ratio to the best, with a sign if it is a bound; empty without one."""
    if not ranking.measured:
        return ""
    return _ratio(standing, standing.to_best, ranking.measured[0])


def to_reference(standing: Standing, ranking: Ranking) -> str:
    """Format the ratio to the reference, with a sign if it is a bound."""
    if not ranking.reference:
        return ""
    return _ratio(standing, standing.to_reference, ranking.reference)


def _ratio(standing: Standing, ratio: Ratio | None, other: Standing) -> str:
    if ratio is None:
        return ""
    if standing.name == other.name:
        return number.times(ratio.value)
    is_bound = [each.is_bound for each in (standing, other)]
    if all(is_bound):
        return f"~ {number.times(ratio.value)}"
    signs = ("≤ ", "≥ ") if standing.figure.better == "lower" else ("≥ ", "≤ ")
    sign = signs[0] if is_bound[0] else signs[1] if is_bound[1] else ""
    return f"{sign}{number.times(ratio.value)}"


def ratio_detail(ratio: Ratio | None) -> str:
    """Format the bounds of a ratio, or ``indistinguishable`` if it includes 1."""
    if not ratio or not ratio.confidence or ratio.low == ratio.value == ratio.high:
        return ""
    if not ratio.is_distinguishable:
        return "" if ratio.value == 1 else "indistinguishable"
    return number.between(ratio.low, ratio.high, like=ratio.value)


def bound_note() -> str:
    """Explain the signs before figures that are bounds."""
    return (
        f"≤ and ≥ mark bounds: the load generator was busy at least "
        f"{number.percent(BUSY_SHARE_MIN)} of the time, so the contestant may be "
        f"faster than shown. ~ marks a ratio of two such figures: it may be more or "
        f"less."
    )


def failed_note(outcome: Outcome) -> str:
    """Count failed repetitions; empty if none failed or nothing was measured."""
    failed = sum(each.is_counted for each in outcome.failures)
    if not (failed and outcome.measured):
        return ""
    return (
        f"{number.count(failed, 'repetition')} failed; the figures are those of the "
        f"other {outcome.measured}."
    )
