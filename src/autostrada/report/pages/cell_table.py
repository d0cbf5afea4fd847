"""The table of all cells of several runs, which a person filters and sorts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from autostrada.experiment.matrix import REFERENCE
from autostrada.report import number
from autostrada.report.metrics import bounds
from autostrada.report.overview import ends
from autostrada.report.pages.blocks import Table, TableCell, TableColumn, TableRow
from autostrada.report.pages.ranking_blocks import standing_details
from autostrada.report.ranking import RATES, Ranking, Standing, ranked_by, rankings
from autostrada.report.results import Results
from autostrada.stats.metrics import METRICS, PER_CPU
from autostrada.workloads.workload import Workload

P99 = ("response_ms_p99", "latency_ms_p99")
SITE_FOOTER = "Created by Autostrada from its results files."

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


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteRun:
    """A run in a site."""

    results: Results
    name: str
    """Name of its page, unique within the site."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedCell:
    """A cell of a run with its place in the ranking of its workload."""

    run: SiteRun
    standing: Standing
    workload: Workload
    ranking: Ranking | None
    """``None`` if it is the only cell of its workload."""

    @property
    def contestants(self) -> list[str]:
        """The contestants of both ends, the server first; the engine is none."""
        cell = self.standing.outcome.cell
        return [name for name in (cell.server, cell.client) if name != REFERENCE]

    @property
    def role(self) -> str:
        """The end that is measured: ``server``, ``client`` or ``pair``."""
        cell = self.standing.outcome.cell
        if REFERENCE not in {cell.server, cell.client}:
            return "pair"
        return "server" if cell.client == REFERENCE else "client"

    @property
    def rank(self) -> str:
        """The places that its rank may stand for, of how many: ``1–3 of 33``."""
        first = self.standing.rank
        if first is None or self.ranking is None:
            return ""
        ranks = [one.rank for one in self.ranking.standings if one.rank]
        last = first + ranks.count(first) - 1
        places = str(first) if last == first else f"{first}{number.DASH}{last}"
        return f"{places} of {len(ranks)}"


def file_name(name: str) -> str:
    """Return a file name for a name that may contain any character."""
    return quote(name, safe="+=")


def library_url(name: str) -> str:
    """Return the URL of the page of a contestant, relative to the site's folder."""
    return f"libraries/{quote(file_name(name))}.html"


def run_url(run: SiteRun, suffix: str = "html") -> str:
    """Return the URL of a file of a run, relative to the site's folder."""
    return f"runs/{quote(run.name)}.{suffix}"


def ranked_cells(run: SiteRun) -> Iterator[RankedCell]:
    """Yield the cells of a run that were measured, the best first; not the engine."""
    results = run.results
    ranked = {ranking.point: ranking for ranking in rankings(results)}
    for point, workload in results.points.items():
        ranking = ranked.get(point)
        alone = (
            Standing(
                name=ends(outcome.cell),
                outcome=outcome,
                metric=ranked_by(workload, [outcome]),
            )
            for outcome in results.outcomes.values()
            if outcome.cell.workload == point
        )
        for standing in ranking.standings if ranking else alone:
            if standing.outcome.measured and not standing.is_reference:
                yield RankedCell(
                    run=run, standing=standing, workload=workload, ranking=ranking
                )


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
            TableColumn(title=title, kind="hidden", is_facet=True)
            for title in ("language", "role", "protocol", "connections", "message")
        ),
        TableColumn(title="run", is_facet=True),
        TableColumn(title="workload", kind="words", is_facet=True),
        TableColumn(title="rank", kind="number"),
        *(
            TableColumn(
                title=title,
                kind="number" if at else "main",
                unit=METRICS[names[0].format(end="server")].unit,
            )
            for at, (title, names) in enumerate(METRIC_COLUMNS.items())
        ),
        TableColumn(title="bottleneck", is_facet=True),
    )
    rows = tuple(_row(cell, root, has_details=has_details) for cell in cells)
    return Table(name=name, columns=columns, rows=rows)


def _row(cell: RankedCell, root: str, *, has_details: bool) -> TableRow:
    standing, workload = cell.standing, cell.workload
    outcome, results = standing.outcome, cell.run.results
    languages = {each.contestant: each.language for each in results.versions}
    named = [languages.get(name, "") for name in cell.contestants]
    link = library_url(cell.contestants[0]) if len(cell.contestants) == 1 else ""
    verdict = outcome.verdict
    protocol, message = _protocol(workload), _message(workload)
    connections = number.count(workload.total_connections, "connection")
    return TableRow(
        cells=(
            TableCell(text=" → ".join(cell.contestants), link=link and root + link),
            ", ".join(dict.fromkeys(filter(None, named))),
            cell.role,
            protocol,
            TableCell(
                text=number.plain(workload.total_connections, 0),
                value=workload.total_connections,
            ),
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
        details=tuple(standing_details(standing, results)) if has_details else (),
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
