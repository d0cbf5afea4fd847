"""Rankings of the contestants in each workload, with ratios and bottlenecks."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log, sqrt
from statistics import fmean, median, variance

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report import metrics, number
from autostrada.report.cold import COLD, LABELS, cold_messages
from autostrada.report.overview import ends
from autostrada.report.results import Outcome, Results
from autostrada.report.samples import Sampled, ratio_of
from autostrada.stats.interval import Interval
from autostrada.stats.metrics import METRICS, PER_CPU, Metric
from autostrada.stats.rank import shared_ranks
from autostrada.stats.ratio import Ratio
from autostrada.stats.slices import (
    SliceComparison,
    SliceEstimate,
    compare_slices,
)
from autostrada.stats.variation import coefficient_of_variation
from autostrada.stats.verdict import Bottleneck
from autostrada.workloads.workload import Workload

NOT_STEADY = "not yet steady"

GROWTH = METRICS["rate_growth"]

RATES = ("achieved_per_s", "received_per_s", "messages_per_s")
"""Metrics by the clock: that of a cell in slices is the first one that it has."""

BIAS = "slices_cost_ratio"
"""Metric of what measuring in slices adds."""

MEDIAN_DISTANCE = 0.6745
"""Median distance of a normal distribution from its mean, in standard deviations."""

GROWTH_MAX = 1.25
"""
Largest ratio of the rate in a window's second half to that in its first, if steady.

