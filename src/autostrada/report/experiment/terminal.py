"""The tables of an experiment for a terminal, readable at 80 columns."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autostrada.report import number
from autostrada.report.circumstance.calibration import calibration_sentence
from autostrada.report.circumstance.disturbance import (
    disturbance_caution,
    disturbance_sentence,
)
from autostrada.report.circumstance.machine import machine_note
from autostrada.report.experiment.conclusion import Conclusion, conclusions, headline
from autostrada.report.experiment.figure import FIGURES, Figure
from autostrada.report.experiment.overview import by_ends, ends, gap, troubles
from autostrada.report.experiment.published import (
    Pair,
    limit_word,
    published_tables,
)
from autostrada.report.experiment.published import Table as PublishedTable
from autostrada.report.experiment.results import Outcome, Results
from autostrada.report.experiment.search import Searched
from autostrada.report.interval import interval_note
from autostrada.report.text import say, text, two_lines
from autostrada.stats.claim import Holding

STYLES = {Holding.HOLDS: "green", Holding.FAILS: "red", Holding.UNTOLD: "yellow"}

MAIN = {
    "ms_per_million": "ms/1M",
    "received_per_s": "recv/s",
    "achieved_per_s": "events/s",
    "latency_ms_p99": "p99",
    "response_ms_p99": "p99",
    "server_cpu_share": "CPU",
    "server_memory_bytes_max": "memory",
}
"""What the one table of all cells shows, of what there is, and how it is called."""


SEARCHED = {
    "achieved_share": "achieved",
    "on_time_share": "on time",
    "response_ms_p99": "p99",
    "latency_ms_p99": "p99",
    "server_cpu_share": "CPU",
    "server_memory_bytes_max": "memory",
}
"""What the table of a search shows, of what there is."""


def print_experiment(results: Results, console: Console) -> None:
    """Print what was published beside ours, all cells, and what it all says."""
    say(console, results.experiment.question, "bold")
    started_at = results.run.started_at.strftime("%Y-%m-%d %H:%M UTC")
    repetitions = number.count(results.repetitions, "repetition")
    say(console, f"{results.run.command} · {started_at} · {repetitions}", "dim")
    notes = (
        gap(results),
        machine_note(results.host),
        disturbance_caution(results.disturbances),
    )
    for note in filter(None, notes):
        say(console, note, "red")
    for table in published_tables(results):
        console.print()
        _print_published(table, console)
    console.print()
    say(console, "all cells: medians", "bold")
    for name, outcomes in _overview(results).items():
        say(console, name, "dim")
        console.print(_cells(outcomes))
    for line in _troubles(results):
        console.print(Padding(line, (0, 0, 0, 3)))
    for searched in results.searches:
        console.print()
        name = f"{ends(searched.cell)} in {searched.cell.workload}"
        say(console, f"the most: {name}", "bold")
        say(console, searched.sentence)
        console.print(_search(searched, results))
    judged = conclusions(results)
    if judged:
        console.print()
        print_conclusions(judged, console)
    console.print()
    say(console, headline(judged, results), "bold")
    say(console, _notes(results), "dim")


def _print_published(table: PublishedTable, console: Console) -> None:
    say(console, table.title, "bold")
    inside = "; in each cell: theirs, ours, its interval, ratio and limit"
    words = f"{table.who}: {table.figure.title}" if table.who else table.figure.title
    if table.figure.better != "neither":
        words += f", {table.figure.better} is better"
    say(console, f"{words}{inside if table.rows_title else ''}", "dim")
    if table.rows_title:
        console.print(_grid(table))
        return
    listed = _plain_table("cell", "published", "ours", "ratio", "limit")
    for row in table.rows:
        for pair in filter(None, row.pairs):
            listed.add_row(text(row.name), *_columns(pair))
    console.print(listed)


def _columns(pair: Pair) -> Iterator[Text]:
    yield two_lines(pair.theirs, pair.note) if pair.note else text(pair.theirs)
    if pair.ours:
        yield two_lines(pair.ours, pair.bounds)
    else:
        yield text(pair.absence, "red")
    yield two_lines(pair.ratio, pair.ratio_bounds) if pair.ratio else text("")
    yield text(pair.limit)


def _grid(table: PublishedTable) -> Table:
    """Return a table of two parameters: in each of its cells theirs, ours and more."""
    heads = [f"{table.columns_title} {column}" for column in table.columns]
    grid = _plain_table(table.rows_title, *heads)
    for row in table.rows:
        cells = (_grid_cell(pair) if pair else text("–", "dim") for pair in row.pairs)
        grid.add_row(text(row.name), *cells)
    return grid


def _grid_cell(pair: Pair) -> Text:
    lines = [text(pair.theirs, "dim")]
    if pair.ours:
        lines += [text(pair.ours, "bold"), text(pair.bounds, "dim")]
        lines += [text(f"{pair.ratio} {pair.limit}".strip())]
    else:
        lines += [text(pair.absence, "red")]
    return Text("\n").join(line for line in lines if line.plain)


def _overview(results: Results) -> dict[str, list[Outcome]]:
    """Return what was measured by server and client, without what was searched."""
    return by_ends(
        outcome
        for outcome in results.outcomes.values()
        if outcome.measured and not results.is_searched(outcome.cell)
    )


def _cells(outcomes: Sequence[Outcome]) -> Table:
    shown = [
        FIGURES[name]
        for name in MAIN
        if any(name in outcome.figures for outcome in outcomes)
    ]
    table = _plain_table("cell", *(MAIN[figure.name] for figure in shown), "limit")
    for outcome in outcomes:
        table.add_row(*_overview_row(outcome, shown))
    return table


def _overview_row(outcome: Outcome, shown: Sequence[Figure]) -> Iterator[Text]:
    yield text(outcome.cell.workload)
    for figure in shown:
        yield _median(outcome, figure)
    yield text(limit_word(outcome))


def _median(outcome: Outcome, figure: Figure) -> Text:
    sampled = outcome.figures.get(figure.name)
    return text(outcome.written(figure) if sampled else "-")


def _troubles(results: Results) -> Iterator[Text]:
    for each in troubles(results):
        yield Text.assemble(
            text(f"{each.where}: "), (each.kind, "red"), text(f": {each.words}")
        )


def _search(searched: Searched, results: Results) -> Table:
    """Return every value that a search has tried, the smallest first."""
    outcomes = {value: results.outcomes[searched.at(value)] for value in searched.tried}
    names = [
        name
        for name in SEARCHED
        if any(name in outcome.figures for outcome in outcomes.values())
    ]
    titles = [SEARCHED[name] for name in names]
    table = _plain_table(searched.search.parameter, "well", *titles, "limit")
    for value, outcome in outcomes.items():
        trials = searched.tried[value]
        table.add_row(
            text(number.plain(searched.of_all(value), 0)),
            text(f"{sum(trials)} of {len(trials)}"),
            *(_median(outcome, FIGURES[name]) for name in names),
            text(limit_word(outcome)),
        )
    return table


def print_conclusions(judged: Sequence[Conclusion], console: Console) -> None:
    """Print which published conclusions hold, each with what shows it."""
    say(console, "the published conclusions", "bold")
    for conclusion in judged:
        style = STYLES[conclusion.holding]
        console.print(
            Text.assemble((f"{conclusion.holding}: ", style), text(conclusion.text))
        )
        decisive = conclusion.decisive.sentence if conclusion.decisive else ""
        for sentence in filter(None, (conclusion.reason, conclusion.tally, decisive)):
            console.print(Padding(text(sentence, "dim"), (0, 0, 0, 3)))


def _notes(results: Results) -> str:
    notes = (
        interval_note(results.repetitions),
        "A conclusion is judged by intervals alone. The page has every figure.",
        results.bounds_note,
        disturbance_sentence(results.disturbances, results.counted_trials),
        calibration_sentence(results.calibration),
    )
    return " ".join(filter(None, notes))


def _plain_table(first: str, *others: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(first, overflow="fold")
    for other in others:
        left = other == "limit"
        table.add_column(other, justify="left" if left else "right", overflow="fold")
    return table
