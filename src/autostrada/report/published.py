"""Published values next to our measurements, table by table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.experiment.publication import (
    Bound,
    PublishedCell,
    PublishedTable,
    System,
)
from autostrada.report import metrics, number
from autostrada.report.results import Outcome, Results
from autostrada.report.samples import Sampled, ratio_bounds
from autostrada.stats.claim import Finding, within
from autostrada.stats.interval import Interval
from autostrada.stats.metrics import METRICS, Metric

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
    """One published value and ours of the same cell, formatted."""

    cell: Cell
    theirs: str
    """The published values as published, or the note in their place."""

    note: str
    """Note published with the metric; ``""`` if there is none."""

    ours: str
    """Our median; ``""`` if there is none."""

    bounds: str
    """Bounds of our interval; ``""`` if there are none."""

    ratio: str
    """
    Our value divided by the published one, or whether it is within a published bound.

    It is ``""`` if one of the two metrics is missing or 0.
    """

    ratio_bounds: str
    bottleneck: str
    """Bottleneck of our measurement; ``""`` if nothing was measured."""

    evidence: str
    """Evidence for the bottleneck; ``""`` if nothing was measured."""

    shortened: str
    """Durations of our trial and of the published one; ``""`` if ours is as long."""

    is_tested: bool
    """Whether the run includes the cell."""

    absence: str
    """
    Why the metric of a tested cell is missing, or what broke in most of its trials.

    It is ``""`` for all other cells.
    """

    to_best: str
    """
    Both metrics relative to the best of their table: ``theirs · ours``.

    It is ``""`` if too few published values exist to have a best.
    """


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One row of a table."""

    name: str
    pairs: tuple[Pair | None, ...]
    """A pair for each column; ``None`` if nothing was published there."""


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

    @property
    def pairs(self) -> list[Pair]:
        """All pairs of the table."""
        return [pair for row in self.rows for pair in row.pairs if pair]

    @property
    def has_ratios_to_best(self) -> bool:
        """Whether both metrics are shown relative to the best of the table."""
        return bool(self.pairs[0].to_best)

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


def systems(results: Results) -> tuple[System, ...]:
    """Return every system that the publication names, in the order of its file."""
    return results.publication.system if results.publication else ()


def substitutes(system: System) -> list[str]:
    """Return the contestants of a system; the reference is called ``engine``."""
    return ["engine" if name == REFERENCE else name for name in system.by]


def published_tables(results: Results) -> list[PairTable]:
    """Return the published tables of an experiment, in the order of the publication."""
    if not results.publication:
        return []
    return [_table(table, results) for table in results.publication.table]


def named(value: float | str, title: str) -> str:
    """Format the value of a parameter as the header of a row or column."""
    return f"{title} {value}"


def _table(table: PublishedTable, results: Results) -> PairTable:
    metric = METRICS[table.metric]
    bests = _bests(table, metric, results)
    pairs = {
        table.cell(published): _pair(published, table, bests, results)
        for published in table.cells
    }
    is_grid = bool(table.rows and table.columns) and all(
        {table.rows, table.columns} <= cell.point.parameters.keys() for cell in pairs
    )
    columns, rows = _grid(table, pairs) if is_grid else _list(table, pairs, results)
    return PairTable(
        title=table.title,
        metric=metric,
        unit=table.unit.name if table.unit else "",
        who=" → ".join(_ends(table)),
        rows_title=(table.rows or "") if is_grid else "",
        columns_title=(table.columns or "") if is_grid else "",
        columns=columns,
        rows=rows,
    )


def _ends(table: PublishedTable) -> list[str]:
    """Return the contestants among the table's server and client."""
    return [name for name in (table.server, table.client) if name != REFERENCE]


def _grid(
    table: PublishedTable, pairs: Mapping[Cell, Pair]
) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    """Lay out pairs by two parameters, in order of first appearance."""
    assert table.rows, "a grid has rows"
    assert table.columns, "a grid has columns"
    placed = {
        (found[table.rows], found[table.columns]): pair
        for cell, pair in pairs.items()
        for found in (cell.point.parameters,)
    }
    columns = tuple(dict.fromkeys(column for _, column in placed))
    return columns, tuple(
        Row(name=row, pairs=tuple(placed.get((row, column)) for column in columns))
        for row in dict.fromkeys(row for row, _ in placed)
    )


def _list(
    table: PublishedTable, pairs: Mapping[Cell, Pair], results: Results
) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    """Lay out pairs as a list, named by the parts in which their cells differ."""
    return ("",), tuple(
        Row(name=_name(cell, table, results), pairs=(pair,))
        for cell, pair in pairs.items()
    )


def _name(cell: Cell, table: PublishedTable, results: Results) -> str:
    ends = [
        name
        for name, usual in ((cell.server, table.server), (cell.client, table.client))
        if name != usual
    ]
    outcome = results.outcomes.get(cell)
    return " · ".join([*ends, outcome.workload if outcome else cell.workload])


def measured(cell: Cell, metric: Metric, results: Results) -> float | None:
    """Return our median of a metric of a cell; ``None`` if it was not measured."""
    outcome = results.outcomes.get(cell)
    sampled = outcome.metrics.get(metric.name) if outcome else None
    return sampled.interval.median if sampled else None


