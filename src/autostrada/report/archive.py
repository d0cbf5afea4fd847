"""Archived runs in a repository, and the documents about them."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.experiment.document import parse_document
from autostrada.experiment.experiment import Experiment, without_removed_keys
from autostrada.experiment.publication import Publication, read_published
from autostrada.report.charts.chart import Chart
from autostrada.report.charts.ranking import ranking_chart
from autostrada.report.documents import (
    ArchivedRun,
    Entry,
    read_entries,
    results_document,
    with_sections,
)
from autostrada.stats.sequential import RULE
from autostrada.store.file import is_archive
from autostrada.store.parquet import write_parquet
from autostrada.store.reader import StoreReader
from autostrada.store.record import Run
from autostrada.store.writer import StoreWriter

Draw = Callable[[Chart], str]
"""Draws a chart as an SVG file."""

RESULTS = Path("docs/results")
README = Path("README.md")

CLAIMS = "its conclusions"
"""What has changed since a run if the claims of its publication have."""


def archive(store: Path, checkout: Path, draw: Draw) -> list[Path]:
    """
    Archive a store's newest run of each experiment, and update what documents say.

    ``docs/results`` has one Parquet file an experiment, which replaces an older one,
    the picture of a ranking, and a document with all results. README has sections that
    summarize them. Runs are judged by the claims of the checkout, unless it has another
    definition of their experiment. Return the paths of the Parquet files.

    Raises:
        UsageError: the store contains no run, a file cannot be written, or README has
            no section for results.
    """
    with_sections(checkout / README, [])
    _update_claims(store, checkout)
    folder = checkout / RESULTS
    paths = []
    try:
        with StoreReader.open(store) as reader:
            folder.mkdir(parents=True, exist_ok=True)
            for entry in read_entries(reader):
                _write_picture(entry, folder, draw)
                path = folder / f"{entry.name}.parquet"
                _refuse_loss(path, entry, reader)
                with _replacing(path) as temporary:
                    write_parquet(store, entry.results.run_id, temporary)
                paths.append(path)
        for path, text in updated_documents(checkout).items():
            with _replacing(path) as temporary:
                temporary.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from error
    return paths


def _update_claims(store: Path, checkout: Path) -> None:
    """
    Replace the claims of a store's newest runs if nothing else has changed.

    Those of a Parquet file stay as they are.
    """
    if is_archive(store):
        return
    with StoreReader.open(store) as reader:
        runs = [entry.results for entry in read_entries(reader)]
    changed = [each for each in runs if changes(each.run, checkout) == [CLAIMS]]
    if not changed:
        return
    with StoreWriter.create_or_open(store) as writer:
        for results in changed:
            path = checkout / "experiments" / f"{results.run.experiment}.toml"
            writer.replace_published(results.run_id, read_published(path))


def _refuse_loss(path: Path, entry: Entry, reader: StoreReader) -> None:
    """
    Check that an archive has no rounds which a run of the same experiment lacks.

    Raises:
        UsageError: it would lose them.
    """
    if entry.results.budget_s is None or not path.exists():
        return
    try:
        with StoreReader.open(path) as archived:
            stored = archived.run()
            instants = archived.instants(stored.run_id)
    except UsageError:
        # It is of another version, whose rounds count no longer.
        return
    is_same = _whole(stored.run.definition) == _whole(entry.results.run.definition)
    lost = instants - reader.instants(entry.results.run_id)
    if is_same and lost:
        raise UsageError(
            f"{path} has {len(lost):,} trials that run {entry.results.run_id} lacks: "
            f"continue it with autostrada run {entry.name} --add-to {path}, or delete "
            f"it first"
        )


def updated_documents(checkout: Path) -> dict[Path, str]:
    """Return README and the document of all results, as the archives make them."""
    readme, document = checkout / README, checkout / RESULTS / README
    archived = [
        ArchivedRun(entry=entry, changes=changes(entry.results.run, checkout))
        for entry in _read_archived(checkout / RESULTS)
    ]
    before = document.read_text(encoding="utf-8") if document.is_file() else ""
    return {
        readme: with_sections(readme, archived),
        document: results_document(archived, before),
    }


def _read_archived(folder: Path) -> Iterator[Entry]:
    """Yield the archived runs that this version can read, by the names of the files."""
    for path in sorted(folder.glob("*.parquet")):
        with suppress(UsageError), StoreReader.open(path) as reader:
            yield from read_entries(reader)


def changes(run: Run, checkout: Path) -> list[str]:
    """Return what has changed in a checkout since a run; empty if nothing has."""
    path = checkout / "experiments" / f"{run.experiment}.toml"
    if not path.is_file():
        return []
    found = []
    if _whole(path.read_text(encoding="utf-8")) != _whole(run.definition):
        found.append("the experiment")
    if _claims(read_published(path)) != _claims(run.published):
        found.append(CLAIMS)
    if json.loads(run.plan).get("rule", RULE) not in ("", RULE):
        found.append("the test of conclusions")
    return found


def _whole(definition: str) -> object:
    """Return an experiment's definition without what is only for ``--quick``."""
    experiment = parse_document(
        Experiment, without_removed_keys(definition), origin="definition"
    )
    return experiment.model_dump(
        exclude={"quick": True, "workload": {"__all__": {"quick"}}}
    )


def _claims(published: str) -> object:
    """Return what a file of published values claims, of which names are no part."""
    if not published:
        return []
    claims = parse_document(Publication, published, origin="published values").claim
    return [
        (claim.model_dump(exclude={"comparisons"}), claim.requirements)
        for claim in claims
    ]


def _write_picture(entry: Entry, folder: Path, draw: Draw) -> None:
    """Write the chart of the first ranking; a run without one has no picture."""
    path = folder / f"{entry.name}.svg"
    chart = ranking_chart(entry.summary.pictured) if entry.summary.pictured else None
    if chart is None:
        path.unlink(missing_ok=True)
        return
    with _replacing(path) as temporary:
        temporary.write_text(draw(chart), encoding="utf-8")


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file, which replaces another one once it is on disk."""
    temporary = path.with_name(f".{path.name}.new")
    yield temporary
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path)
