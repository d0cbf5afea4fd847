"""The page of a contestant over runs."""

from collections.abc import Sequence
from pathlib import Path

from autostrada.report import number
from autostrada.report.charts.trend import trend_chart
from autostrada.report.metrics import bounds, written
from autostrada.report.pages.blocks import (
    Block,
    Figure,
    Folded,
    Heading,
    Page,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableColumn,
    TableRow,
)
from autostrada.report.pages.document import write_html
from autostrada.report.trend import Trend, TrendPoint
from autostrada.stats.interval import Interval


def trend_page(contestant: str, trends: Sequence[Trend]) -> Page:
    """Return the page: what the runs tell, their chart, and a table of each trend."""
    return Page(
        title=f"{contestant} · Autostrada",
        overline="Autostrada · trend",
        heading=f"{contestant} over runs",
        at="",
        meta=(),
        sections=(
            Section(title="", blocks=tuple(map(_conclusion, trends))),
            Section(
                title="Change since the first run",
                blocks=(_figure(contestant, trends),),
            ),
            *(Section(title=trend.title, blocks=(_table(trend),)) for trend in trends),
        ),
        footer="Created by Autostrada. The page loads nothing from the network.",
    )


def write_trend_page(contestant: str, trends: Sequence[Trend], path: Path) -> None:
    """
    Write the page to a file.

    Raises:
        UsageError: the file cannot be written.
    """
    page = trend_page(contestant, trends)
    write_html(page, path, "choose another path for --page")


def trend_blocks(contestant: str, trends: Sequence[Trend]) -> tuple[Block, ...]:
    """Return what the runs tell and their chart, and below it the folded tables."""
    tables: list[Block] = []
    for trend in trends:
        tables += Heading(text=trend.title), _table(trend)
    return (
        *map(_conclusion, trends),
        _figure(contestant, trends),
        Folded(summary="each run", blocks=tuple(tables)),
    )


def _conclusion(trend: Trend) -> Paragraph:
    return Paragraph(text=f"{trend.title}: {trend.conclusion}.", kind="further")


def _figure(contestant: str, trends: Sequence[Trend]) -> Figure:
    return Figure(name="trend", chart=trend_chart(contestant, trends))


def _table(trend: Trend) -> Table:
    columns = (
        TableColumn(title="run"),
        TableColumn(title="version"),
        TableColumn(title=trend.metric.title, kind="main"),
        TableColumn(title="to engine", kind="number"),
        TableColumn(title=""),
    )
    rows = [
        _row(point, trend, is_new=index in trend.changes)
        for index, point in enumerate(trend.points)
    ]
    return Table(name=trend.title, columns=columns, rows=tuple(rows))


def _row(point: TrendPoint, trend: Trend, *, is_new: bool) -> TableRow:
    interval = Interval(
        median=point.value, low=point.low, high=point.high, confidence=1.0
    )
    to_engine = point.value / point.engine if point.engine else None
    return TableRow(
        cells=(
            f"{point.at:%Y-%m-%d %H:%M}",
            point.version,
            TableCell(
                text=written(trend.metric, point.value),
                detail=bounds(trend.metric, interval),
                value=point.value,
                low=point.low,
                high=point.high,
            ),
            TableCell(
                text=number.times(to_engine) if to_engine else "", value=to_engine
            ),
            "changed" if is_new else "",
        )
    )
