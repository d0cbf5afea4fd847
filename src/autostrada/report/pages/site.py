"""The site of several runs: an index of all cells, and pages of runs and libraries."""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from urllib.parse import quote

from autostrada.errors import UsageError
from autostrada.report import number
from autostrada.report.claims import conclusions
from autostrada.report.headlines import headlines
from autostrada.report.pages.blocks import (
    Page,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableColumn,
    TableRow,
)
from autostrada.report.pages.cell_table import cell_table, with_details_apart
from autostrada.report.pages.document import (
    APPLICATION,
    application,
    details_file,
    html_of,
)
from autostrada.report.pages.library_page import badge, badge_svg, library_page
from autostrada.report.pages.run_page import run_page
from autostrada.report.pages.site_cells import (
    SITE_FOOTER,
    RankedCell,
    SiteRun,
    file_name,
    library_url,
    ranked_cells,
    run_url,
)
from autostrada.report.pages.versus import versus
from autostrada.report.parts import parts_of
from autostrada.report.results import read_results
from autostrada.report.time_series import read_time_series
from autostrada.stats.claim import Finding
from autostrada.store.file import is_archive
from autostrada.store.parquet import write_parquet
from autostrada.store.reader import StoreReader

VERSUS_FILE = "versus.html"
DETAILS_FILE = "details.js"
QUESTION = "How fast is WebSocket software, and what is the bottleneck?"
SEVERAL_RUNS = (
    "Runs are of several days, and may be of several machines: compare rows of one run."
)
REDIRECTION = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={link}">
<title>{title}</title>
</head>
<body><a href="{link}">{title}</a></body>
</html>
"""


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
        for name in ("runs", "libraries", "badges", "latest"):
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
            page = run_page(results, series, quote(f"{name}.parquet"), "../index.html")
            runs = folder / "runs"
            (runs / f"{name}.html").write_text(html_of(page, "../"), encoding="utf-8")
            _copy_data(path, results.run_id, runs / f"{name}.parquet")
            yield SiteRun(results=results, name=name)


def _copy_data(path: Path, run_id: int, data: Path) -> None:
    if path.resolve() == data.resolve():
        return
    if is_archive(path):
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
    table = replace(
        cell_table(cells, "", "cells"),
        caption=SEVERAL_RUNS if len(runs) > 1 else "",
        versus=VERSUS_FILE,
    )
    index = _index(newest_first, with_details_apart(table, DETAILS_FILE), unread)
    yield "index.html", html_of(index, "")
    yield DETAILS_FILE, details_file(table)
    yield VERSUS_FILE, html_of(_versus(cells), "")
    by_library: dict[str, list[RankedCell]] = defaultdict(list)
    for cell in cells:
        for name in cell.contestants:
            by_library[name].append(cell)
    for name, found in by_library.items():
        file = file_name(name)
        yield f"libraries/{file}.html", html_of(library_page(name, found), "../")
        if ranked := next((cell for cell in found if cell.rank), None):
            label, message = badge(ranked)
            endpoint = {"schemaVersion": 1, "label": label, "message": message}
            yield f"badges/{file}.json", json.dumps(endpoint)
            yield f"badges/{file}.svg", badge_svg(label, message)
    for experiment, run in _newest(newest_first).items():
        link = escape(f"../{run_url(run)}")
        title = escape(run.results.experiment.title)
        page = REDIRECTION.format(title=title, link=link)
        yield f"latest/{file_name(experiment)}.html", page
    yield "llms.txt", _outline(newest_first, by_library)


def _newest(runs: Sequence[SiteRun]) -> dict[str, SiteRun]:
    """Return the newest run of each experiment; the newest of all come first."""
    found: dict[str, SiteRun] = {}
    for run in runs:
        found.setdefault(run.results.run.experiment, run)
    return found


def _index(runs: Sequence[SiteRun], table: Table, unread: Sequence[Unread]) -> Page:
    answers = (
        Paragraph(
            strong=run.results.experiment.title,
            text=f": {headlines(run.results, parts_of(run.results))[0]}",
            kind="further",
        )
        for run in _newest(runs).values()
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
            blocks=(
                table,
                Paragraph(text="Two libraries beside each other", link=VERSUS_FILE),
            ),
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
            number.count(len(table.rows), "cell"),
        ),
        sections=tuple(sections),
        footer=SITE_FOOTER,
    )


def _versus(cells: Sequence[RankedCell]) -> Page:
    return Page(
        title="Two libraries · Autostrada",
        overline="Autostrada",
        heading="Two libraries beside each other",
        at="",
        meta=(),
        sections=(Section(title="Choose two", blocks=(versus(cells),)),),
        footer=SITE_FOOTER,
        home="index.html",
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
