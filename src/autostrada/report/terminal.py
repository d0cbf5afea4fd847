"""Tables of a run for a terminal, readable at 80 columns and without colours."""

from collections.abc import Collection, Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from autostrada.experiment.matrix import Cell
from autostrada.report.claims import conclusions
from autostrada.report.interval import interval_note
from autostrada.report.library import libraries
from autostrada.report.library import notes as library_notes
from autostrada.report.overview import DISTURBED, by_ends, problems
from autostrada.report.published import (
    Pair,
    PairTable,
    published_tables,
)
from autostrada.report.ranking import rankings
from autostrada.report.ranking_table import ranking_title, table_columns
from autostrada.report.ranking_text import bound_note, slices_note
from autostrada.report.results import Outcome, Results
from autostrada.report.table_layout import Column, filled, lay_out
from autostrada.report.text import print_paragraph, text, two_lines
from autostrada.stats.claim import Finding
from autostrada.stats.metrics import METRICS, Metric

FINDING_STYLES = {Finding.CONFIRMED: "green", Finding.CONTRADICTED: "red"}
OTHER_STYLE = "yellow"


def print_tables(results: Results, console: Console) -> None:
    """Print all rankings, published tables and cells, and what failed."""
    ranked = rankings(results)
    for ranking in ranked:
        columns = table_columns(ranking, ranking.every, results)
        caption = slices_note(ranking)
        print_table(ranking_title(ranking), columns, console, caption)
    for table in published_tables(results):
        if any(pair.is_tested for pair in table.pairs):
            _print_published(table, console)
    ranked_cells = {standing.outcome.cell for one in ranked for standing in one.every}
    print_cells(results, console, without=ranked_cells)
    for problem in problems(results):
        if problem.kind == DISTURBED:
            continue
        kind = (problem.kind, "red")
        console.print(
            Text.assemble(
                f"{problem.subject}: ", kind, text(f": {problem.description}")
            )
        )
    is_by_slices = bool(ranked) and all(each.slices for each in ranked)
    has_bounds = any(each.has_bounds for each in ranked)
    bounds = bound_note() if has_bounds else results.bounds_note
    notes = (
        *([] if is_by_slices else [interval_note(results.usual_repetitions), bounds]),
        results.clients_note,
        *library_notes(libraries(results.outcomes, results.versions)),
    )
    print_paragraph(console, " ".join(filter(None, notes)), "dim")


def print_cells(
    results: Results, console: Console, *, without: Collection[Cell] = ()
) -> None:
    """Print a table for each server and client."""
    measured = (
        outcome
        for outcome in results.outcomes.values()
        if outcome.measured and outcome.cell not in without
    )
    for name, outcomes in by_ends(measured).items():
        shown = _shown(outcomes)
        columns = _columns("cell", *(metric.column for metric in shown), "limited by")
        rows = (
            (text(each.workload), *_medians(each, shown), text(each.bottleneck))
            for each in outcomes
        )
        print_table(name, filled(columns, rows), console)


def print_conclusions(results: Results, console: Console) -> None:
    """Print the finding for each published conclusion with all of its grounds."""
    for conclusion in conclusions(results):
        style = FINDING_STYLES.get(conclusion.finding, OTHER_STYLE)
        console.print(
            Text.assemble((f"{conclusion.finding}: ", style), text(conclusion.text))
        )
        for sentence in conclusion.grounds:
            console.print(Padding(text(sentence, "dim"), (0, 0, 0, 3)))


def print_table(
    title: str, columns: Sequence[Column], console: Console, caption: str = ""
) -> None:
    """Print a table below its title and caption, with an empty line after it."""
    print_paragraph(console, title, "bold")
    if caption:
        print_paragraph(console, caption, "dim")
    repeated = sum(column.identifies for column in columns)
    for table in lay_out(columns, width=console.width, repeated=repeated):
        console.print(table)
    console.print()


def _shown(outcomes: Sequence[Outcome]) -> list[Metric]:
    """Return the metrics of the table of cells that at least one cell has."""
    known = {name for outcome in outcomes for name in outcome.metrics}
    return [
        metric
        for metric in METRICS.values()
        if "cells" in metric.terminal and metric.name in known
    ]


def _columns(first: str, *others: str) -> list[Column]:
    """Return empty columns; the first one identifies the row."""
    return [
        Column(title=first, justify="left", wraps=True, identifies=True),
        *(Column(title=other, wraps=True) for other in others[:-1]),
        Column(title=others[-1], justify="left", wraps=True),
    ]


def _print_published(table: PairTable, console: Console) -> None:
    notes = ". ".join(filter(None, (table.caption, table.untested_note)))
    if not table.rows_title:
        columns = _columns("cell", "published", "ours", "ratio", "limited by")
        rows = (
            (text(row.name), *_pair_cells(pair))
            for row in table.rows
            for pair in row.pairs
            if pair.is_tested
        )
        print_table(table.title, filled(columns, rows), console, notes)
        return
    heads = [f"{table.columns_title} {column}" for column in table.columns]
    grid = [
        Column(title=table.rows_title, justify="left", identifies=True),
        *(Column(title=head, wraps=True) for head in heads),
    ]
    rows = ((text(row.name), *map(_grid_cell, row.pairs)) for row in table.rows)
    inside = "in each cell: published, ours, its interval, ratio and bottleneck"
    print_table(table.title, filled(grid, rows), console, f"{notes}; {inside}")


def _pair_cells(pair: Pair) -> Iterator[Text]:
    yield two_lines(pair.theirs, pair.note)
    if pair.ours:
        yield two_lines(pair.ours, pair.bounds)
    else:
        yield text(pair.absence, "red")
    yield two_lines(pair.ratio, pair.ratio_bounds if pair.ratio else "")
    yield text(pair.bottleneck)


def _grid_cell(pair: Pair) -> Text:
    lines = [text(pair.theirs, "dim")]
    if pair.ours:
        lines += [text(pair.ours, "bold"), text(pair.bounds, "dim")]
        lines += [text(f"{pair.ratio} {pair.bottleneck}".strip())]
    else:
        lines += [text(pair.absence, "red")]
    return Text("\n").join(line for line in lines if line.plain)


def _medians(outcome: Outcome, shown: Sequence[Metric]) -> Iterator[Text]:
    for metric in shown:
        yield text(outcome.written(metric) if metric.name in outcome.metrics else "-")
