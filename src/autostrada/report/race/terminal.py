"""The tables of a race for a terminal, readable at 80 columns and without colours."""

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autostrada.report import number
from autostrada.report.circumstance.attempt import failed_where
from autostrada.report.circumstance.calibration import calibration_sentence
from autostrada.report.circumstance.disturbance import (
    disturbance_caution,
    disturbance_counts,
    disturbance_sentence,
)
from autostrada.report.circumstance.machine import machine_note
from autostrada.report.experiment.conclusion import conclusions
from autostrada.report.experiment.results import Results
from autostrada.report.experiment.terminal import print_conclusions
from autostrada.report.interval import interval_detail, interval_note, usual_confidence
from autostrada.report.race import finding
from autostrada.report.race.explanation.explanation import Explanation, explain
from autostrada.report.race.published import (
    Figure,
    compared_contestants,
    published_sources,
)
from autostrada.report.race.race import Figures, Race, Ranking, Standing
from autostrada.report.text import say, text, two_lines
from autostrada.report.verdict import LIMIT_IN_WORDS, head_room
from autostrada.stats.verdict import Limit

LIMIT_STYLES = {
    Limit.CLIENT_CPU: "green",
    Limit.RECEIVE_WINDOW: "green",
    Limit.ENGINE: "red",
}
OTHER_LIMIT_STYLE = "yellow"


def print_race(race: Race, results: Results, console: Console) -> None:
    """Print a table for each workload, what was published, and what it all says."""
    say(console, race.experiment.question, "bold")
    started_at = race.run.started_at.strftime("%Y-%m-%d %H:%M UTC")
    repetitions = number.count(race.repetitions, "repetition")
    say(console, f"{race.run.command} · {started_at} · {repetitions}", "dim")
    notes = (
        finding.gap(race),
        machine_note(race.host),
        disturbance_caution(race.disturbances),
    )
    for note in filter(None, notes):
        say(console, note, "red")
    for ranking in race.rankings:
        console.print()
        say(console, _heading(ranking, race), "bold")
        if wire := finding.wire(ranking, race.traces):
            say(console, wire, "dim")
        console.print(_table(ranking, usual_confidence(race.repetitions)))
        for line in _failures(ranking, race):
            console.print(Padding(line, (0, 0, 0, 3)))
    if race.experiment.published:
        console.print()
        say(
            console,
            "published: ms/1M, and the ratio to the winner of the same table",
            "bold",
        )
        console.print(_published(race))
    first = race.rankings[0]
    console.print()
    say(console, finding.headline(first), "bold")
    say(console, f"{finding.reason(first)} {finding.caution(race)}".strip())
    say(console, _notes(race), "dim")
    if judged := conclusions(results):
        console.print()
        print_conclusions(judged, console)
    if explanation := explain(race):
        _explain(explanation, console)


def _explain(explanation: Explanation, console: Console) -> None:
    """Print what each candidate explains of what is odd in the published figures."""
    for each in explanation.explained:
        console.print()
        say(console, each.question, "bold")
        say(console, f"{each.here} {each.summary}")
        for answer in each.answers:
            line = text(f"{answer.title}: {answer.words}")
            console.print(Padding(line, (0, 0, 0, 3)))


def _heading(ranking: Ranking, race: Race) -> str:
    workload = ranking.workload
    frames = "many frames" if workload.frames_per_write == "many" else "one frame"
    compression = ", compression granted" if workload.deflate else ""
    core = (
        ", both ends on one core" if race.host.get("is_shared_core") == "true" else ""
    )
    return (
        f"{workload.name}: {number.count(ranking.messages, 'message')}, {frames} a "
        f"system call{compression}{core}"
    )


def _table(ranking: Ranking, usual: float) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", justify="right")
    table.add_column("contestant\nversion", overflow="fold")
    for title in (
        "ms/1M\ninterval",
        "to best\nCV",
        "to ref.\n",
        "CPU µs\n/CPU s",
        "MiB\n",
    ):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("limit\nnext", no_wrap=True)
    for standing in ranking.every:
        if standing.figures:
            table.add_row(*_row(standing, standing.figures, ranking, usual))
    return table


def _row(
    standing: Standing, figures: Figures, ranking: Ranking, usual: float
) -> Iterator[Text]:
    """Yield the cells of a row of two lines: figures, and below them their bounds."""
    cpu_ns = figures.client_cpu_ns_per_message
    peak_bytes = figures.client_peak_resident_bytes
    verdict = figures.verdict
    style = "dim" if standing.is_reference else "bold"
    yield text(str(figures.rank or ""))
    yield two_lines(*_name(standing), style)
    yield two_lines(
        finding.duration(figures),
        interval_detail(figures.interval, usual),
        style,
    )
    yield two_lines(finding.to_fastest(figures, ranking), finding.variation(figures))
    yield text(finding.to_reference(figures, ranking))
    yield two_lines(
        "" if cpu_ns is None else number.plain(cpu_ns / 1000),
        finding.efficiency(figures),
    )
    yield text("" if peak_bytes is None else number.plain(peak_bytes / 2**20))
    yield two_lines(
        LIMIT_IN_WORDS[verdict.limit],
        head_room(verdict),
        LIMIT_STYLES.get(verdict.limit, OTHER_LIMIT_STYLE),
    )


def _name(standing: Standing) -> tuple[str, str]:
    """Return a contestant's name and version; a variant moves to the second line."""
    name, plus, variant = standing.contestant.partition("+")
    version = (standing.version and standing.version.version) or ""
    return name, f"{plus}{variant} {version}".strip()


def _failures(ranking: Ranking, race: Race) -> Iterator[Text]:
    for standing in ranking.every:
        for failed in standing.failures:
            yield Text.assemble(
                f"{standing.contestant}: ",
                (failed.failure.kind, "red"),
                f"{failed_where(failed)}: {failed.failure.message}",
            )
        if finding.failed_note(standing):
            yield text(f"{standing.contestant}: {finding.failed_note(standing)}")
        if standing.missing:
            yield Text.assemble(
                f"{standing.contestant}: ",
                ("not measured yet", "red"),
                f": {standing.missing} of "
                f"{number.count(race.repetitions, 'repetition')}",
            )
    disturbed = disturbance_counts(
        {standing.contestant: standing.disturbances for standing in ranking.every}
    )
    if disturbed:
        yield text(disturbed)


def _published(race: Race) -> Table:
    sources = published_sources(race.experiment.published)
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("contestant", no_wrap=True, vertical="bottom")
    for source in sources:
        table.add_column(source.title, justify="right")
    table.add_column("", no_wrap=True)
    for name, is_measured in compared_contestants(race):
        figures = [source.figures.get(name) for source in sources]
        if any(figures):
            table.add_row(
                text(name, "bold" if is_measured else ""),
                *(text(_figure(each)) for each in figures),
                text("" if is_measured else "not measured here", "dim"),
            )
    return table


def _figure(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    return f"{number.plain(figure.milliseconds)} {number.times(figure.to_winner):>6}"


def _notes(race: Race) -> str:
    attained = usual_confidence(race.repetitions)
    notes = [interval_note(race.repetitions)] if attained else []
    if any(finding.has_bounds(ranking) for ranking in race.rankings):
        notes.append(finding.bound_note())
    notes.append(
        "Below a limit stands the next one, and how many times the rate it would allow."
    )
    notes.append(
        "CV is how far the repetitions scatter, /CPU s the messages in a second of the "
        "client's CPU time."
    )
    notes.append(disturbance_sentence(race.disturbances, race.counted_trials))
    notes.append(calibration_sentence(race.calibration))
    return " ".join(notes)
