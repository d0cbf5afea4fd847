"""
Long trials over time: does memory grow, and do messages come as evenly at the end?

One trial of each cell, the first that counts. Of cells that were swept only those at
the largest values are drawn: that is where a server gives way.
"""

from collections.abc import Iterable, Iterator, Sequence

import altair as alt

from autostrada.experiment.matrix import Cell
from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.experiment.charts.axis import value_axis
from autostrada.report.experiment.charts.sweep import LINES_MAX, parsed
from autostrada.report.experiment.figure import Unit
from autostrada.store.reader import Row

HEIGHT_PX = 240
DRAWN: dict[str, tuple[str, Unit]] = {
    "server_memory_bytes": ("memory of the server", "bytes"),
    "client_memory_bytes": ("memory of all clients", "bytes"),
    "received_per_s": ("messages received a second", "per_s"),
}


def course_charts(looks: Sequence[Row]) -> Iterator[Drawing]:
    """Draw each figure of the looks, in charts of no more lines than colours."""
    cells = _largest(dict.fromkeys(map(_cell, looks)))
    for figure in DRAWN:
        rows = [row for row in looks if row["figure"] == figure]
        known = {_cell(row) for row in rows}
        having = [cell for cell in cells if cell in known]
        for first in range(0, len(having), LINES_MAX):
            yield _drawing(figure, having[first : first + LINES_MAX], rows)


def _cell(row: Row) -> Cell:
    return Cell(server=row["server"], client=row["client"], workload=row["workload"])


def _largest(cells: Iterable[Cell]) -> list[Cell]:
    """Return, of each workload, server and client, the cell at the largest values."""
    largest: dict[tuple[str, str, str], Cell] = {}
    for cell in sorted(cells, key=lambda cell: [*parsed(cell)[1].values()]):
        largest[parsed(cell)[0], cell.server, cell.client] = cell
    return sorted(largest.values())


def _drawing(figure: str, cells: Sequence[Cell], rows: Sequence[Row]) -> Drawing:
    words, unit = DRAWN[figure]
    labels = {cell: str(cell) for cell in cells}
    colours = {
        label: theme.series_colour(place) for place, label in enumerate(labels.values())
    }
    drawn = [
        {
            "line": labels[_cell(row)],
            "server": row["server"],
            "client": row["client"],
            "workload": row["workload"],
            "at_s": row["at_s"],
            figure: row["value"],
        }
        for row in rows
        if _cell(row) in labels
    ]
    chart = (
        alt.Chart(alt.InlineData(values=drawn))
        .mark_line(strokeWidth=1.5)
        .encode(
            x=_time_axis(),
            y=value_axis(figure, [row[figure] for row in drawn], unit),
            color=alt.Color(
                "line:N",
                scale=alt.Scale(domain=list(colours), range=list(colours.values())),
                legend=None,
            ),
        )
        .properties(height=HEIGHT_PX)
    )
    return Drawing(
        title=f"{words}, over the time of one trial",
        legend=tuple(
            Key(label=label, colour=colour, shape="line")
            for label, colour in colours.items()
        ),
        spec=theme.document(chart, f"{words} over time, for {', '.join(colours)}."),
    )


def _time_axis() -> alt.X:
    return alt.X(
        "at_s:Q",
        axis=alt.Axis(
            labelExpr="format(datum.value, ',~r') + ' s'",
            labelColor=theme.MUTED,
            tickCount=6,
            grid=False,
        ),
    )
