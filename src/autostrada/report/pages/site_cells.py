"""The measured cells of the runs of a site, and the addresses of its pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from autostrada.experiment.matrix import REFERENCE
from autostrada.report import number
from autostrada.report.overview import ends
from autostrada.report.ranking import Ranking, Standing, ranked_by, rankings
from autostrada.report.results import Results
from autostrada.workloads.workload import Workload

SITE_FOOTER = "Created by Autostrada from its results files."


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
