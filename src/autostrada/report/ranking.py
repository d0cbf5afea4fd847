"""Rankings of the contestants in each workload, with ratios and bottlenecks."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report import number
from autostrada.report.cold import STEADY, cold_ratio, cold_text
from autostrada.report.results import Outcome, Results
from autostrada.report.samples import Sampled, ratio_of
from autostrada.stats.metrics import METRICS, Metric
from autostrada.stats.rank import shared_ranks
from autostrada.stats.ratio import Ratio
from autostrada.stats.steady_rate import GROWTH_MAX
from autostrada.stats.variation import coefficient_of_variation
from autostrada.stats.verdict import Bottleneck
from autostrada.workloads.workload import Workload

NOT_STEADY = "not yet steady"
NOT_OBSERVED = "not observed"

GROWTH = METRICS["rate_growth"]

COLD_RATIO_MAX = 1.1
"""Ratio of the cold to the steady time, or its inverse, up to which they are alike."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One cell of a ranking, with metrics, failures, or both."""

    name: str
    """Short name of the cell, unique within the ranking."""

    outcome: Outcome
    metric: Metric
    """The metric by which the cell is ranked."""

    rank: int | None = None
    """
    Rank from 1; indistinguishable cells share one.

    It is ``None`` for the reference, for a cell without the metric and for a cell with
    one sample. If each cell has a load that depends on its own rate, none has a rank.
    """

    to_best: Ratio | None = None
    """
    Ratio to the first cell with a rank, or without any, to the first cell.

    It is ``None`` for the reference and without the metric.
    """

    to_reference: Ratio | None = None
    """Ratio to the reference; ``None`` if one of them was not measured."""

    @property
    def is_reference(self) -> bool:
        """Whether both ends are the engine, the upper bound."""
        return self.outcome.cell.contestant == REFERENCE

    @property
    def sampled(self) -> Sampled | None:
        """Samples of the ranked metric; ``None`` if it was not measured, or grew."""
        return None if self._is_growing else self.outcome.metrics.get(self.metric.name)

    @property
    def is_unsteady(self) -> bool:
        """Whether the cell was measured, and its rate was not steady."""
        is_without = STEADY.name not in self.outcome.metrics
        return self.outcome.measured > 0 and (
            self._is_growing or (self.metric == STEADY and is_without)
        )

    @property
    def _is_growing(self) -> bool:
        growth = self.outcome.metrics.get(GROWTH.name)
        # One trial does not tell a warm-up from chance, and has no rank.
        if growth is None or not growth.interval.confidence:
            return False
        return growth.interval.low > GROWTH_MAX

    @property
    def text(self) -> str:
        """The ranked metric with its unit, or why there is none; empty if unknown."""
        if self.sampled:
            return self.outcome.written(self.metric)
        if not self.is_unsteady:
            return ""
        is_known = self._is_growing or "rate_is_steady" in self.outcome.metrics
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
        """Whether the ranked metric is a bound, because of the load generator."""
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
    metric: Metric
    reference: Standing | None
    """The engine as its own contestant; ``None`` if it does not take part."""

    standings: tuple[Standing, ...]
    """All cells without the reference: the best first, cells without metrics last."""

    @property
    def every(self) -> list[Standing]:
        """The reference, if it takes part, followed by all other cells."""
        return [*([self.reference] if self.reference else []), *self.standings]

    @cached_property
    def measured(self) -> list[Standing]:
        """The cells with metrics, the best first, without the reference."""
        return [standing for standing in self.standings if standing.sampled]

    @property
    def is_by_steady_rate(self) -> bool:
        """Whether the ranking is by the steady rate, beside which the cold one is."""
        return self.metric == STEADY

    @property
    def leaders(self) -> list[Standing]:
        """The cells of the first rank; without ranks, the best cell."""
        return [
            standing for standing in self.measured if standing.rank == 1
        ] or self.measured[:1]

    @property
    def unranked_before_leaders(self) -> list[Standing]:
        """The cells that are better than the first rank, with one sample each."""
        leaders = self.leaders
        return self.measured[: self.measured.index(leaders[0])] if leaders else []

    @property
    def has_bounds(self) -> bool:
        """Whether the metric of at least one cell is a bound."""
        return any(standing.is_bound for standing in self.every)

    @property
    def cells_limited_by_engine(self) -> int:
        """Number of measured cells in which the load generator was the bottleneck."""
        return sum(
            standing.is_limited(Bottleneck.LOAD_GENERATOR) for standing in self.measured
        )

    @property
    def is_limited_by_engine(self) -> bool:
        """Whether the load generator was the bottleneck in most measured cells."""
        return 2 * self.cells_limited_by_engine > len(self.measured)


def rankings(results: Results) -> list[Ranking]:
    """Return the ranking of each point with more than one cell."""
    cells: dict[str, list[Outcome]] = defaultdict(list)
    for cell, outcome in results.outcomes.items():
        cells[cell.workload].append(outcome)
    return [
        _ranking(point, results.points[point], outcomes)
        for point, outcomes in cells.items()
        if len(outcomes) > 1
    ]


def _ranking(point: str, workload: Workload, outcomes: Sequence[Outcome]) -> Ranking:
    metric = ranked_by(workload, outcomes)
    names = _names([outcome.cell for outcome in outcomes])
    every = [
        Standing(name=name, outcome=outcome, metric=metric)
        for name, outcome in zip(names, outcomes, strict=True)
    ]
    reference = next((standing for standing in every if standing.is_reference), None)
    others = sorted(
        (standing for standing in every if standing is not reference), key=_best_first
    )
    return Ranking(
        point=point,
        workload=workload,
        metric=metric,
        reference=reference,
        standings=tuple(others if workload.rate_source else placed(others, reference)),
    )


def placed(
    ordered: Sequence[Standing], reference: Standing | None
) -> Iterator[Standing]:
    """Yield sorted standings with their ranks and ratios."""
    samples = {
        standing.name: standing.sampled for standing in ordered if standing.sampled
    }
    # One sample can neither have a rank nor decide about that of another cell.
    ranks = shared_ranks(
        [name for name, found in samples.items() if found.interval.confidence],
        lambda one, other: ratio_of(samples[one], samples[other]).is_distinguishable,
    )
    best = samples[next(iter(ranks or samples))] if samples else None
    for standing in ordered:
        found = standing.sampled
        if found is None or best is None:
            yield standing
            continue
        yield Standing(
            name=standing.name,
            outcome=standing.outcome,
            metric=standing.metric,
            rank=ranks.get(standing.name),
            to_best=ratio_of(found, best),
            to_reference=ratio_of(found, reference.sampled)
            if reference and reference.sampled
            else None,
        )


def ranked_by(workload: Workload, outcomes: Sequence[Outcome]) -> Metric:
    """Return the metric by which the cells of a point are ranked."""
    medians = [
        {name: each.interval.median for name, each in outcome.metrics.items()}
        for outcome in outcomes
    ]
    return METRICS[workload.ranking_metric(medians)]


def _best_first(standing: Standing) -> tuple[float, str]:
    if not standing.sampled:
        return float("inf"), standing.name
    value = standing.sampled.interval.median
    return -value if standing.metric.better == "higher" else value, standing.name


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
