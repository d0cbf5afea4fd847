"""Terminal report of a run, readable at 80 columns and without colours."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autostrada.experiment.publication import System, SystemState
from autostrada.report import number
from autostrada.report.answers import answers
from autostrada.report.circumstances import (
    calibration_sentence,
    disturbance_caution,
    disturbance_sentence,
    machine_note,
)
from autostrada.report.claims import Conclusion, conclusions
from autostrada.report.headlines import headlines
from autostrada.report.interval import interval_detail, interval_note, usual_confidence
from autostrada.report.overhead import overhead_of, overheads
from autostrada.report.overview import by_ends, ends, missing_note, problems
from autostrada.report.published import (
    Pair,
    PairTable,
    bottleneck_word,
    published_tables,
    substitutes,
    systems,
)
from autostrada.report.ranking import (
    Ranking,
    Standing,
    bound_note,
    caution,
    is_race,
    rankings,
    reason,
    to_best,
    to_reference,
    wire,
)
from autostrada.report.results import Outcome, Results, read_results
from autostrada.report.search import Searched
from autostrada.report.server_host import HostRow, host_rows
from autostrada.report.steady import cold_note
from autostrada.report.table_layout import Column, lay_out
from autostrada.report.text import listed, print_paragraph, text, two_lines
from autostrada.report.verdict import head_room
from autostrada.stats.claim import Finding
from autostrada.stats.figures import FIGURES, Figure, TerminalTable
from autostrada.stats.verdict import Bottleneck
from autostrada.store.reader import StoreReader
from autostrada.workloads.push import Push

STYLES = {Finding.CONFIRMED: "green", Finding.CONTRADICTED: "red"}

BOTTLENECK_STYLES = {
    Bottleneck.CLIENT_CPU: "green",
    Bottleneck.RECEIVE_WINDOW: "green",
    Bottleneck.LOAD_GENERATOR: "red",
}
SYSTEM_STYLES = {
    SystemState.MEASURED: "green",
    SystemState.VARIANT: "green",
    SystemState.NOT_AVAILABLE: "red",
}
OTHER_STYLE = "yellow"


def print_run(store_path: Path, console: Console, run_id: int | None = None) -> None:
    """
    Print the report of a run; ``None`` stands for the newest run.

    Raises:
        UsageError: the store or the run does not exist.
    """
    with StoreReader.open(store_path) as reader:
        print_results(read_results(reader, run_id), console)


def print_results(results: Results, console: Console) -> None:
    """
    Print the answer, all tables, the conclusions and the headlines.

    The headlines begin with the answer again: they are what remains visible.
    """
    print_paragraph(console, results.experiment.question, "bold")
    for sentence in answers(results):
        print_paragraph(console, sentence)
    started_at = results.run.started_at.strftime("%Y-%m-%d %H:%M UTC")
    repetitions = number.count(results.repetitions, "repetition")
    print_paragraph(
        console, f"{results.run.command} · {started_at} · {repetitions}", "dim"
    )
    notes = (
        missing_note(results),
        machine_note(results.host),
        disturbance_caution(results.disturbances),
    )
    for note in filter(None, notes):
        print_paragraph(console, note, "red")
    ranked = rankings(results)
    for ranking in ranked:
        console.print()
        _print_ranking(ranking, results, console)
    _print_publication(results, console)
    _print_hosts(host_rows(results), console)
    if not is_race(results):
        _print_cells(results, console)
    for line in _problems(results):
        console.print(Padding(line, (0, 0, 0, 3)))
    for searched in results.searches:
        console.print()
        name = f"{ends(searched.cell)} in {searched.cell.workload}"
        print_paragraph(console, f"capacity: {name}", "bold")
        print_paragraph(console, searched.sentence)
        console.print(_search(searched, results))
    if judged := conclusions(results):
        console.print()
        _print_conclusions(judged, console)
    console.print()
    for sentence in headlines(results, ranked):
        print_paragraph(console, sentence, "bold")
    if is_race(results) and ranked:
        print_paragraph(console, f"{reason(ranked[0])} {caution(ranked)}".strip())
    print_paragraph(console, _notes(results, ranked), "dim")


def _print_publication(results: Results, console: Console) -> None:
    for table in published_tables(results):
        console.print()
        _print_published(table, console)
    if named := systems(results):
        console.print()
        _print_systems(named, console)


def _print_cells(results: Results, console: Console) -> None:
    console.print()
    print_paragraph(console, "all cells", "bold")
    for name, outcomes in _overview(results).items():
        print_paragraph(console, name, "dim")
        console.print(_cells(outcomes))


def _print_ranking(ranking: Ranking, results: Results, console: Console) -> None:
    print_paragraph(console, _heading(ranking, results), "bold")
    if wire_bytes := wire(ranking):
        print_paragraph(console, wire_bytes, "dim")
    if cold := cold_note(ranking):
        print_paragraph(console, f"{cold} The page shows their rates over time.", "dim")
    for table in lay_out(
        _ranking_table(ranking, results), width=console.width, repeated=2
    ):
        console.print(table)


def _ranking_table(ranking: Ranking, results: Results) -> list[Column]:
    """Return the columns of a ranking; the first two identify the contestant."""
    further = _ranking_columns(ranking)
    second = "to ref." if ranking.reference else "CV"
    columns = [
        Column(title=""),
        Column(title="contestant\nversion", justify="left", wraps=True),
        Column(title=f"{ranking.figure.column}\ninterval", wraps=True),
        Column(title=f"to best\n{second}"),
        Column(title="bottleneck\nnext", justify="left", wraps=True),
        *(Column(title="\n".join(each.column for each in one)) for one in further),
        Column(title="harness\n"),
    ]
    usual = usual_confidence(results.repetitions)
    for standing in ranking.every:
        is_shown = standing.sampled or standing.is_unsteady
        if is_shown and standing.outcome.verdict:
            row = _ranked(standing, ranking, further, results, usual)
            for column, cell in zip(columns, row, strict=True):
                column.cells.append(cell)
    if not overheads():
        del columns[-1]
    return columns


def _heading(ranking: Ranking, results: Results) -> str:
    workload = ranking.workload
    if not isinstance(workload, Push):
        return f"{ranking.point}: ranked by {ranking.figure.title}"
    frames = "many frames" if workload.frames_per_write == "many" else "one frame"
    compression = ", compression granted" if workload.deflate else ""
    is_shared = results.host.get("is_shared_core") == "true"
    core = ", both ends on one core" if is_shared else ""
    seconds = (
        f" and at least {number.plain(workload.seconds, 0)} s"
        if workload.seconds
        else ""
    )
    by = f"; ranked by {ranking.figure.title}" if ranking.is_by_steady_rate else ""
    return (
        f"{ranking.point}: {number.count(workload.messages, 'message')}{seconds}, "
        f"{frames} per system call{compression}{core}{by}"
    )


def _ranking_columns(ranking: Ranking) -> list[tuple[Figure, ...]]:
    """Return the further columns; figures of client and server share one."""
    outcomes = [standing.outcome for standing in ranking.every]
    columns = defaultdict[str, list[Figure]](list)
    shown = _shown("ranking", outcomes)
    names = {figure.name for figure in shown}
    for figure in shown:
        if figure != ranking.figure and f"steady_{figure.name}" not in names:
            column = re.sub("^(steady_)?(server|client)_", "", figure.name)
            columns[column].append(figure)
    return [tuple(column) for column in columns.values()]


def _shown(table: TerminalTable, outcomes: Sequence[Outcome]) -> list[Figure]:
    """Return the figures of a table that at least one cell has."""
    return [
        figure
        for figure in FIGURES.values()
        if table in figure.terminal
        and any(figure.name in outcome.figures for outcome in outcomes)
    ]


def _ranked(
    standing: Standing,
    ranking: Ranking,
    shown: Sequence[Sequence[Figure]],
    results: Results,
    usual: float,
) -> Iterator[Text]:
    """Yield the cells of a row; the second line of each shows bounds or details."""
    outcome = standing.outcome
    assert outcome.verdict, "only what was measured has a row"
    style = "dim" if standing.is_reference else "bold"
    yield text(str(standing.rank or ""))
    yield two_lines(*_name(standing, results), style)
    yield two_lines(
        standing.text,
        interval_detail(standing.sampled.interval, usual, ranking.figure)
        if standing.sampled
        else "",
        style,
    )
    second = (
        to_reference(standing, ranking) if ranking.reference else standing.variation
    )
    yield two_lines(to_best(standing, ranking), second)
    yield two_lines(
        bottleneck_word(outcome),
        head_room(outcome.verdict),
        BOTTLENECK_STYLES.get(outcome.verdict.bottleneck, OTHER_STYLE),
    )
    for column in shown:
        yield Text("\n").join(_median(outcome, figure) for figure in column)
    cell = outcome.cell
    overhead = overheads().get((cell.client, "client"))
    overhead = overhead or overheads().get((cell.server, "server"))
    yield text(overhead_of(overhead)[0])


def _name(standing: Standing, results: Results) -> tuple[str, str]:
    """Return both lines of a contestant's name; the second has variant and version."""
    cell = standing.outcome.cell
    if " → " in standing.name:
        server, _, client = standing.name.partition(" → ")
        return server, f"→ {client}"
    versions = {each.contestant: each.version or "" for each in results.versions}
    name, plus, variant = standing.name.partition("+")
    version = versions.get(standing.name) or versions.get(cell.contestant) or ""
    return name, f"{plus}{variant} {version}".strip()


