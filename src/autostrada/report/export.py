"""What lies beside a page: its charts as SVG, its tables as CSV, its run as Parquet."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A page's file; what can be downloaded from it lies in a folder of that name."""

    path: Path
    is_archived: bool = False
    """
    Whether it goes into a repository, and so has to be small.

    Its charts are pictures then: the script that draws them is a megabyte in each page.
    Beside it lies the run alone, of which all else can be made.
    """

    @property
    def folder(self) -> Path:
        """Where charts, tables and the run lie as files."""
        if self.path.suffix:
            return self.path.with_suffix("")
        return self.path.with_name(f"{self.path.name}-files")

    def file(self, name: str) -> Path:
        """Return the file of a name, which may be the name of anything."""
        return self.folder / quote(name, safe=" +=")

    def link(self, name: str) -> str:
        """Return how the page refers to that file."""
        return f"{quote(self.folder.name)}/{quote(self.file(name).name)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Rows of values by the names of their columns; what is not known is ``None``."""

    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, object]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page, and by name what can be downloaded from it."""

    html: str
    charts: Mapping[str, Drawing]
    tables: Mapping[str, Table]


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


def write_files(page: Page, place: Place, store: Path, run_id: int) -> None:
    """
    Write a page, the run itself, and charts and tables where it is not archived.

    Raises:
        UsageError: a file cannot be written.
    """
    try:
        place.path.write_text(page.html, encoding="utf-8")
        place.folder.mkdir(exist_ok=True)
        for name, text in () if place.is_archived else _texts(page):
            place.file(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {error.filename}: {error.strerror}; name another file for "
            f"the page"
        ) from error
    write_parquet(store, run_id, place.file(PARQUET))


def _texts(page: Page) -> Iterator[tuple[str, str]]:
    for name, drawing in page.charts.items():
        yield f"{name}.svg", whole_picture(drawing)
        yield f"{name}.csv", csv_text(drawn_table(drawing))
    for name, table in page.tables.items():
        yield f"{name}.csv", csv_text(table)
