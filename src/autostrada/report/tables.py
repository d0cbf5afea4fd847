"""The downloadable tables of a run, as values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from autostrada.report.conclusion import Conclusion
from autostrada.report.export import Rows
from autostrada.report.published import PairTable
from autostrada.report.ranking import Ranking
from autostrada.report.ranking_view import ranking_columns
from autostrada.report.results import Outcome, Results
from autostrada.report.time_series import TimeSeries, time_series_rows
from autostrada.stats.metrics import METRICS


def all_tables(
    results: Results,
    ranked: Sequence[Ranking],
    published: Iterable[PairTable],
    series: Iterable[TimeSeries],
    evaluated: Iterable[Conclusion],
) -> dict[str, Rows]:
    """Return all tables that have rows, by file name without suffix."""
    every: dict[str, Iterable[Mapping[str, Any]]] = {
        **{f"table-{ranking.point}": _ranked(ranking, results) for ranking in ranked},
        "table-metrics": (
            row for outcome in results.outcomes.values() for row in _metrics(outcome)
        ),
        "table-published": _published(published),
        "table-systems": (
            {**system.model_dump(mode="json"), "by": " ".join(system.by)}
            for system in (results.publication.system if results.publication else ())
        ),
        "table-conclusions": _conclusions(evaluated),
        "time-series": time_series_rows(series),
        "trials": results.trials,
        "versions": map(asdict, results.versions),
    }
    return {name: rows for name, found in every.items() if (rows := list(found))}


def _ranked(ranking: Ranking, results: Results) -> Iterator[Mapping[str, Any]]:
    columns = ranking_columns(ranking, ranking.every, results)
    for standing in ranking.every:
        row = {"rank": standing.rank, **asdict(standing.outcome.cell)}
        for column in columns:
            row |= column.values(standing)
        yield row


def _metrics(outcome: Outcome) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each metric of a cell; a cell without metrics has one row."""
    for name, sampled in outcome.metrics.items():
        yield asdict(outcome.cell) | {
            "metric": name,
            "bound": outcome.sign(METRICS[name]).strip(),
            **asdict(sampled.interval),
            "repetitions": len(sampled.values),
            **_bottleneck(outcome),
        }
    if not outcome.metrics:
        yield asdict(outcome.cell) | {"absence": outcome.absence}


def _published(tables: Iterable[PairTable]) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each published value, with ours of the same cell."""
    for table in tables:
        for pair in table.pairs:
            published, theirs = pair.published, next(iter(pair.values), None)
            yield {
                "table": table.title,
                "metric": table.metric.name,
                **asdict(pair.cell),
                "as_published": published.value,
                "also_published": published.also,
                "published_unit": table.unit,
                "published_bound": published.bound or "",
                "published": theirs,
                "note": published.note,
                **(asdict(pair.sampled.interval) if pair.sampled else {}),
                "to_published": pair.median / theirs
                if pair.median is not None and theirs
                else None,
                **(_bottleneck(pair.outcome) if pair.outcome else {}),
            }


def _conclusions(evaluated: Iterable[Conclusion]) -> Iterator[Mapping[str, Any]]:
    for conclusion in evaluated:
        unmet = (condition.sentence for condition in conclusion.unmet)
        yield {
            "conclusion": conclusion.text,
            "finding": str(conclusion.finding),
            "shown": " ".join(comparison.sentence for comparison in conclusion.parts),
            "reason": " ".join(filter(None, (conclusion.reason, *unmet))),
        }


def _bottleneck(outcome: Outcome) -> Mapping[str, str]:
    return {
        "bottleneck": outcome.bottleneck,
        "evidence": outcome.evidence,
        "absence": outcome.absence,
    }
