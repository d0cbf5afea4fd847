"""The table of all cells of several runs, which a person filters and sorts."""

from collections.abc import Sequence
from dataclasses import replace

from autostrada.report import number
from autostrada.report.library import Library, language_name, libraries_of
from autostrada.report.metrics import bounds
from autostrada.report.pages.blocks import Table, TableCell, TableColumn, TableRow
from autostrada.report.pages.ranking_blocks import standing_details
from autostrada.report.pages.site_cells import RankedCell, library_url, run_url
from autostrada.report.ranking import RATES
from autostrada.stats.metrics import METRICS, PER_CPU
from autostrada.workloads.workload import Workload

P99 = ("response_ms_p99", "latency_ms_p99")

CONNECTIONS = (1, 2, 100, 1_000, 10_000)
"""Where the ranges begin by which a number of connections is chosen."""

METRIC_COLUMNS = {
    "messages a second\nof a core": (PER_CPU,),
    "messages\na second": RATES,
    "p99": P99,
    "CPU time\na message": ("{end}_cpu_us_per_message",),
    "memory": ("{end}_memory_bytes_max",),
}
"""
Metrics by the title of their column; the first one that a cell has is shown.

CPU time and memory are those of the measured end, and of a pair those of the server.
"""


def cell_table(
    cells: Sequence[RankedCell], root: str, name: str, *, has_details: bool = True
) -> Table:
    """
    Return a table of cells; its rows open to the reasons if it has details.

    ``root`` is the relative URL of the site's folder.
    """
    columns = (
        TableColumn(title="library"),
        *(
            TableColumn(title=title, kind="hidden", facet="buttons")
            for title in ("role", "language", "protocol", "connections", "conformance")
        ),
        TableColumn(title="message", kind="hidden", facet="list"),
        TableColumn(title="run", facet="list"),
        TableColumn(title="workload", kind="words", facet="list"),
        TableColumn(title="rank", kind="number"),
        *(
            TableColumn(
                title=title,
                kind="number" if at else "main",
                unit=METRICS[names[0].format(end="server")].unit,
            )
            for at, (title, names) in enumerate(METRIC_COLUMNS.items())
        ),
        TableColumn(title="bottleneck", facet="list"),
    )
    rows = tuple(_row(cell, root, has_details=has_details) for cell in cells)
    return Table(name=name, columns=columns, rows=rows)


def with_details_apart(table: Table, url: str) -> Table:
    """Return a table whose details are in the file with a relative URL."""
    rows = tuple(replace(row, details=()) for row in table.rows)
    return replace(table, rows=rows, details=url)


def _row(cell: RankedCell, root: str, *, has_details: bool) -> TableRow:
    standing, workload = cell.standing, cell.workload
    outcome, results = standing.outcome, cell.run.results
    ends = libraries_of(outcome.cell, results.versions)
    languages = dict.fromkeys(language_name(each.version.language) for each in ends)
    link = library_url(cell.contestants[0]) if len(cell.contestants) == 1 else ""
    verdict = outcome.verdict
    protocol, message = _protocol(workload), _message(workload)
    connections = number.count(workload.total_connections, "connection")
    trials = root + run_url(cell.run, "parquet")
    return TableRow(
        cells=(
            TableCell(text=" → ".join(cell.contestants), link=link and root + link),
            cell.role,
            ", ".join(languages),
            protocol,
            connections_range(workload.total_connections),
            _conformance(ends),
            message,
            TableCell(
                text=results.experiment.title,
                detail=f"{results.run.started_at:%Y-%m-%d}",
                link=root + run_url(cell.run),
            ),
            TableCell(
                text=outcome.cell.workload,
                detail=f"{cell.role}, {protocol}, {connections}, {message}",
            ),
            TableCell(text=cell.rank, value=standing.rank),
            *(_metric(cell, names) for names in METRIC_COLUMNS.values()),
            TableCell(
                text=outcome.bottleneck,
                kind=verdict.bottleneck.name.lower() if verdict else "",
            ),
        ),
        details=tuple(standing_details(standing, results, trials))
        if has_details
        else (),
    )


def _metric(cell: RankedCell, names: Sequence[str]) -> TableCell | str:
    """Return the first known metric; the one by which a cell is ranked as ranked."""
    standing, outcome = cell.standing, cell.standing.outcome
    end = "client" if cell.role == "client" else "server"
    of_end = (name.format(end=end) for name in names)
    name = next((name for name in of_end if name in outcome.metrics), None)
    if name is None:
        return ""
    metric = METRICS[name]
    if metric == standing.metric and standing.interval:
        interval, text = standing.interval, standing.text
    else:
        interval, text = outcome.metrics[name].interval, outcome.written(metric)
    has_bounds = bool(interval.confidence)
    return TableCell(
        text=text,
        detail=bounds(metric, interval),
        value=interval.median,
        low=interval.low if has_bounds else None,
        high=interval.high if has_bounds else None,
    )


def connections_range(count: int) -> TableCell:
    """Return the range of a number of connections, by which cells are chosen."""
    low = max(each for each in CONNECTIONS if each <= count)
    high = next((each - 1 for each in CONNECTIONS if each > count), None)
    if high is None:
        text = f"{number.plain(low, 0)} and more"
    else:
        places = dict.fromkeys((number.plain(low, 0), number.plain(high, 0)))
        text = " to ".join(places)
    return TableCell(text=text, value=low)


def _conformance(ends: Sequence[Library]) -> str:
    if any(each.failed_cases for each in ends):
        return "fails cases"
    if any(each.failed_cases is None for each in ends):
        return "not tested"
    return "passes"


def _protocol(workload: Workload) -> str:
    parts = [
        "TLS" if getattr(workload, "tls", False) else "TCP",
        "compressed" if getattr(workload, "deflate", False) else "",
        "polling" if getattr(workload, "transport", "") == "polling" else "",
    ]
    return ", ".join(filter(None, parts))


def _message(workload: Workload) -> str:
    """Return encoding and size of a message, as far as the workload names them."""
    is_binary = getattr(workload, "binary", False)
    encoding = getattr(workload, "encoding", "binary" if is_binary else "text")
    size = getattr(workload, "payload_bytes", None)
    return f"{encoding}, {number.size(size)}" if size else encoding
