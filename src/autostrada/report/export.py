"""Downloads of a page: its charts as SVG, its tables as CSV, its run as Parquet."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from autostrada.errors import UsageError
from autostrada.report.charts.theme import Drawing
from autostrada.report.picture import whole_picture
from autostrada.store.parquet import write_parquet

PARQUET = "run.parquet"

Rows = Sequence[Mapping[str, object]]
"""Rows of a table by column name; an unknown value is ``None`` or absent."""

CSV_DIGITS = 9
"""Significant digits of a number in a table."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageLocation:
    """The location of a page and of the folder with its downloads."""

    path: Path
    """File of the page."""

    @property
    def folder(self) -> Path:
        """Folder of the downloads: the page's path without its suffix."""
        if self.path.suffix:
            return self.path.with_suffix("")
        return self.path.with_name(f"{self.path.name}-files")

    def file(self, name: str) -> Path:
        """Return the path of a download; its name may contain any character."""
        return self.folder / quote(name, safe=" +=")

    def link(self, name: str) -> str:
        """Return the relative URL by which the page links to a download."""
        return f"{quote(self.folder.name)}/{quote(self.file(name).name)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page, and its charts and tables by file name without suffix."""

    html: str
    charts: Mapping[str, Drawing]
    tables: Mapping[str, Rows]


def drawn_table(drawing: Drawing) -> Rows:
    """
    Return the data of a chart as the rows of a table.

    If a chart has several data sets, the table is the one with the most columns: the
    others repeat parts of it or mark cells without a metric.
    """
    data: Mapping[str, list[dict[str, Any]]] = drawing.spec["datasets"]
    return max(data.values(), key=lambda rows: len(rows[0]) if rows else 0)


def csv_text(rows: Rows) -> str:
    """
    Format a table as CSV (RFC 4180), but with LF instead of CRLF line endings.

    It has the columns of all rows, in order of first appearance.
    Numbers have ``CSV_DIGITS`` significant digits: the last ones of a fit depend on the
    processor.
    """
    text = io.StringIO()
    columns = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(text, [*columns], restval="", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({column: _rounded(value) for column, value in row.items()})
    return text.getvalue()


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.{CSV_DIGITS}g}")
    return value


def write_files(page: Page, location: PageLocation, store: Path, run_id: int) -> None:
    """
    Write a page and its downloads.

    Raises:
        UsageError: a file cannot be written.
    """
    try:
        location.path.write_text(page.html, encoding="utf-8")
        location.folder.mkdir(exist_ok=True)
        for name, text in _texts(page):
            location.file(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {error.filename}: {error.strerror}; choose another path for "
            f"the page"
        ) from error
    write_parquet(store, run_id, location.file(PARQUET))


def _texts(page: Page) -> Iterator[tuple[str, str]]:
    for name, drawing in page.charts.items():
        yield f"{name}.svg", whole_picture(drawing)
        yield f"{name}.csv", csv_text(drawn_table(drawing))
    for name, rows in page.tables.items():
        yield f"{name}.csv", csv_text(rows)
