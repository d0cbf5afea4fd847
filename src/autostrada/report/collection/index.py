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
        entries = read_entries(reader)
        for entry in entries:
            make_page(reader, place_of(entry, store.parent), entry.run_id)
    return make_index(entries, store.parent)


def make_index(entries: Sequence[Entry], folder: Path) -> Path:
    """Write the index alone, which loads nothing from anywhere; return its path."""
    links = {entry.name: place_of(entry, folder).link(PARQUET) for entry in entries}
    path = folder / INDEX
    try:
        html = render("index.html", entries=entries, links=links)
        path.write_text(html, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return path


def place_of(entry: Entry, folder: Path, *, is_kept: bool = False) -> Place:
    """Return where the page of an entry goes."""
    return Place(path=folder / entry.page, is_kept=is_kept)
