"""Published values next to our measurements, table by table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.experiment.published_table import (
    Bound,
    PublishedCell,
    PublishedTable,
)
from autostrada.report import metrics, number
from autostrada.report.bounds import MetricBounds
from autostrada.report.results import Outcome, Results
from autostrada.report.samples import Sampled
from autostrada.stats.claim import ClaimLimits, Finding, within
from autostrada.stats.metrics import METRICS, Metric
from autostrada.workloads.workload import Workload

RATIO_MIN, RATIO_MAX = 0.01, 100
"""Ratios beyond these are written as ``<0.01×`` and ``>100×``: the order of magnitude
differs."""

BOUND_SIGNS: dict[Bound, str] = {
    "at_most": f"≤{number.THIN_SPACE}",
    "at_least": f"≥{number.THIN_SPACE}",
}

BOUND_TEXTS = {
    Finding.CONFIRMED: "within this bound",
    Finding.CONTRADICTED: "beyond this bound",
    Finding.INCONCLUSIVE: "",
}
"""Texts in the place of a ratio if the published value is a bound."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """One published value and ours of the same cell."""

    table: PublishedTable
    published: PublishedCell
    cell: Cell
    values: tuple[float, ...]
    """The published values in the unit of the metric; empty if there are none."""

    outcome: Outcome | None
    """``None`` if the run does not include the cell."""

    point: Workload | None
    """The point of the cell; ``None`` if the experiment does not have it."""

    @property
    def metric(self) -> Metric:
        """The metric of the table."""
        return METRICS[self.table.metric]

    @property
    def sampled(self) -> Sampled | None:
        """Our samples of the metric; ``None`` if there are none."""
        return self.outcome.metrics.get(self.metric.name) if self.outcome else None

    @property
    def median(self) -> float | None:
        """Our median; ``None`` if there is none."""
        return self.sampled.interval.median if self.sampled else None

    @property
    def theirs(self) -> str:
        """The published values as published, or the note in their place."""
        published, unit = self.published, self.table.unit
        if not published.values:
            return published.note
        sign = BOUND_SIGNS[published.bound] if published.bound else ""
        return sign + " or ".join(
            metrics.written(self.metric, value) if unit is None else number.exact(value)
            for value in published.values
        )

    @property
    def note(self) -> str:
        """Note published with the metric; ``""`` if there is none."""
        return self.published.note if self.values else ""

    @property
    def ours(self) -> str:
        """Our median; ``""`` if there is none."""
        if self.median is None:
            return ""
        return self._sign + metrics.written(self.metric, self.median, self.table.unit)

    @property
    def bounds(self) -> str:
        """Bounds of our interval; ``""`` if there are none."""
        if not self.sampled:
            return ""
        return metrics.bounds(self.metric, self.sampled.interval, self.table.unit)

    @property
    def ratio(self) -> str:
        """
        Our value divided by the published one, or whether it is within its bound.

        It is ``""`` if one of the two metrics is missing or 0.
        """
        if self.median is None or not self.values:
            return ""
        if self.published.bound:
            return self._within_bound(self.published.bound)
        ratios = (self.median / value for value in self.values if value)
        return " or ".join(filter(None, (_ratio(each, self._sign) for each in ratios)))

    @property
    def ratio_bounds(self) -> str:
        """Bounds of the ratio to a single published value within the limits."""
        if self.published.bound or not self.sampled or len(self.values) != 1:
            return ""
        interval, [theirs] = self.sampled.interval, self.values
        if not (theirs and interval.confidence):
            return ""
        middle = interval.median / theirs
        if not RATIO_MIN <= middle <= RATIO_MAX:
            return ""
        return metrics.ratio_bounds(
            interval.low / theirs, interval.high / theirs, like=middle
        )

    @property
    def is_tested(self) -> bool:
        """Whether the run includes the cell."""
        return self.outcome is not None

    @property
    def bottleneck(self) -> str:
        """Bottleneck of our measurement; ``""`` if nothing was measured."""
        return self.outcome.bottleneck if self.outcome else ""

    @property
    def evidence(self) -> str:
        """Evidence for the bottleneck; ``""`` if nothing was measured."""
        return self.outcome.evidence if self.outcome else ""

    @property
    def shortened(self) -> str:
        """Durations of our trial and of theirs; ``""`` if ours is as long."""
        point, theirs = self.point, self.table.seconds
        ours = getattr(point, point.duration_parameter) if point else None
        if not self.sampled or ours is None or theirs is None or ours >= theirs:
            return ""
        return f"{number.exact(ours)} s instead of {number.exact(theirs)} s"

    @property
    def absence(self) -> str:
        """
        Why the metric of a tested cell is missing, or what broke in most of its trials.

        It is ``""`` for all other cells.
        """
        if self.outcome is None:
            return ""
        if not self.sampled:
            return self.outcome.absence or "not known for this cell"
        return self.outcome.problem

    @property
    def _sign(self) -> str:
        return self.outcome.sign(self.metric) if self.outcome else ""

    def _within_bound(self, bound: Bound) -> str:
        """Say whether our value is within a published bound; empty if inconclusive."""
        assert self.sampled, "only what was measured is compared"
        ours = MetricBounds(sampled=self.sampled, sign=self._sign)
        theirs = self.values[0]
        limits = (
            ClaimLimits(least=theirs)
            if bound == "at_least"
            else ClaimLimits(most=theirs)
        )
        return BOUND_TEXTS[within(ours.low, ours.high, limits)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One row of a table."""

    name: str
    pairs: tuple[Pair, ...]
    """A pair for each column."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PairTable:
    """
    A published table, laid out by two parameters or as a list.

    A list has a single column, whose name is empty.
    """

    title: str
    metric: Metric
    unit: str
    """The published unit; ``""`` if values are in the unit of the metric."""

    who: str
    """Server and client of all cells; ``""`` if the rows name them."""

    rows_title: str
    columns_title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]
    """All pairs, in the order of the publication."""

    best_published: float | None
    """The best published value; ``None`` if there are fewer than three."""

    best_measured: float | None
    """The best of ours; ``None`` if there are fewer than three."""

    def to_best(self, pair: Pair) -> str:
        """
        Format both metrics relative to the best of the table: ``theirs · ours``.

        It is ``""`` if too few published values exist to have a best.
        """
        if not self.best_published:
            return ""
        theirs = pair.values[0] if pair.values else None
        compared = (
            (theirs, self.best_published),
            (pair.median, self.best_measured),
        )
        return " · ".join(
            number.times(value / best) if value is not None and best else "–"
            for value, best in compared
        )

    @property
    def caption(self) -> str:
        """Contestants, metric, unit and direction of the table."""
        shown = self.metric.title
        if self.unit:
            shown += f", {'as' if ' ' in self.unit else 'in'} {self.unit}"
        if self.metric.better != "neither":
            shown += f", {self.metric.better} is better"
        return " · ".join(filter(None, (self.who, shown)))

    @property
    def untested_note(self) -> str:
        """Sentence with the number of cells that the run does not include, or empty."""
        count = sum(not pair.is_tested for pair in self.pairs)
        if not count:
            return ""
        cells = number.count(len(self.pairs), "cell")
        verb = "is" if count == 1 else "are"
        return f"{number.plain(count, 0)} of {cells} {verb} not tested by this run."


def published_tables(results: Results) -> list[PairTable]:
    """Return the published tables of an experiment, in the order of the publication."""
    if not results.publication:
        return []
    return [_table(table, results) for table in results.publication.table]


def _table(table: PublishedTable, results: Results) -> PairTable:
    pairs = tuple(_pair(published, table, results) for published in table.cells)
    by_cell = {pair.cell: pair for pair in pairs}
    is_grid = table.parameters and all(
        {*table.parameters} <= cell.point.parameters.keys() for cell in by_cell
    )
    if is_grid:
        columns, rows = _grid(table, by_cell)
    else:
        columns = ("",)
        rows = tuple(
            Row(name=_name(pair, table), pairs=(pair,)) for pair in by_cell.values()
        )
    rows_title, columns_title = table.parameters if is_grid else ("", "")
    metric = METRICS[table.metric]
    medians = [pair.median for pair in pairs if pair.median is not None]
    return PairTable(
        title=table.title,
        metric=metric,
        unit=table.unit.name if table.unit else "",
        who=" → ".join(
            name for name in (table.server, table.client) if name != REFERENCE
        ),
        rows_title=rows_title,
        columns_title=columns_title,
        columns=columns,
        rows=rows,
        pairs=pairs,
        best_published=_best([each for pair in pairs for each in pair.values], metric),
        best_measured=_best(medians, metric),
    )


def _pair(published: PublishedCell, table: PublishedTable, results: Results) -> Pair:
    cell = table.cell(published)
    return Pair(
        table=table,
        published=published,
        cell=cell,
        values=table.values(published),
        outcome=results.outcomes.get(cell),
        point=results.points.get(cell.workload),
    )


def _grid(
    table: PublishedTable, pairs: Mapping[Cell, Pair]
) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    """Lay out pairs by two parameters, in order of first appearance."""
    by_row, by_column = table.parameters
    placed = {
        (found[by_row], found[by_column]): pair
        for cell, pair in pairs.items()
        for found in (cell.point.parameters,)
    }
    columns = tuple(dict.fromkeys(column for _, column in placed))
    return columns, tuple(
        Row(name=row, pairs=tuple(placed[row, column] for column in columns))
        for row in dict.fromkeys(row for row, _ in placed)
    )


def _name(pair: Pair, table: PublishedTable) -> str:
    """Name the row of a list by the parts in which its cells differ."""
    cell, outcome = pair.cell, pair.outcome
    ends = [
        name
        for name, usual in ((cell.server, table.server), (cell.client, table.client))
        if name != usual
    ]
    return " · ".join([*ends, outcome.workload if outcome else cell.workload])


def _best(values: Sequence[float], metric: Metric) -> float | None:
    return metric.best(values) if len(values) >= 3 else None


def _ratio(ratio: float, sign: str) -> str:
    """Format our value divided by theirs; if ours is a bound, the ratio is one too."""
    if RATIO_MIN <= ratio <= RATIO_MAX:
        return f"{sign}{number.times(ratio)}"
    if 0 < ratio < RATIO_MIN and not sign.startswith("≥"):
        return f"<{RATIO_MIN}{number.TIMES}"
    if ratio > RATIO_MAX and not sign.startswith("≤"):
        return f">{RATIO_MAX}{number.TIMES}"
    return ""
