"""The page of a load: its limit, its metrics, and its seconds as charts."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from autostrada.report.charts.chart import Chart
from autostrada.report.charts.load import load_charts
from autostrada.report.number import count, plain
from autostrada.report.pages.blocks import (
    Figure,
    Figures,
    Page,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableColumn,
    TableRow,
)
from autostrada.report.pages.document import write_html

MAIN = ("rate", "p50", "p99", "max", "connections", "errors")
"""Names of the metrics that stand first."""

CHARTS = {
    "Second by second": ("rate", "times"),
    "Distribution": ("distribution", "histogram"),
}
"""Charts by the title of their section."""

HOSTS = (
    "Each had a part of the load. They began at the same instant, as exactly as their "
    "clocks could be compared."
)
HOST_TITLES = (
    *("host", "connections", "messages", "failures", "busiest thread", "clock"),
    *("began late by", "verdict"),
)


def load_page(document: Mapping[str, Any], at: datetime) -> Page:
    """
    Return the page of a result as ``load --json`` writes it.

    ``at`` is when it was measured.
    """
    ended = document["ended"] if document["ended"] != "complete" else ""
    return Page(
        title=f"{document['asked']} · Autostrada",
        overline="Autostrada · load",
        heading=document["asked"],
        at=f"{at.day} {at.strftime('%B %Y, %H:%M')}",
        meta=tuple(filter(None, (ended, document["not_judged"]))),
        sections=tuple(_sections(document)),
        footer="Created by Autostrada. The page loads nothing from the network.",
    )


def write_load_page(document: Mapping[str, Any], at: datetime, path: Path) -> None:
    """
    Write the page of a result to a file.

    Raises:
        UsageError: the file cannot be written.
    """
    write_html(load_page(document, at), path, "choose another path for --html")


def _sections(document: Mapping[str, Any]) -> Iterator[Section]:
    metrics = {metric["name"]: metric for metric in document["metrics"]}
    main = [metrics[name] for name in MAIN if name in metrics]
    figures = Figures(items=tuple((each["text"], each["title"]) for each in main))
    answer = Paragraph(text=headline(document), kind="headline")
    yield Section(title="", blocks=(answer, figures))
    if conditions := document["conditions"]:
        rows = [_condition(each) for each in conditions]
        yield _table("Conditions", ("fails if", "result"), rows)
    yield from chart_sections(load_charts(document))
    rows = [
        TableRow(cells=(each["title"], each["name"], each["text"]))
        for each in document["metrics"]
    ]
    yield _table("All metrics", ("metric", "name", "value"), rows)
    if hosts := document.get("hosts"):
        table = _table("Hosts", HOST_TITLES, [_host(each) for each in hosts])
        yield Section(title="Hosts", blocks=(Paragraph(text=HOSTS), *table.blocks))
    if failures := document["failures"]:
        rows = [
            TableRow(cells=(each["kind"], _number(each["count"]), each["example"]))
            for each in failures
        ]
        yield _table("Failures", ("kind", "number", "first example"), rows)


def chart_sections(charts: Mapping[str, Chart]) -> Iterator[Section]:
    """Yield the sections of these charts of a load."""
    for title, names in CHARTS.items():
        drawn = [
            Figure(name=name, chart=charts[name]) for name in names if name in charts
        ]
        if drawn:
            yield Section(title=title, blocks=tuple(drawn))


def _table(title: str, titles: tuple[str, ...], rows: list[TableRow]) -> Section:
    columns = tuple(TableColumn(title=each, kind="words") for each in titles)
    return Section(
        title=title,
        blocks=(Table(name=title.lower(), columns=columns, rows=tuple(rows)),),
    )


def _condition(condition: Mapping[str, Any]) -> TableRow:
    failure = condition["failure"]
    result = (
        TableCell(text="passed", kind="passed")
        if failure is None
        else TableCell(text=f"failed: {failure}", kind="failed")
    )
    return TableRow(cells=(condition["condition"], result))


def _host(host: Mapping[str, Any]) -> TableRow:
    utilizations = host.get("utilizations")
    if host["lost"]:
        verdict = f"lost: {host['lost']}"
    elif limited := host["generator_limited"]:
        verdict = f"the limit: {limited}"
    else:
        verdict = "not the limit"
    return TableRow(
        cells=(
            host["host"],
            _number(host.get("connections")),
            _number(host["messages"]),
            _number(host.get("failures")),
            f"{plain(100 * max(utilizations), 0)} %" if utilizations else "",
            _milliseconds(host.get("clock_error_ns"), "± "),
            _milliseconds(host.get("begun_late_ns"), ""),
            verdict,
        )
    )


def _number(value: float | None) -> TableCell | str:
    return "" if value is None else TableCell(text=plain(value, 0), value=value)


def _milliseconds(time_ns: float | None, sign: str) -> TableCell | str:
    if time_ns is None:
        return ""
    return TableCell(text=f"{sign}{plain(time_ns / 1e6, 1)} ms", value=time_ns)


def headline(document: Mapping[str, Any]) -> str:
    """Return what went wrong with a load, and what its limit was."""
    failures = document["failures"]
    conditions = document["conditions"]
    failed = sum(condition["failure"] is not None for condition in conditions)
    kinds = [f"{plain(each['count'], 0)} × {each['kind']}" for each in failures]
    parts = [
        _sentence(document["nothing_measured"] or document["incomplete"] or ""),
        f"Failures: {', '.join(kinds)}" if kinds else "",
        f"{failed} of {count(len(conditions), 'condition')} failed" if failed else "",
        f"Limit: {document['limit']}",
    ]
    return " ".join(f"{part}." for part in parts if part)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
