"""The index: one page that leads to the newest run of every experiment."""

from collections.abc import Sequence
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.report.collection.entry import Entry, read_entries
from autostrada.report.export.place import PARQUET, Place
from autostrada.report.page import make_page
from autostrada.report.sheet import render
from autostrada.store.reader import StoreReader

INDEX = "index.html"


def write_index(store: Path) -> Path:
    """
    Make the pages of all newest runs beside a store, and their index; return its path.

    Raises:
        UsageError: there is no such store or no run, or a page cannot be written.
    """
    with StoreReader.open(store) as reader:
        return make_index(reader, store.parent, is_kept=False)


def make_index(reader: StoreReader, folder: Path, *, is_kept: bool) -> Path:
    """Write the pages of all newest runs into a folder, and their index."""
    entries = read_entries(reader)
    for entry in entries:
        make_page(reader, _place(entry, folder, is_kept=is_kept), entry.run_id)
    path = folder / INDEX
    try:
        path.write_text(index(entries), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return path


def index(entries: Sequence[Entry]) -> str:
    """Return the index; it loads nothing from anywhere."""
    links = {
        entry.name: _place(entry, Path(), is_kept=True).link(PARQUET)
        for entry in entries
    }
    return render("index.html", entries=entries, links=links)


def _place(entry: Entry, folder: Path, *, is_kept: bool) -> Place:
    return Place(path=folder / entry.page, is_kept=is_kept)
