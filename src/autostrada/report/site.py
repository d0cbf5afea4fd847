"""The index of a store: the newest run of each experiment, with links to its page."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.report.export import PARQUET, PageLocation
from autostrada.report.headlines import Summary, summary
from autostrada.report.page import make_page, render
from autostrada.report.results import read_results
from autostrada.store.reader import StoreReader
from autostrada.store.record import StoredRun

INDEX = "index.html"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A run in an index: its metadata and its summary."""

    run_id: int
    name: str
    """Name of the experiment."""

    title: str
    question: str
    command: str
    started_at: datetime
    host: Mapping[str, object]
    summary: Summary

    @property
    def page(self) -> str:
        """File name of the page, which is in the same folder as the index."""
        return f"{self.name}.html"


def read_entries(reader: StoreReader) -> tuple[Entry, ...]:
    """
    Return the newest run of each experiment, ordered by experiment name.

    Raises:
        UsageError: the store contains no run.
    """
    reader.run()
    newest = {stored.run.experiment: stored for stored in reader.runs()}
    return tuple(_entry(reader, newest[name]) for name in sorted(newest))


def write_index(store: Path) -> Path:
    """
    Write the pages of all newest runs and their index beside a store.

    Return the path of the index, which loads nothing from the network.

    Raises:
        UsageError: the store does not exist or contains no run, or a page cannot be
            written.
    """
    path = store.parent / INDEX
    with StoreReader.open(store) as reader:
        entries = read_entries(reader)
        locations = {
            entry.name: PageLocation(path=store.parent / entry.page)
            for entry in entries
        }
        for entry in entries:
            make_page(reader, locations[entry.name], entry.run_id)
    links = {name: location.link(PARQUET) for name, location in locations.items()}
    html = render("index.html", entries=entries, links=links)
    try:
        path.write_text(html, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return path


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
