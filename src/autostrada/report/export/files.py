"""Writes a page, and beside it all that can be downloaded from it."""

from collections.abc import Iterator
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.report.export.picture import whole_picture
from autostrada.report.export.place import PARQUET, Place
from autostrada.report.export.table import csv_text, drawn_table
from autostrada.report.sheet import Sheet
from autostrada.store.parquet import write_parquet


def write_sheet(sheet: Sheet, place: Place, store: Path, run_id: int) -> None:
    """
    Write a page, the run itself, and charts and tables where the page is not kept.

    Raises:
        UsageError: a file cannot be written.
    """
    try:
        place.path.write_text(sheet.html, encoding="utf-8")
        place.folder.mkdir(exist_ok=True)
        for name, text in () if place.is_kept else _texts(sheet):
            place.file(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {error.filename}: {error.strerror}; name another file for "
            f"the page"
        ) from error
    write_parquet(store, run_id, place.file(PARQUET))


def _texts(sheet: Sheet) -> Iterator[tuple[str, str]]:
    for name, drawing in sheet.charts.items():
        yield f"{name}.svg", whole_picture(drawing)
        yield f"{name}.csv", csv_text(drawn_table(drawing))
    for name, table in sheet.tables.items():
        yield f"{name}.csv", csv_text(table)
