"""What others published beside what was measured here, each relative to its winner."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autostrada.experiment.experiment import Published
from autostrada.report.race.race import Race, Ranking

MESSAGES_SHOWN = 1_000_000
"""Durations are shown for so many messages, whatever number was sent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One contestant's duration in one table, for a million messages."""

    milliseconds: float
    to_winner: float
    is_upper_bound: bool = False
    """Whether the server was the limit, so that the duration may be shorter."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """One table: somebody else's, or one workload of this run."""

    title: str
    is_measured: bool
    figures: Mapping[str, Figure]


def published_sources(tables: Sequence[Published]) -> tuple[Source, ...]:
    """Return the published tables, scaled to a million messages."""
    return tuple(
        Source(
            title=table.title,
            is_measured=False,
            figures={
                name: Figure(
                    milliseconds=milliseconds * MESSAGES_SHOWN / table.messages,
                    to_winner=milliseconds / min(table.milliseconds.values()),
                )
                for name, milliseconds in table.milliseconds.items()
            },
        )
        for table in tables
    )


def measured_source(ranking: Ranking) -> Source:
    """Return the table of one workload of this run, without the reference."""
    measured = ranking.measured
    return Source(
        title=f"measured, {ranking.workload.name}",
        is_measured=True,
        figures={
            standing.contestant: Figure(
                milliseconds=figures.interval.median,
                to_winner=figures.interval.median / measured[0][1].interval.median,
                is_upper_bound=figures.verdict.is_lower_bound,
            )
            for standing, figures in measured
        },
    )


def all_sources(race: Race) -> tuple[Source, ...]:
    """Return the published tables, then the workloads of this run."""
    return (
        *published_sources(race.experiment.published),
        *(measured_source(ranking) for ranking in race.rankings),
    )


def compared_contestants(race: Race) -> Iterator[tuple[str, bool]]:
    """
    Yield every contestant of any table, and whether it was measured here.

    Those that were measured come first, in the order of the first workload, then the
    others in the order of the first published table.
    """
    sources = all_sources(race)
    measured = dict.fromkeys(
        name for source in sources if source.is_measured for name in source.figures
    )
    yield from ((name, True) for name in measured)
    published = {
        name: figure.to_winner
        for source in reversed(sources)
        for name, figure in source.figures.items()
        if name not in measured
    }
    for name in sorted(published, key=lambda name: (published[name], name)):
        yield name, False
