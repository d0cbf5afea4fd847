"""What a page says, as text, and its tables as comma-separated values."""

import csv
import io
import json
import re

from autostrada.report.number import THIN_SPACE
from autostrada.report.pages.blocks import Table, TableCell
from autostrada.report.pages.document import as_json


def embedded(html):
    """Return the page inside of an HTML file."""
    data = re.search(r'<script type="application/json" id="page">(.*?)</script>', html)
    return json.loads(data[1])


def words(part):
    """Return all texts of a part of a page or of its JSON, in order, as one text."""
    found = " ".join(_strings(part if isinstance(part, dict) else as_json(part)))
    return re.sub(r"\s+", " ", found.replace(THIN_SPACE, " ")).replace(" : ", ": ")


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            if key not in {"type", "kind", "name", "marks", "table"}:
                yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def tables(part):
    """Yield the tables of a page by name."""
    if isinstance(part, Table):
        yield part.name, part
    for name in getattr(part, "__dataclass_fields__", ()):
        yield from tables(getattr(part, name))
    if isinstance(part, tuple):
        for each in part:
            yield from tables(each)


def table_text(table):
    """Return a table with all lines of its cells, and what stands below a row."""
    rows = [[column.title for column in table.columns]]
    for row in table.rows:
        rows.append([_cell_text(cell) for cell in row.cells])
        rows += [[f"  {words(block)}"] for block in (*row.notes, *row.details)]
    return csv_text(rows)


def csv_text(rows):
    """Return rows as comma-separated values."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cell_text(cell):
    if not isinstance(cell, TableCell):
        return cell
    bounds = [] if cell.low is None else [f"[{cell.low:.9g}, {cell.high:.9g}]"]
    value = [] if cell.value is None else [f"{cell.value:.9g}"]
    return " | ".join(filter(None, (cell.text, cell.detail, *value, *bounds)))
