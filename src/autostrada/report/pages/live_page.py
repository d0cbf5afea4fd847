"""The page of a run that goes on: how far it is, and what is known already."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from autostrada.report.charts.selection import all_charts
from autostrada.report.pages.blocks import Facts, Page, Section
from autostrada.report.pages.run_page import (
    cells_section,
    over_time_section,
    rankings_section,
)
from autostrada.report.parts import parts_of
from autostrada.report.published import published_tables
from autostrada.report.results import read_results
from autostrada.report.time_series import read_time_series
from autostrada.store.reader import StoreReader

FOOTER = (
    "Results so far: ranks change while trials are missing. The page is made between "
    "trials, and loads nothing but its newer versions, from this machine."
)


def live_page(reader: StoreReader, run_id: int, facts: Mapping[str, str]) -> Page:
    """Return the page of a run that goes on; ``facts`` say how far it is."""
    results, series = read_results(reader, run_id), read_time_series(reader, run_id)
    parts, tables = parts_of(results), published_tables(results)
    charts = all_charts(results, parts.rankings, tables, series, parts.conclusions)
    title = results.experiment.title
    progress = {**facts, "as of": datetime.now(UTC).strftime("%H:%M:%S UTC")}
    sections = [
        Section(title="Progress", blocks=(Facts(items=tuple(progress.items())),)),
        rankings_section(parts, charts, results)
        if parts.rankings
        else cells_section(results, charts),
    ]
    if series:
        sections.append(over_time_section(results, series))
    return Page(
        title=f"{title} · live · Autostrada",
        overline=f"Autostrada · live · {title}",
        heading=results.experiment.question,
        at=f"begun {results.run.started_at.strftime('%H:%M UTC')}",
        meta=(results.run.command,),
        sections=tuple(sections),
        footer=FOOTER,
        events="events",
    )


def last_page(page: Page, path: Path) -> Page:
    """Return the last page of a run: it has ended, and its own page is at ``path``."""
    status = f"The run has ended. Its page: {path}"
    return replace(page, events="", status=status)
