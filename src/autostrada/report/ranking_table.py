"""The table of a ranking on a terminal: one line for each contestant."""

import re
from collections.abc import Iterator, Sequence

from rich.text import Text

from autostrada.report.library import libraries_of
from autostrada.report.ranking import Ranking, Standing
from autostrada.report.ranking_view import (
    BOTTLENECK,
    SIDES,
    Medium,
    RankingEntry,
    has_row,
    shown_on,
)
from autostrada.report.results import Results
from autostrada.report.table_layout import Column
from autostrada.report.text import text
from autostrada.stats.verdict import Bottleneck

BOTTLENECK_STYLES = {
    Bottleneck.CLIENT_CPU.name.lower(): "green",
    Bottleneck.RECEIVE_WINDOW.name.lower(): "green",
    Bottleneck.LOAD_GENERATOR.name.lower(): "red",
}
OTHER_STYLE = "yellow"


def ranking_title(ranking: Ranking) -> str:
    """Describe the workload of a ranking, and by which metric it is ranked."""
    by = f"{ranking.point}: {ranking.metric.title}"
    conditions = ranking.workload.conditions
    return f"{by}; {conditions}" if conditions else by


def table_columns(
    ranking: Ranking, standings: Sequence[Standing], results: Results
) -> list[Column]:
    """Return a table with a line for each measured standing, in the given order."""
    shown = [standing for standing in standings if has_row(standing)]
    ranks = [text(str(standing.rank or "")) for standing in shown]
    columns = [
        Column(title="", identifies=True, cells=ranks),
        *_name_columns(shown, results),
    ]
    for column in shown_on(Medium.TERMINAL, ranking, shown, results):
        is_last = column.kind == BOTTLENECK
        columns.append(
            Column(
                title=column.titles[Medium.TERMINAL],
                justify="left" if is_last else "right",
                wraps=is_last,
                cells=[_text(column.entry(standing)) for standing in shown],
            )
        )
    return columns


def _text(entry: RankingEntry) -> Text:
    style = BOTTLENECK_STYLES.get(entry.kind, OTHER_STYLE) if entry.kind else ""
    return text(entry.text if entry.narrow is None else entry.narrow, style)


def _name_columns(shown: Sequence[Standing], results: Results) -> Iterator[Column]:
    """Yield a column with names and versions, or two if both ends are contestants."""
    if any(" → " in standing.name for standing in shown):
        for index, title in enumerate(SIDES):
            names = [text(standing.name.split(" → ")[index]) for standing in shown]
            yield _names(title, names)
        return
    versions = {
        version.contestant: version.version or "" for version in results.versions
    }
    names = []
    for standing in shown:
        known = libraries_of(standing.outcome.cell, results.versions)
        marks = "".join(library.mark for library in known)
        names.append(
            text(f"{standing.name}{marks} {_version(standing, versions)}".strip())
        )
    yield _names("library, version", names)


def _names(title: str, cells: list[Text]) -> Column:
    return Column(title=title, justify="left", wraps=True, identifies=True, cells=cells)


def _version(standing: Standing, versions: dict[str, str]) -> str:
    """Return the first word of a version that has a digit."""
    known = versions.get(standing.name) or versions.get(
        standing.outcome.cell.contestant
    )
    word = re.search(r"\S*\d\S*", known or "")
    return word[0] if word else ""