def _bests(
    table: PublishedTable, metric: Metric, results: Results
) -> tuple[float | None, float | None]:
    """
    Return the best published value of a table, and the best of ours.

    Either is ``None`` if there are fewer than three metrics.
    """
    choose = max if metric.better == "higher" else min
    theirs = [value for cell in table.cells for value in table.values(cell)]
    ours = [measured(table.cell(cell), metric, results) for cell in table.cells]
    known = [our for our in ours if our is not None]
    return tuple(  # type: ignore[return-value]
        choose(values) if len(values) > 2 else None for values in (theirs, known)
    )


def _to_best(value: float | None, best: float | None) -> str:
    return number.times(value / best) if value is not None and best else "–"


def _pair(
    published: PublishedCell,
    table: PublishedTable,
    bests: tuple[float | None, float | None],
    results: Results,
) -> Pair:
    cell, metric, unit = table.cell(published), METRICS[table.metric], table.unit
    outcome = results.outcomes.get(cell)
    sampled = outcome.metrics.get(metric.name) if outcome else None
    sign = outcome.sign(metric) if outcome else ""
    theirs = table.values(published)
    median = sampled.interval.median if sampled else None
    return Pair(
        cell=cell,
        theirs=_theirs(published, table),
        note=published.note if theirs else "",
        ours="" if median is None else sign + metrics.written(metric, median, unit),
        bounds=metrics.bounds(metric, sampled.interval, unit) if sampled else "",
        ratio=_compared(published, sampled, theirs, sign),
        ratio_bounds="" if published.bound else _ratio_bounds(sampled, theirs),
        bottleneck=outcome.bottleneck if outcome else "",
        evidence=outcome.evidence if outcome else "",
        shortened=_shortened(cell, table, results) if sampled else "",
        is_tested=outcome is not None,
        absence=_absence(outcome, sampled),
        to_best=" · ".join(
            (
                _to_best(theirs[0] if theirs else None, bests[0]),
                _to_best(median, bests[1]),
            )
        )
        if bests[0]
        else "",
    )


def _shortened(cell: Cell, table: PublishedTable, results: Results) -> str:
    """Say how long our trial and the published one were, if ours was shorter."""
    point = results.points.get(cell.workload)
    ours = getattr(point, point.duration_parameter) if point else None
    if ours is None or table.seconds is None or ours >= table.seconds:
        return ""
    return f"{number.exact(ours)} s instead of {number.exact(table.seconds)} s"


def _theirs(published: PublishedCell, table: PublishedTable) -> str:
    """Format the published values of a cell, or return the note in their place."""
    if not published.values:
        return published.note
    sign = BOUND_SIGNS[published.bound] if published.bound else ""
    metric, unit = METRICS[table.metric], table.unit
    return sign + " or ".join(
        metrics.written(metric, value) if unit is None else number.exact(value)
        for value in published.values
    )


def _absence(outcome: Outcome | None, sampled: Sampled | None) -> str:
    if outcome is None:
        return ""
    if not sampled:
        return outcome.absence or "not known for this cell"
    return outcome.problem


def _compared(
    published: PublishedCell,
    sampled: Sampled | None,
    theirs: Sequence[float],
    sign: str,
) -> str:
    """Compare our value with the published ones; empty if one of them is missing."""
    if not (sampled and theirs):
        return ""
    if published.bound:
        return _within_bound(published.bound, sampled.interval, theirs[0], sign)
    ratios = (sampled.interval.median / value for value in theirs if value)
    return " or ".join(filter(None, (_ratio(ratio, sign) for ratio in ratios)))


def _within_bound(bound: Bound, interval: Interval, theirs: float, sign: str) -> str:
    """Say whether our value is within a published bound; empty if inconclusive."""
    low = -inf if sign.startswith("≤") else interval.low
    high = inf if sign.startswith("≥") else interval.high
    finding = within(
        low,
        high,
        at_least=theirs if bound == "at_least" else None,
        at_most=theirs if bound == "at_most" else None,
    )
    return BOUND_TEXTS[finding]


def _ratio(ratio: float, sign: str) -> str:
    """Format our value divided by theirs; if ours is a bound, the ratio is one too."""
    if RATIO_MIN <= ratio <= RATIO_MAX:
        return f"{sign}{number.times(ratio)}"
    if 0 < ratio < RATIO_MIN and not sign.startswith("≥"):
        return f"<{RATIO_MIN}{number.TIMES}"
    if ratio > RATIO_MAX and not sign.startswith("≤"):
        return f">{RATIO_MAX}{number.TIMES}"
    return ""


def _ratio_bounds(sampled: Sampled | None, theirs: Sequence[float]) -> str:
    """Format the bounds of the ratio to a single published value within the limits."""
    if not (sampled and len(theirs) == 1 and theirs[0] and sampled.interval.confidence):
        return ""
    interval = sampled.interval
    low, high, middle = (
        value / theirs[0] for value in (interval.low, interval.high, interval.median)
    )
    if not RATIO_MIN <= middle <= RATIO_MAX:
        return ""
    return ratio_bounds(low, high, like=middle)
