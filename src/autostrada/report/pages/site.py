"""The site of several runs: an index of all cells, and pages of runs and libraries."""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.report import number
from autostrada.report.claims import conclusions
from autostrada.report.headlines import headlines
from autostrada.report.library import Library, libraries
from autostrada.report.pages.blocks import (
    Block,
    Facts,
    Page,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableColumn,
    TableRow,
    Verbatim,
)
from autostrada.report.pages.cell_table import (
    RankedCell,
    SiteRun,
    cell_table,
    file_name,
    library_url,
    ranked_cells,
    run_url,
)
from autostrada.report.pages.document import APPLICATION, application, html_of
from autostrada.report.pages.run_page import run_page
from autostrada.report.parts import parts_of
from autostrada.report.results import read_results
from autostrada.report.time_series import read_time_series
from autostrada.stats.claim import Finding
from autostrada.store.parquet import write_parquet
from autostrada.store.reader import StoreReader

QUESTION = "How fast is WebSocket software, and what is the bottleneck?"
FOOTER = "Created by Autostrada from its results files."
OBJECT = (
    "If a figure is wrong, or the library is not used as it should be: open an issue "
    "with the command of the row and what it prints on your machine. The program that "
    "was measured is in the folder contestants/{name} of the repository."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Unread:
    """A file that is no part of a site."""

    path: Path
    reason: str


def write_site(paths: Sequence[Path], folder: Path) -> list[Unread]:
    """
    Write the site of results files; return those that cannot be read.

    Raises:
        UsageError: none can be read, or a file cannot be written.
    """
    runs: list[SiteRun] = []
    unread: list[Unread] = []
    try:
        for name in ("runs", "libraries", "badges"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for path in paths:
            try:
                runs += _write_runs(path, folder, {run.name for run in runs})
            except UsageError as error:
                unread.append(Unread(path=path, reason=str(error)))
        if not runs:
            reasons = "; ".join(each.reason for each in unread)
            raise UsageError(f"no file can be read: {reasons}")
        for file, text in _files(runs, unread):
            (folder / file).write_text(text, encoding="utf-8")
        for name in APPLICATION:
            (folder / name).write_text(application(name), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {error.filename}: {error.strerror}; choose another --out"
        ) from error
    return unread


def _write_runs(path: Path, folder: Path, taken: set[str]) -> Iterator[SiteRun]:
    """Write the page and the data of each run of a file, and yield the runs."""
    with StoreReader.open(path) as reader:
        for stored in reader.runs():
            results = read_results(reader, stored.run_id)
            if not any(outcome.measured for outcome in results.outcomes.values()):
                continue
            at = results.run.started_at
            name = f"{file_name(results.run.experiment)}-{at:%Y-%m-%d}"
            if name in taken:
                name = f"{name}-{at:%H%M%S}"
            taken.add(name)
            series = read_time_series(reader, results.run_id)
            page = run_page(results, series, f"{name}.parquet")
            page = replace(page, home="../index.html")
            runs = folder / "runs"
            (runs / f"{name}.html").write_text(html_of(page, "../"), encoding="utf-8")
            _copy_data(path, results.run_id, runs / f"{name}.parquet")
            yield SiteRun(results=results, name=name)


def _copy_data(path: Path, run_id: int, data: Path) -> None:
    if path.suffix == ".parquet":
        shutil.copyfile(path, data)
    else:
        write_parquet(path, run_id, data)


def _files(
    runs: Sequence[SiteRun], unread: Sequence[Unread]
) -> Iterator[tuple[str, str]]:
    """Yield the files of a site but those of runs, each with its text."""
    newest_first = sorted(
        runs, key=lambda run: run.results.run.started_at, reverse=True
    )
    cells = [cell for run in newest_first for cell in ranked_cells(run)]
    yield "index.html", html_of(_index(newest_first, cells, unread), "")
    by_library: dict[str, list[RankedCell]] = defaultdict(list)
    for cell in cells:
        for name in cell.contestants:
            by_library[name].append(cell)
    for name, found in by_library.items():
        file = file_name(name)
        yield f"libraries/{file}.html", html_of(_library(name, found), "../")
        if ranked := next((cell for cell in found if cell.rank), None):
            yield f"badges/{file}.json", json.dumps(_badge(ranked))
    yield "llms.txt", _outline(newest_first, by_library)


def _index(
    runs: Sequence[SiteRun], cells: Sequence[RankedCell], unread: Sequence[Unread]
) -> Page:
    answers = (
        Paragraph(
            strong=run.results.experiment.title,
            text=f": {headlines(run.results, parts_of(run.results))[0]}",
            kind="further",
        )
        for run in runs
        if run.results.experiment.is_race or not run.results.publication
    )
    broken = tuple(
        Paragraph(strong=each.path.name, text=f": {each.reason}", kind="failed")
        for each in unread
    )
    sections = [
        Section(title="", blocks=tuple(answers)),
        Section(
            title="All cells",
            blocks=(cell_table(cells, "", "cells"),),
        ),
        Section(title="Runs", blocks=(_runs(runs), *broken)),
    ]
    if any(run.results.publication for run in runs):
        sections.append(
            Section(title="Publications, run again", blocks=(_publications(runs),))
        )
    return Page(
        title="Autostrada",
        overline="Autostrada",
        heading=QUESTION,
        at="",
        meta=(
            number.count(len(runs), "run"),
            number.count(len(cells), "cell"),
        ),
        sections=tuple(sections),
        footer=FOOTER,
    )


def _runs(runs: Sequence[SiteRun]) -> Table:
    titles = ("run", "question", "measured", "processor")
    return Table(
        name="runs",
        columns=tuple(TableColumn(title=title, kind="words") for title in titles),
        rows=tuple(
            TableRow(
                cells=(
                    TableCell(text=run.results.experiment.title, link=run_url(run)),
                    run.results.experiment.question,
                    f"{run.results.run.started_at:%Y-%m-%d}",
                    str(run.results.host.get("cpu_model", "")),
                )
            )
            for run in runs
        ),
    )


def _publications(runs: Sequence[SiteRun]) -> Table:
    """Return the number of conclusions of each publication with each finding."""
    rows = []
    for run in runs:
        publication = run.results.publication
        if publication is None:
            continue
        found = [each.finding for each in conclusions(run.results)]
        counts = (found.count(finding) for finding in Finding)
        rows.append(
            TableRow(
                cells=(
                    TableCell(text=publication.title, link=run_url(run)),
                    run.results.experiment.question,
                    *(TableCell(text=str(count), value=count) for count in counts),
                )
            )
        )
    return Table(
        name="publications",
        columns=(
            TableColumn(title="publication", kind="words"),
            TableColumn(title="question", kind="words"),
            *(TableColumn(title=finding, kind="number") for finding in Finding),
        ),
        rows=tuple(rows),
    )


def _library(name: str, cells: Sequence[RankedCell]) -> Page:
    """Return the page of a contestant: its ranks, cells, settings and versions."""
    ranked = (
        Paragraph(text=f"{_place(cell)}.", kind="further")
        for cell in cells
        if cell.rank and cell.ranking and cell.ranking.slices
    )
    newest = cells[0].run.results
    versions = [each for each in newest.versions if each.contestant == name]
    version = versions[0] if versions else None
    return Page(
        title=f"{name} · Autostrada",
        overline="Autostrada · library",
        heading=name,
        at="",
        meta=tuple(filter(None, (version.library, version.version, version.language)))
        if version
        else (),
        sections=(
            Section(title="", blocks=tuple(ranked)),
            Section(
                title="All cells", blocks=(cell_table(cells, "../", f"cells-{name}"),)
            ),
            Section(
                title="Settings and conformance", blocks=tuple(_known(name, cells))
            ),
            Section(title="How to object", blocks=tuple(_objection(name, cells))),
        ),
        footer=FOOTER,
        home="../index.html",
    )


def _place(cell: RankedCell) -> str:
    title = cell.run.results.experiment.title
    where = f"{title}, {cell.standing.outcome.cell.workload}"
    return f"{where}: rank {cell.rank} as a {cell.role}, {cell.standing.text}"


def _known(name: str, cells: Sequence[RankedCell]) -> Iterator[Block]:
    """Yield what the newest run of each role knows of a library."""
    known: dict[str, Library] = {}
    for cell in cells:
        results = cell.run.results
        for each in libraries([cell.standing.outcome.cell], results.versions):
            if each.version.contestant == name:
                known.setdefault(each.role, each)
    for role, library in known.items():
        tested = library.conformance or "not tested with the Autobahn test suite"
        yield Paragraph(strong=f"As a {role}", text=f": {tested}.")
        settings = {
            key.replace("_", " "): text for key, text in library.settings.items()
        }
        facts: Mapping[str, str] = settings | {
            "toolchain": library.version.toolchain or "",
            "homepage": library.version.homepage,
        }
        yield Facts(items=tuple((key, text) for key, text in facts.items() if text))


def _objection(name: str, cells: Sequence[RankedCell]) -> Iterator[Block]:
    yield Paragraph(text=OBJECT.format(name=name))
    if any(cell.rank for cell in cells):
        yield Paragraph(
            text=f"A badge for shields.io reads badges/{name}.json of this site:"
        )
        yield Verbatim(text=f"https://img.shields.io/endpoint?url=…/badges/{name}.json")


def _badge(cell: RankedCell) -> Mapping[str, object]:
    """Return a badge in the form of shields.io's endpoint."""
    return {
        "schemaVersion": 1,
        "label": f"Autostrada, {cell.standing.outcome.cell.workload}",
        "message": f"{cell.rank}, {cell.standing.text}",
        "color": "blue",
    }


def _outline(runs: Sequence[SiteRun], names: Mapping[str, object]) -> str:
    """Return the outline of the site for language models (llmstxt.org)."""
    lines = ["# Autostrada", "", f"> {QUESTION}", "", "## Runs", ""]
    lines += [
        f"- [{run.results.experiment.title}]({run_url(run)}): "
        f"{headlines(run.results, parts_of(run.results))[0]} "
        f"[All values]({run_url(run, 'parquet')})"
        for run in runs
    ]
    lines += ["", "## Libraries", ""]
    lines += [f"- [{name}]({library_url(name)})" for name in sorted(names)]
    return "\n".join(lines) + "\n"
