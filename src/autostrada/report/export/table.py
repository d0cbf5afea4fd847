"""A table as a file of comma-separated values: full precision, one unit a column."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autostrada.report.charts.theme import Drawing


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Rows of values by the names of their columns; what is not known is ``None``."""

    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, object]]


def table_of(rows: Sequence[Mapping[str, object]]) -> Table:
    """Return rows as a table; a column that only some have is empty in the others."""
    columns = dict.fromkeys(name for row in rows for name in row)
    return Table(columns=tuple(columns), rows=rows)


def drawn_table(drawing: Drawing) -> Table:
    """
    Return the rows that a chart is drawn from.

    Of several data sets it is the one with the most columns: the others repeat a part
    of it, or mark what has no figure.
    """
    data: Mapping[str, list[dict[str, Any]]] = drawing.spec["datasets"]
    return table_of(max(data.values(), key=lambda rows: len(rows[0]) if rows else 0))


def csv_text(table: Table) -> str:
    """Write a table as RFC 4180 has it, but with line feeds alone."""
    text = io.StringIO()
    writer = csv.DictWriter(
        text, table.columns, restval="", lineterminator="\n", extrasaction="raise"
    )
    writer.writeheader()
    writer.writerows(table.rows)
    return text.getvalue()
