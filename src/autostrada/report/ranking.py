"""Who is the best in each workload, by how much, and what the bottleneck was."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report import number
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

MILLION = number.plain(1_000_000)


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One cell of a ranking, with figures, failures, or both."""

    name: str
    """What tells its cell from the others of the ranking."""

    outcome: Outcome
    figure: Figure
    """By which it is ranked."""

    rank: int | None = None
    """
    From 1, shared where indistinguishable. The reference has none, and one sample
    establishes none.
    """

    to_best: Ratio | None = None
    to_reference: Ratio | None = None

    @property
    def is_reference(self) -> bool:
        """Whether both ends are the engine, the upper bound."""
        return self.outcome.cell.contestant == REFERENCE

    @property
    def sampled(self) -> Sampled | None:
        """The figure by which it is ranked; None where it was not measured."""
        return self.outcome.figures.get(self.figure.name)

    @property
    def variation(self) -> str:
        """How far the repetitions scatter; empty for one."""
        share = coefficient_of_variation(self.sampled.values) if self.sampled else None
        return (
            "" if share is None else number.percent(share, number.decimals(100 * share))
        )

    def is_limited(self, bottleneck: Bottleneck) -> bool:
        """Whether that was its bottleneck."""
        verdict = self.outcome.verdict
        return bool(verdict and verdict.bottleneck is bottleneck)


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One point of a workload: the reference apart, the best first, the failed last."""

    point: str
    workload: Workload
    figure: Figure
    reference: Standing | None
    standings: tuple[Standing, ...]

    @property
    def every(self) -> list[Standing]:
        """The reference, where it takes part, and the others."""
        return [*([self.reference] if self.reference else []), *self.standings]

    @cached_property
    def measured(self) -> list[Standing]:
        """Those with figures, the best first, without the reference."""
        return [each for each in self.standings if each.sampled]

    @property
    def leaders(self) -> list[Standing]:
        """Those that share the first rank, or the best where none has one."""
        return [each for each in self.measured if each.rank == 1] or self.measured[:1]

    @property
    def has_bounds(self) -> bool:
        """Whether a figure of it is a bound."""
        verdicts = (each.outcome.verdict for each in self.every)
        return any(each.is_lower_bound for each in verdicts if each)

    @property
    def limited_by_engine(self) -> int:
        """In how many cells the load generator was the bottleneck."""
        return sum(each.is_limited(Bottleneck.LOAD_GENERATOR) for each in self.measured)

    @property
    def is_of_engine(self) -> bool:
        """Whether that was so in most of them."""
        return 2 * self.limited_by_engine > len(self.measured)


def rankings(results: Results) -> list[Ranking]:
    """Return a ranking of each point at which there is more than one cell."""
    cells: dict[str, list[Outcome]] = defaultdict(list)
    tried = {each.at(value) for each in results.searches for value in each.tried}
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
    """Whether the ranking is the answer: everybody does the same, without a sweep."""
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
    """Yield standings with their ranks and ratios."""
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
    """Return the figure that tells the cells of a point apart."""
    if getattr(workload, "search", None) and point == workload.name:
        return FIGURES["capacity_connections"]
    if isinstance(workload, Push):
        return FIGURES["ms_per_million"]
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
    """Name cells by their ends, without one that is the engine in all of them."""
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
    """Say who won and by how much, and whether that ranks the libraries at all."""
    first = ranking.leaders
    if not first:
        return "No library was measured."
    names = listed([each.name for each in first])
    others = ranking.measured[len(first) :]
    best = "the fastest" if isinstance(ranking.workload, Push) else "the best"
    if len(first) == 1 and not others:
        return f"{names} is the only library that was measured."
    if first[0].rank is None:
        sentences = [f"{names} was {best} in its only repetition."]
    elif len(first) == 1:
        sentences = [f"{names} is {best}."]
    else:
        repetitions = number.count(_repetitions(first[0]), "repetition")
        sentences = [f"{names} are {best}: {repetitions} do not distinguish them."]
    if others and others[0].to_best:
        behind = number.times(others[0].to_best.value)
        taken = (
            f"takes {behind} as long"
            if isinstance(ranking.workload, Push)
            else f"has {behind} its {ranking.figure.title}"
        )
        sentences.append(f"The next, {others[0].name}, {taken}.")
    if ranking.is_of_engine:
        sentences.append(
            f"But the load generator was the bottleneck for "
            f"{ranking.limited_by_engine} of {len(ranking.measured)}: this ranks the "
            f"load generator, not the libraries."
        )
    return " ".join(sentences)


def _repetitions(standing: Standing) -> int:
    return len(standing.sampled.values) if standing.sampled else 0


def reason(ranking: Ranking) -> str:
    """Say what the bottleneck of the best was, with the evidence."""
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
    """Say what a byte of payload is on the wire; empty where it was not recorded."""
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


def ceiling(ranking: Ranking) -> str:
    """Say whether a ranking is of the libraries; empty without figures."""
    every = [each.to_best.value for each in ranking.measured if each.to_best]
    if not every:
        return ""
    limited = (
        f"in {ranking.limited_by_engine} of {len(ranking.measured)} cells"
        if ranking.limited_by_engine
        else "in no cell"
    )
    busy = [
        each.outcome.engine_busy_share
        for each in ranking.measured
        if each.outcome.engine_busy_share is not None
    ]
    said = (
        f"The engine was busy {number.percent(median(busy))} of the time (median of "
        f"the cells) and the bottleneck {limited}"
        if busy
        else f"The load generator was the bottleneck {limited}"
    )
    ranked = (
        ": these figures rank the load generator, not the libraries"
        if ranking.is_of_engine
        else ""
    )
    return (
        f"{ranking.point}: the last is {number.times(every[-1])} the first by "
        f"{ranking.figure.title}. {said}{ranked}."
    )


def caution(ranked: Sequence[Ranking]) -> str:
    """Name the workloads after the first that rank the engine; empty without any."""
    names = [each.point for each in ranked[1:] if each.is_of_engine]
    if not names:
        return ""
    return (
        f"In {listed(names)} the load generator was the bottleneck of most libraries: "
        f"there the figures rank the load generator."
    )


def to_best(standing: Standing, ranking: Ranking) -> str:
    """Write the ratio to the best, as a bound where it is one; empty without a best."""
    if not ranking.measured:
        return ""
    return _ratio(standing, standing.to_best, ranking.measured[0])


def to_reference(standing: Standing, ranking: Ranking) -> str:
    """Write the ratio to the reference, as a bound where it is one."""
    if not ranking.reference:
        return ""
    return _ratio(standing, standing.to_reference, ranking.reference)


def _ratio(standing: Standing, ratio: Ratio | None, other: Standing) -> str:
    if ratio is None:
        return ""
    if standing.name == other.name:
        return number.times(ratio.value)
    is_bound = [_is_bound(each) for each in (standing, other)]
    if all(is_bound):
        return f"~ {number.times(ratio.value)}"
    signs = ("≤ ", "≥ ") if standing.figure.better == "lower" else ("≥ ", "≤ ")
    sign = signs[0] if is_bound[0] else signs[1] if is_bound[1] else ""
    return f"{sign}{number.times(ratio.value)}"


def _is_bound(standing: Standing) -> bool:
    verdict = standing.outcome.verdict
    return bool(verdict and verdict.is_lower_bound)


def ratio_detail(ratio: Ratio | None) -> str:
    """Write the bounds of a ratio, or that it is not distinguishable from 1."""
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
    """Say how many repetitions failed where others did not; else it is empty."""
    failed = sum(each.is_counted for each in outcome.failures)
    if not (failed and outcome.measured):
        return ""
    return (
        f"{number.count(failed, 'repetition')} failed, the figures are those of the "
        f"other {outcome.measured}."
    )