def _print_published(table: PairTable, console: Console) -> None:
    print_paragraph(console, table.title, "bold")
    inside = "; in each cell: published, ours, its interval, ratio and bottleneck"
    caption = f"{table.caption}{inside if table.rows_title else ''}"
    notes = ". ".join(filter(None, (caption, table.untested_note)))
    print_paragraph(console, notes, "dim")
    if table.rows_title:
        console.print(_grid(table))
        return
    rows = _plain_table("cell", "published", "ours", "ratio", "bottleneck")
    for row in table.rows:
        for pair in filter(None, row.pairs):
            rows.add_row(text(row.name), *_columns(pair))
    console.print(rows)


def _print_systems(named: Sequence[System], console: Console) -> None:
    """Print a line for each system of the publication, and why it is as it is."""
    print_paragraph(
        console, "systems, versions and settings of the publication", "bold"
    )
    for system in named:
        style = SYSTEM_STYLES.get(system.state, OTHER_STYLE)
        by = f" by {listed(substitutes(system))}" if system.by else ""
        version = f" {system.version}" if system.version else ""
        console.print(
            Text.assemble(
                text(f"{system.role}: {system.name}{version}: "),
                (str(system.state), style),
                text(by),
            )
        )
        if system.reason:
            console.print(Padding(text(system.reason, "dim"), (0, 0, 0, 3)))


