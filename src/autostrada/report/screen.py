"""The first screen of a run: its answer in at most 40 lines of 80 columns."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from autostrada.errors import NotInstalled
from autostrada.report.circumstances import (
    disturbance_line,
    ends_sentence,
    machine_note,
    missing_note,
    stolen_line,
)
from autostrada.report.conclusion import Conclusion
from autostrada.report.headlines import headlines
from autostrada.report.library import libraries, notes
from autostrada.report.parts import Parts, parts_of
from autostrada.report.ranking import Ranking
from autostrada.report.ranking_table import ranking_title, table_columns
from autostrada.report.ranking_text import slices_note, unranked_note
from autostrada.report.ranking_view import CPU, MEMORY
from autostrada.report.results import Results, not_installed
from autostrada.report.table_layout import fits
from autostrada.report.terminal import (
    FINDING_STYLES,
    OTHER_STYLE,
    print_cells,
    print_table,
    print_tables,
)
from autostrada.report.text import few, listed, print_paragraph, without_thin_spaces

BOUND_NOTE = "≤ and ≥ are bounds: the load generator was the bottleneck."

TABLE_LINES_MAX = 34
"""Largest number of lines of a ranking; with fewer columns, fewer lines are broken."""


def print_screen(results: Results, console: Console) -> None:
    """
    Print the answer of a run, a table or the conclusions, and what went wrong.

    Conclusions give way to a ranking that is the result of the run, as in a race.
    """
    parts = parts_of(results)
    print_question(results, parts, console)
    if parts.conclusions and not parts.main_rankings:
        print_findings(parts.conclusions, console)
    elif parts.rankings:
        _print_ranking(parts.rankings, results, console)
    else:
        print_cells(results, console)
    print_circumstances(results, console)


def print_report(results: Results, console: Console) -> None:
    """Print the answer of a run, all of its tables and its conclusions."""
    parts = parts_of(results)
    print_question(results, parts, console)
    print_tables(results, console)
    if parts.conclusions:
        console.print()
        print_findings(parts.conclusions, console)
    print_circumstances(results, console)


def print_question(results: Results, parts: Parts, console: Console) -> None:
    """Print the question of the experiment and its answer."""
    print_paragraph(console, results.experiment.question, "bold")
    print_paragraph(console, headlines(results, parts)[0])
    console.print()


def print_findings(evaluated: Sequence[Conclusion], console: Console) -> None:
    """Print each published conclusion: finding, claim, and what was measured of it."""
    width = max(len(conclusion.finding) for conclusion in evaluated) + 2
    for number, conclusion in enumerate(evaluated, 1):
        style = FINDING_STYLES.get(conclusion.finding, OTHER_STYLE)
        word = "" if conclusion.is_changed else conclusion.finding
        claim = Text(f"{number}. {without_thin_spaces(conclusion.text)}")
        claim.truncate(console.width - width, overflow="ellipsis")
        console.print(Text.assemble((f"{word:{width}}", style), claim))
        value = conclusion.value
        if value and conclusion.wanted:
            value = f"{value}; the claim needs {conclusion.wanted}."
        found = " ".join(filter(None, (value, conclusion.short_reason)))
        line = Text(without_thin_spaces(found), style="dim")
        line.truncate(console.width - width, overflow="ellipsis")
        if found:
            console.print(Padding(line, (0, 0, 0, width)))
    console.print()


def print_circumstances(results: Results, console: Console) -> None:
    """Print what failed, and what disturbed the run."""
    wrong = (
        *_absent(results),
        missing_note(results.missing),
        machine_note(results.host),
    )
    for note in filter(None, wrong):
        print_paragraph(console, note, "red")
    trials = len(results.trials)
    lines = (
        disturbance_line(results.disturbances, trials),
        stolen_line(results.stolen_shares),
        ends_sentence(results.host) if "client_hosts" in results.host else "",
    )
    print_paragraph(console, " ".join(filter(None, lines)))


def _print_ranking(
    ranked: Sequence[Ranking], results: Results, console: Console
) -> None:
    first, *others = ranked
    columns = table_columns(first, first.standings, results)
    for title in (MEMORY, CPU):
        if fits(columns, console.width, lines_max=TABLE_LINES_MAX):
            break
        columns = [column for column in columns if column.title != title]
    print_table(ranking_title(first), columns, console)
    if note := slices_note(first):
        print_paragraph(console, note)
    elif any(standing.is_bound for standing in first.measured):
        print_paragraph(console, BOUND_NOTE)
    if unranked := unranked_note(first):
        print_paragraph(console, unranked)
    shown = libraries(
        [standing.outcome.cell for standing in first.measured], results.versions
    )
    for note in notes(shown):
        print_paragraph(console, note)
    if others:
        rankings_are = "ranking is" if len(others) == 1 else "rankings are"
        points = listed([other.point for other in others])
        print_paragraph(
            console, f"{len(others)} other {rankings_are} on the page: {points}."
        )


def _absent(results: Results) -> Iterator[str]:
    """Yield a sentence about what is not installed, and one about what failed."""
    if missing := sorted(not_installed(results)):
        yield f"Not installed: {few(missing)} (autostrada doctor --install)."
    if failed := failed_contestants(results):
        yield f"Failed: {few(failed)}."


def failed_contestants(results: Results) -> list[str]:
    """Return the contestants that failed, each with its kinds of failure."""
    kinds = {
        (outcome.cell.contestant, failure.kind): None
        for outcome in results.outcomes.values()
        for failure in outcome.failures
        if failure.kind != NotInstalled.kind
    }
    return [f"{name} ({kind})" for name, kind in kinds]
