"""The index of a store: the newest run of each experiment, with links to its page."""

from dataclasses import dataclass
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.report.export import PARQUET, PageLocation
from autostrada.report.headlines import Summary, summary
from autostrada.report.page import make_page, render
from autostrada.report.results import Results, read_results
from autostrada.store.reader import StoreReader

INDEX = "index.html"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A run in an index: its results and their summary."""

    results: Results
    summary: Summary

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return self.results.run.experiment

    @property
    def page(self) -> str:
        """File name of the page, which is in the same folder as the index."""
        return f"{self.name}.html"


def read_entries(reader: StoreReader) -> tuple[Entry, ...]:
    """Return the newest run of each experiment, ordered by experiment name."""
    reader.run()
    newest = {stored.run.experiment: stored.run_id for stored in reader.runs()}
    every = (read_results(reader, newest[name]) for name in sorted(newest))
    return tuple(Entry(results=results, summary=summary(results)) for results in every)


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
        links = {}
        for entry in entries:
            location = PageLocation(path=store.parent / entry.page)
            make_page(reader, entry.results, location)
            links[entry.name] = location.link(PARQUET)
    html = render("index.html", entries=entries, links=links)
    try:
        path.write_text(html, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return path
