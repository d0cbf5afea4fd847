"""The tables of a race as values, to be downloaded: what the page says in words."""

from collections.abc import Mapping
from typing import Any

from autostrada.report.export.table import Table, table_of
from autostrada.report.race.published import all_sources
from autostrada.report.race.race import Figures, Race, Ranking, Standing
from autostrada.stats.ratio import Ratio


def race_tables(race: Race) -> dict[str, Table]:
    """Return the table of each workload, and what was published beside it."""
    tables = {
        f"table-{ranking.workload.name}": ranking_table(ranking)
        for ranking in race.rankings
    }
    if race.experiment.published:
        tables["table-published"] = published_table(race)
    return tables


def ranking_table(ranking: Ranking) -> Table:
    """Return a row for each contestant, in the order of the page."""
    every = [ranking.reference] if ranking.reference else []
    return table_of([_row(each) for each in (*every, *ranking.standings)])


def published_table(race: Race) -> Table:
    """Return a row for each contestant of each table, published or measured."""
    return table_of(
        [
            {
                "source": source.title,
                "is_measured": source.is_measured,
                "contestant": name,
                "ms_per_million": figure.milliseconds,
                "is_upper_bound": figure.is_upper_bound,
                "to_winner": figure.to_winner,
            }
            for source in all_sources(race)
            for name, figure in source.figures.items()
        ]
    )


def _row(standing: Standing) -> Mapping[str, Any]:
    version, figures = standing.version, standing.figures
    kinds = dict.fromkeys(failed.failure.kind for failed in standing.failures)
    return {
        "contestant": standing.contestant,
        "library": version.library if version else None,
        "version": version.version if version else None,
        **(_figures(figures) if figures else {}),
        "failed_repetitions": sum(failed.is_counted for failed in standing.failures),
        "failures": ", ".join(kinds),
    }


def _figures(figures: Figures) -> Mapping[str, Any]:
    interval, verdict = figures.interval, figures.verdict
    return {
        "rank": figures.rank,
        "ms_per_million": interval.median,
        "ms_per_million_low": interval.low,
        "ms_per_million_high": interval.high,
        "confidence": interval.confidence,
        "is_upper_bound": verdict.is_lower_bound,
        "repetitions": len(figures.ns_per_message),
        "coefficient_of_variation": figures.variation,
        "messages_per_s": figures.messages_per_s,
        **_ratio("to_fastest", figures.to_fastest),
        **_ratio("to_reference", figures.to_reference),
        "client_cpu_ns_per_message": figures.client_cpu_ns_per_message,
        "client_memory_bytes_max": figures.client_peak_resident_bytes,
        "limit": str(verdict.limit),
        "evidence": verdict.evidence,
    }


def _ratio(name: str, ratio: Ratio | None) -> Mapping[str, float | None]:
    return {
        name: ratio.value if ratio else None,
        f"{name}_low": ratio.low if ratio else None,
        f"{name}_high": ratio.high if ratio else None,
    }
