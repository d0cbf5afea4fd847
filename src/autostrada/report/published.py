"""Published figures next to our measurements, table by table."""

from collections.abc import Mapping
from dataclasses import dataclass

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.experiment.publication import PublishedCell, PublishedTable
from autostrada.report import figures, number
from autostrada.report.results import Outcome, Results
from autostrada.report.samples import Sampled, ratio_bounds
from autostrada.stats.figures import FIGURES, Figure

UNMEASURED = "not tested"

RATIO_MIN = 0.01
"""A smaller ratio is written as ``1/n×``, because its decimals would be zeros."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """One published figure and ours of the same cell, formatted."""

    cell: Cell
    theirs: str
    """The published figure with its unit, or the note published in its place."""

    note: str
    """Note published with the figure; ``""`` if there is none."""

    ours: str
    """Our median; ``""`` if there is none."""

    bounds: str
    """Bounds of our interval; ``""`` if there are none."""

    ratio: str
    """Our figure divided by the published one; ``""`` if one of them is missing."""

    ratio_bounds: str
    bottleneck: str
    """Bottleneck of our measurement; ``""`` if nothing was measured."""

    evidence: str
    """Evidence for the bottleneck; ``""`` if nothing was measured."""

    absence: str
    """Why our figure is missing, or what broke in most of its trials; else ``""``."""

    to_best: str
    """
    Both figures relative to the best of their table: ``theirs · ours``.

    It is ``""`` if too few published figures exist to have a best.
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
    figure: Figure
    who: str
    """Server and client of all cells; ``""`` if the rows name them."""

    rows_title: str
    columns_title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def published_tables(results: Results) -> list[PairTable]:
    """Return the published tables of an experiment, in the order of the publication."""
    if not results.publication:
        return []
    return [_table(table, results) for table in results.publication.table]


def parameters(workload: str) -> dict[str, str]:
    """Return the parameters in the name of a point: see ``point_name``."""
    return dict(word.split("=", 1) for word in workload.split()[1:])


def named(value: float | str, title: str) -> str:
    """Format the value of a parameter as the header of a row or column."""
    return f"{title} {value}"


def _table(table: PublishedTable, results: Results) -> PairTable:
    figure = FIGURES[table.figure]
    bests = _bests(table, figure, results)
    pairs = {
        table.cell(published): _pair(published, table, bests, results)
        for published in table.cells
    }
    is_grid = bool(table.rows and table.columns) and all(
        {table.rows, table.columns} <= parameters(cell.workload).keys()
        for cell in pairs
    )
    columns, rows = _grid(table, pairs) if is_grid else _list(table, pairs, results)
    return PairTable(
        title=table.title,
        figure=figure,
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
        for found in (parameters(cell.workload),)
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


def measured(cell: Cell, figure: Figure, results: Results) -> float | None:
    """Return our median of a figure of a cell; ``None`` if it was not measured."""
    outcome = results.outcomes.get(cell)
    sampled = outcome.figures.get(figure.name) if outcome else None
    return sampled.interval.median if sampled else None


def _bests(
    table: PublishedTable, figure: Figure, results: Results
) -> tuple[float | None, float | None]:
    """
    Return the best published figure of a table, and the best of ours.

    Either is ``None`` if there are fewer than three figures.
    """
    choose = max if figure.better == "higher" else min
    theirs = [each.value for each in table.cells if each.value is not None]
    ours = [measured(table.cell(each), figure, results) for each in table.cells]
    known = [each for each in ours if each is not None]
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
    cell, figure = table.cell(published), FIGURES[table.figure]
    outcome = results.outcomes.get(cell)
    sampled = outcome.figures.get(figure.name) if outcome else None
    theirs = published.value
    return Pair(
        cell=cell,
        theirs=published.note if theirs is None else figures.written(figure, theirs),
        note="" if theirs is None else published.note,
        ours=outcome.written(figure) if outcome and sampled else "",
        bounds=figures.bounds(figure, sampled.interval) if sampled else "",
        ratio=_ratio(sampled, theirs, outcome.sign(figure) if outcome else ""),
        ratio_bounds=_ratio_bounds(sampled, theirs),
        bottleneck=bottleneck_word(outcome),
        evidence=outcome.verdict.evidence if outcome and outcome.verdict else "",
        absence=_absence(outcome, sampled),
        to_best=" · ".join(
            (
                _to_best(theirs, bests[0]),
                _to_best(sampled.interval.median if sampled else None, bests[1]),
            )
        )
        if bests[0]
        else "",
    )


def bottleneck_word(outcome: Outcome | None) -> str:
    """Return the name of a cell's bottleneck; empty if the cell was not measured."""
    if not (outcome and outcome.verdict):
        return ""
    return str(outcome.verdict.bottleneck)


def _absence(outcome: Outcome | None, sampled: Sampled | None) -> str:
    if outcome is None:
        return UNMEASURED
    if not sampled:
        return outcome.absence or "not known for this cell"
    return outcome.problem


def _ratio(sampled: Sampled | None, theirs: float | None, sign: str) -> str:
    """Format our figure divided by theirs; if ours is a bound, the ratio is one too."""
    if not (sampled and theirs):
        return ""
    ratio = sampled.interval.median / theirs
    if 0 < ratio < RATIO_MIN:
        return f"{sign}1/{number.plain(1 / ratio)}{number.TIMES}"
    return f"{sign}{number.times(ratio)}"


def _ratio_bounds(sampled: Sampled | None, theirs: float | None) -> str:
    if not (sampled and theirs and sampled.interval.confidence):
        return ""
    interval = sampled.interval
    low, high, middle = (
        each / theirs for each in (interval.low, interval.high, interval.median)
    )
    return "" if middle < RATIO_MIN else ratio_bounds(low, high, like=middle)