At this ratio the mean rate of the window is a ninth below that of its second half.
"""

COLD_RATIO_MAX = 1.1
"""Ratio of the cold to the warm time, or its inverse, up to which they are alike."""


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

    estimate: SliceEstimate | None = None
    """What its slices tell; ``None`` if the cell is not ranked by slices."""

    speed_factor: float = 1.0
    """
    What measured rates are multiplied by, for slices.

    It brings all cells to the same speed of the machine, so that the ratio of two shown
    rates is that of the comparison.
    """

    @property
    def is_reference(self) -> bool:
        """Whether both ends are the engine, the upper bound."""
        return self.outcome.cell.contestant == REFERENCE

    @property
    def sampled(self) -> Sampled | None:
        """Samples of the ranked metric; ``None`` if it was not measured, or grew."""
        return None if self.is_unsteady else self.outcome.metrics.get(self.metric.name)

    @property
    def interval(self) -> Interval | None:
        """
        The ranked metric with its bounds; ``None`` if it was not measured.

        For slices the bounds are those of its ratio to the best, the only ones that do
        not depend on the speed of the machine.
        """
        sampled, half = self.sampled, self.estimate and self.estimate.half_width
        if not (sampled and self.estimate):
            return sampled.interval if sampled else None
        middle = self.speed_factor * sampled.interval.median
        return Interval(
            median=middle,
            low=middle / (1 + half) if half else middle,
            high=middle * (1 + half) if half else middle,
            confidence=self.estimate.to_best.confidence,
        )

    @property
    def is_unsteady(self) -> bool:
        """Whether the rate of a closed loop grew significantly within its window."""
        growth = self.outcome.metrics.get(GROWTH.name)
        # One trial does not tell a warm-up from chance, and has no rank.
        if growth is None or not growth.interval.confidence:
            return False
        return growth.interval.low > GROWTH_MAX

    @property
    def text(self) -> str:
        """The ranked metric with its unit, or why there is none; empty if unknown."""
        if self.interval is None:
            return NOT_STEADY if self.is_unsteady else ""
        middle = self.interval.median
        is_rate = self.metric.name == PER_CPU
        value = number.rate(middle) if is_rate else metrics.written(self.metric, middle)
        return self.outcome.sign(self.metric) + value

    @property
    def by_the_clock(self) -> float | None:
        """Messages per second in slices by the clock; ``None`` if not measured."""
        known = self.outcome.metrics
        name = next((name for name in RATES if name in known), None)
        return self.speed_factor * known[name].interval.median if name else None

    @property
    def cold_text(self) -> str:
        """The time of the first messages, with their number; empty if unknown."""
        messages = cold_messages(self.outcome)
        if messages is None:
            return ""
        return f"{self.outcome.written(COLD[messages])}/{LABELS[messages]}"

    @property
    def cold_ratio(self) -> float | None:
        """Ratio of the cold time to that in slices; ``None`` without both."""
        messages = cold_messages(self.outcome)
        rate = self.outcome.metrics.get("messages_per_s")
        if messages is None or rate is None or not self.outcome.slices:
            return None
        cold = self.outcome.metrics[COLD[messages].name]
        return cold.interval.median / 1e3 / messages * rate.interval.median

    @property
    def has_other_cold_rate(self) -> bool:
        """Whether the cold rate differs from that in slices."""
        ratio = self.cold_ratio
        return ratio is not None and max(ratio, 1 / ratio) > COLD_RATIO_MAX

    @property
    def variation(self) -> str:
        """Coefficient of variation of the repetitions in percent; empty for one."""
        share = coefficient_of_variation(self.sampled.values) if self.sampled else None
        return (
            "" if share is None else number.percent(share, number.decimals(100 * share))
        )

    @property
    def is_bound(self) -> bool:
        """Whether the ranked metric is a bound: of the load generator, or idle."""
        verdict = self.outcome.verdict
        if self.metric.name == PER_CPU:
            return bool(self.outcome.sign(self.metric))
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

    slices: SliceComparison | None = None
    """The comparison of all cells in slices; ``None`` if it is one of trials."""

    bias_max: float = 0.0
    """What slices may add to the ratio of two cells, on a logarithmic scale."""

    @property
    def every(self) -> list[Standing]:
        """The reference, if it takes part, followed by all other cells."""
        return [*([self.reference] if self.reference else []), *self.standings]

    @cached_property
    def measured(self) -> list[Standing]:
        """The cells with metrics, the best first, without the reference."""
        return [standing for standing in self.standings if standing.sampled]

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
        """Whether a metric is a bound of the load generator; none is in slices."""
        return self.slices is None and any(standing.is_bound for standing in self.every)

    @property
    def cells_limited_by_engine(self) -> int:
        """Number of measured cells in which the load generator was the bottleneck."""
        return sum(
            standing.is_limited(Bottleneck.LOAD_GENERATOR) for standing in self.measured
        )

    @property
    def is_limited_by_engine(self) -> bool:
        """Whether the load generator decides: it was the bottleneck of most cells."""
        return self.slices is None and 2 * self.cells_limited_by_engine > len(
            self.measured
        )


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
    if metric.name == PER_CPU and any(outcome.slices for outcome in outcomes):
        return _by_slices(point, workload, every)
    others = sorted(
        (standing for standing in every if standing is not reference), key=_best_first
    )
    return Ranking(
        point=point,
        workload=workload,
        metric=metric,
        reference=reference,
        standings=tuple(
            others if workload.rate_source else with_ranks(others, reference)
        ),
    )


def _by_slices(point: str, workload: Workload, every: Sequence[Standing]) -> Ranking:
    """Return a ranking by the CPU time of a message in slices."""
    bias_max = bias_max_of(every)
    slices = {
        standing.name: standing.outcome.slices
        for standing in every
        if standing.outcome.slices
    }
    found = compare_slices(
        {name: each.cpu_ns for name, each in slices.items()},
        {name: each.speeds for name, each in slices.items()},
        bias_max=bias_max,
        unranked={standing.name for standing in every if standing.is_reference},
    )
    estimates = found.estimates if found else {}
    compared = _at_one_speed(
        [
            replace(
                standing,
                estimate=estimate,
                rank=estimate.rank,
                to_best=_as_rates(estimate.to_best),
            )
            if (estimate := estimates.get(standing.name)) and standing.sampled
            else standing
            for standing in every
        ]
    )
    order = [*estimates]
    standings = sorted(
        (standing for standing in compared if not standing.is_reference),
        key=lambda standing: (
            order.index(standing.name) if standing.estimate else len(order),
            _best_first(standing),
        ),
    )
    return Ranking(
        point=point,
        workload=workload,
        metric=METRICS[PER_CPU],
        reference=next((each for each in compared if each.is_reference), None),
        standings=tuple(standings),
        slices=found,
        bias_max=bias_max,
    )


def _at_one_speed(every: Sequence[Standing]) -> list[Standing]:
    """
    Return standings with the factors that bring their rates to the same speed.

    The best one is so fast that the factors have the median 1.
    """
    measured = [
        standing.sampled.interval.median / standing.to_best.value
        if standing.estimate and standing.sampled and standing.to_best
        else None
        for standing in every
    ]
    known = [best for best in measured if best]
    best_per_s = median(known) if known else 0.0
    return [
        replace(standing, speed_factor=best_per_s / best) if best else standing
        for standing, best in zip(every, measured, strict=True)
    ]


def bias_max_of(every: Sequence[Standing]) -> float:
    """
    Return by how much slices may change the ratio of two cells, as a logarithm.

    What slices add to all cells alike cancels in ratios, so it is the median distance
    of a cell from the median of all, less what chance explains: cells also differ in
    what slices add from start to start. The largest distance is rather that of a
    compiler that still worked in the half second before the slices, and is shown, but
    decides no rank.
    """
    by_start = [
        [log(value) for value in found.values if value > 0]
        for standing in every
        if not standing.is_reference and (found := standing.outcome.metrics.get(BIAS))
    ]
    biases = [fmean(values) for values in by_start if values]
    if not biases:
        return 0.0
    usual = median(biases)
    distance = median(abs(bias - usual) for bias in biases)
    errors = [variance(each) / len(each) for each in by_start if len(each) > 1]
    by_chance = MEDIAN_DISTANCE**2 * median(errors) if errors else 0.0
    return sqrt(max(0.0, distance**2 - by_chance))


def _as_rates(costs: Ratio) -> Ratio:
    """Return the ratio of two rates, by that of costs."""
    return Ratio(
        value=1 / costs.value,
        low=1 / costs.high,
        high=1 / costs.low,
        confidence=costs.confidence,
    )


def with_ranks(
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
        yield replace(
            standing,
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
    return [ends(cell) for cell in cells]