def _print_hosts(rows: Sequence[HostRow], console: Console) -> None:
    if not rows:
        return
    console.print()
    print_paragraph(console, "host of the servers", "bold")
    table = _plain_table("", "published", "servers here", "this machine")
    for row in rows:
        texts = (row.name, row.published, row.server_host, row.machine)
        table.add_row(*map(text, texts))
    console.print(table)


def _columns(pair: Pair) -> Iterator[Text]:
    yield two_lines(pair.theirs, pair.note) if pair.note else text(pair.theirs)
    if pair.ours:
        yield two_lines(pair.ours, pair.bounds)
    else:
        yield text(pair.absence, "red")
    yield two_lines(pair.ratio, pair.ratio_bounds) if pair.ratio else text("")
    yield text(pair.bottleneck)


def _grid(table: PairTable) -> Table:
    """Return a table of two parameters; each cell shows a published figure and ours."""
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
        lines += [text(f"{pair.ratio} {pair.bottleneck}".strip())]
    else:
        lines += [text(pair.absence, "red")]
    return Text("\n").join(line for line in lines if line.plain)


def _overview(results: Results) -> dict[str, list[Outcome]]:
    """Return the measured cells by server and client, without those of searches."""
    return by_ends(
        outcome
        for outcome in results.outcomes.values()
        if outcome.measured and not results.is_searched(outcome.cell)
    )


def _cells(outcomes: Sequence[Outcome]) -> Table:
    shown = _shown("cells", outcomes)
    table = _plain_table("cell", *(figure.column for figure in shown), "bottleneck")
    for outcome in outcomes:
        table.add_row(*_overview_row(outcome, shown))
    return table


def _overview_row(outcome: Outcome, shown: Sequence[Figure]) -> Iterator[Text]:
    yield text(outcome.workload)
    for figure in shown:
        yield _median(outcome, figure)
    yield text(bottleneck_word(outcome))


def _median(outcome: Outcome, figure: Figure) -> Text:
    sampled = outcome.figures.get(figure.name)
    return text(outcome.written(figure) if sampled else "-")


def _problems(results: Results) -> Iterator[Text]:
    for each in problems(results):
        yield Text.assemble(
            text(f"{each.subject}: "), (each.kind, "red"), text(f": {each.description}")
        )


def _search(searched: Searched, results: Results) -> Table:
    """Return a table of all values that a search tried, the smallest first."""
    outcomes = {step: results.outcomes[searched.at(step)] for step in searched.tried}
    shown = _shown("search", [*outcomes.values()])
    titles = [figure.column for figure in shown]
    table = _plain_table(searched.search.parameter, "met", *titles, "bottleneck")
    for step, outcome in outcomes.items():
        trials = searched.tried[step]
        table.add_row(
            text(searched.label(step)),
            text(f"{sum(trials)} of {len(trials)}"),
            *(_median(outcome, figure) for figure in shown),
            text(bottleneck_word(outcome)),
        )
    return table


def _print_conclusions(judged: Sequence[Conclusion], console: Console) -> None:
    """Print the finding for each published conclusion and its decisive comparison."""
    print_paragraph(console, "the published conclusions", "bold")
    for conclusion in judged:
        style = STYLES.get(conclusion.finding, OTHER_STYLE)
        console.print(
            Text.assemble((f"{conclusion.finding}: ", style), text(conclusion.text))
        )
        for sentence in conclusion.grounds:
            console.print(Padding(text(sentence, "dim"), (0, 0, 0, 3)))


def _notes(results: Results, ranked: Sequence[Ranking]) -> str:
    ranked_notes = (
        bound_note() if any(each.has_bounds for each in ranked) else "",
        "The line below a bottleneck names the next one and the multiple of the rate "
        "that it would allow. CPU is CPU time per message of each end's process; "
        "memory is the maximum resident size.",
    )
    notes = (
        interval_note(results.repetitions),
        *(ranked_notes if ranked else (results.bounds_note,)),
        results.clients_note,
        "" if is_race(results) else "Conclusions need intervals of 95% confidence.",
        "The page has all figures.",
        disturbance_sentence(results.disturbances, results.trials_without_warm_ups),
        calibration_sentence(results.calibration),
    )
    return " ".join(filter(None, notes))


def _plain_table(first: str, *others: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(first, overflow="fold")
    for other in others:
        left = other == "bottleneck"
        table.add_column(other, justify="left" if left else "right", overflow="fold")
    return table
