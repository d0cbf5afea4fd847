"""The newest run of every experiment: their pages, and an index that leads to them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.report.export import PARQUET, Place
from autostrada.report.headlines import Summary, summary
from autostrada.report.page import make_page, render
from autostrada.report.results import read_results
from autostrada.store.reader import StoreReader
from autostrada.store.record import StoredRun

INDEX = "index.html"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A run in an index."""

    run_id: int
    name: str
    """The experiment's."""

    title: str
    question: str
    command: str
    started_at: datetime
    host: Mapping[str, object]
    summary: Summary

    @property
    def page(self) -> str:
        """The page's file, beside the index."""
        return f"{self.name}.html"


def read_entries(reader: StoreReader) -> tuple[Entry, ...]:
    """
    Return the newest run of each experiment, in the order of their names.

    Raises:
        UsageError: the store holds no run.
    """
    reader.run()
    newest = {stored.run.experiment: stored for stored in reader.runs()}
    return tuple(_entry(reader, newest[name]) for name in sorted(newest))


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
    """Write the index alone, which loads nothing from the network; return its path."""
    links = {entry.name: place_of(entry, folder).link(PARQUET) for entry in entries}
    path = folder / INDEX
    try:
        html = render("index.html", entries=entries, links=links)
        path.write_text(html, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return path


def place_of(entry: Entry, folder: Path, *, is_archived: bool = False) -> Place:
    """Return where the page of an entry goes."""
    return Place(path=folder / entry.page, is_archived=is_archived)


def _entry(reader: StoreReader, stored: StoredRun) -> Entry:
    run = stored.run
    results = read_results(reader, stored.run_id)
    return Entry(
        run_id=stored.run_id,
        name=run.experiment,
        title=results.experiment.title,
        question=results.experiment.question,
        command=run.command,
        started_at=run.started_at,
        host=json.loads(run.host),
        summary=summary(results),
    )
