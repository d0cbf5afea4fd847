"""The tables of an experiment as values, to be downloaded."""

from collections.abc import Iterator, Mapping
from typing import Any

from autostrada.experiment.publication import PublishedCell, PublishedTable
from autostrada.report.experiment.conclusion import conclusions
from autostrada.report.experiment.figure import FIGURES
from autostrada.report.experiment.results import Outcome, Results
from autostrada.report.experiment.sample import Sampled
from autostrada.report.export.table import Table, table_of


def experiment_tables(results: Results) -> dict[str, Table]:
    """Return all figures, what was published beside ours, conclusions and searches."""
    tables = {
        "table-figures": table_of(
            [row for outcome in results.outcomes.values() for row in _figures(outcome)]
        ),
        "table-published": table_of(list(_published(results))),
        "table-searches": table_of(list(_searches(results))),
    }
    filled = {name: table for name, table in tables.items() if table.rows}
    return filled | conclusion_tables(results)


def conclusion_tables(results: Results) -> dict[str, Table]:
    """Return the published conclusions with what shows them; none without any."""
    table = table_of(list(_conclusions(results)))
    return {"table-conclusions": table} if table.rows else {}


def _figures(outcome: Outcome) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each figure of a cell, and one for a cell that has none."""
    for name, sampled in outcome.figures.items():
        yield _cell(outcome) | {
            "figure": name,
            "bound": outcome.sign(FIGURES[name]).strip(),
            **_median(sampled),
            "repetitions": len(sampled.values),
            **_limit(outcome),
        }
    if not outcome.figures:
        yield _cell(outcome) | {"absence": outcome.absence}


def _published(results: Results) -> Iterator[Mapping[str, Any]]:
    for table in results.publication.table if results.publication else ():
        for published in table.cells:
            yield _pair(table, published, results)


def _pair(
    table: PublishedTable, published: PublishedCell, results: Results
) -> Mapping[str, Any]:
    """Return one published figure, and ours of the same cell."""
    cell = table.cell(published)
    outcome = results.outcomes.get(cell)
    sampled = outcome.figures.get(table.figure) if outcome else None
    theirs = published.value
    ratio = sampled.interval.median / theirs if sampled and theirs else None
    return {
        "table": table.title,
        "figure": table.figure,
        "server": cell.server,
        "client": cell.client,
        "workload": cell.workload,
        "published": theirs,
        "note": published.note,
        **(_median(sampled) if sampled else {}),
        "to_published": ratio,
        **(_limit(outcome) if outcome else {}),
    }


def _conclusions(results: Results) -> Iterator[Mapping[str, Any]]:
    for conclusion in conclusions(results):
        yield {
            "conclusion": conclusion.text,
            "holding": str(conclusion.holding),
            "shown": " ".join(each.sentence for each in conclusion.shown),
            "reason": conclusion.reason,
        }


def _searches(results: Results) -> Iterator[Mapping[str, Any]]:
    for searched in results.searches:
        for value, trials in searched.tried.items():
            yield {
                "server": searched.cell.server,
                "client": searched.cell.client,
                "workload": searched.cell.workload,
                searched.search.parameter: searched.of_all(value),
                "processes": searched.processes,
                "well": sum(trials),
                "trials": len(trials),
                "unwell": searched.reasons.get(value, ""),
            }


def _cell(outcome: Outcome) -> dict[str, Any]:
    cell = outcome.cell
    return {"server": cell.server, "client": cell.client, "workload": cell.workload}


def _median(sampled: Sampled) -> Mapping[str, float]:
    interval = sampled.interval
    return {
        "median": interval.median,
        "low": interval.low,
        "high": interval.high,
        "confidence": interval.confidence,
    }


def _limit(outcome: Outcome) -> Mapping[str, str]:
    verdict = outcome.verdict
    return {
        "limit": str(verdict.limit) if verdict else "",
        "evidence": verdict.evidence if verdict else "",
        "absence": outcome.absence,
    }
