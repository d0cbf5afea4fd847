"""A ranking on a page: its chart, and a table whose rows open to the reasons."""

from collections.abc import Iterator

from autostrada.experiment.matrix import REFERENCE
from autostrada.report import circumstances, number, ranking_text
from autostrada.report.charts.chart import Chart
from autostrada.report.cold import read_ahead_note
from autostrada.report.library import Library, libraries_of
from autostrada.report.metrics import bounds
from autostrada.report.overview import cell_command
from autostrada.report.pages.blocks import (
    Block,
    Commands,
    Facts,
    Figure,
    Folded,
    Heading,
    Paragraph,
    Table,
    TableCell,
    TableColumn,
    TableRow,
    Verbatim,
)
from autostrada.report.pages.trials_block import trials_block
from autostrada.report.ranking import Ranking, Standing
from autostrada.report.ranking_view import (
    BOTTLENECK,
    Medium,
    RankingColumn,
    RankingEntry,
    has_row,
    shown_on,
)
from autostrada.report.results import Outcome, Results
from autostrada.report.verdict import bottleneck_sentences
from autostrada.stats.metrics import METRICS, Group

NOT_MEASURED = "not measured yet"

EXPLAINING = (Group.CPU, Group.MEMORY)
"""Groups of metrics that an opened row shows."""


def ranking_blocks(
    ranking: Ranking,
    chart: Chart | None,
    rates: Chart | None,
    results: Results,
    trials: str,
) -> Iterator[Block]:
    """Yield a ranking with its charts; ``rates`` are those over time."""
    workload, name = ranking.workload, f"ranking-{ranking.point}"
    yield Heading(text=f"Workload: {ranking.point}")
    if workload.description:
        wire = ranking_text.wire(ranking)
        yield Paragraph(text=f"{workload.description} {wire}".strip())
    yield Paragraph(text=ranking_text.headline(ranking))
    if chart:
        yield Figure(name=name, chart=chart)
    if note := ranking_text.slices_note(ranking):
        yield Paragraph(text=note, kind="note")
    if rates:
        yield Figure(name=f"rate-{ranking.point}", chart=rates)
    yield ranking_table(ranking, results, trials)


def ranking_table(ranking: Ranking, results: Results, trials: str) -> Table:
    """Return the table of a ranking: the reference, then the best first."""
    columns = shown_on(Medium.PAGE, ranking, ranking.every, results)
    ordered = "ordered" if ranking.workload.rate_source else "ranked"
    cells = number.count(len(ranking.every), "cell")
    return Table(
        name=f"table-{ranking.point}",
        caption=f"{cells}, {ordered} by {ranking.metric.title}",
        columns=(
            TableColumn(title="rank", kind="rank"),
            TableColumn(title="contestant"),
            *map(_column, columns),
        ),
        rows=tuple(
            _measured(standing, columns, ranking, results, trials)
            if has_row(standing)
            else _broken(standing, ranking, results)
            for standing in ranking.every
        ),
    )


def _column(column: RankingColumn) -> TableColumn:
    title = column.titles[Medium.PAGE]
    if column.kind == "main":
        return TableColumn(title=title, kind="main")
    return TableColumn(
        title=title, kind="words" if column.kind == BOTTLENECK else "number"
    )


def _measured(
    standing: Standing,
    columns: list[RankingColumn],
    ranking: Ranking,
    results: Results,
    trials: str,
) -> TableRow:
    rank = standing.rank
    return TableRow(
        kind="reference" if standing.is_reference else "",
        cells=(
            TableCell(text=str(rank or ""), value=rank),
            _name(standing, results),
            *(_cell(column.entry(standing), column, standing) for column in columns),
        ),
        notes=tuple(_notes(standing, ranking, results)),
        details=tuple(standing_details(standing, results, trials)),
    )


def _cell(
    entry: RankingEntry, column: RankingColumn, standing: Standing
) -> TableCell | str:
    """Return a cell; the ranked metric has its bounds, others a value to sort by."""
    if column.kind == "main" and standing.interval:
        interval = standing.interval
        return TableCell(
            text=entry.text,
            detail=entry.detail,
            value=interval.median,
            low=interval.low if interval.confidence else None,
            high=interval.high if interval.confidence else None,
        )
    if not (entry.detail or entry.kind or entry.value is not None):
        return entry.text
    return TableCell(
        text=entry.text, detail=entry.detail, kind=entry.kind, value=entry.value
    )


def _broken(standing: Standing, ranking: Ranking, results: Results) -> TableRow:
    """Return the row of a cell without metrics, which has only reasons."""
    outcome = standing.outcome
    notes = [*_failures(outcome, results)]
    unknown = outcome.absence or f"{ranking.metric.title} is not known"
    return TableRow(
        kind="broken",
        cells=("", _name(standing, results)),
        notes=tuple(notes or [Paragraph(text=unknown, kind="failed")]),
    )


def _name(standing: Standing, results: Results) -> TableCell:
    """Return the name with a link to the library, and the versions of both ends."""
    names = {standing.outcome.cell.server, standing.outcome.cell.client}
    known = [
        version
        for version in results.versions
        if version.contestant in names
        and (version.contestant != REFERENCE or standing.is_reference)
    ]
    homepage = known[0].homepage if len(known) == 1 else ""
    found = libraries_of(standing.outcome.cell, results.versions)
    versions = [f"{each.library} {each.version or ''}".strip() for each in known]
    texts = [each.delivery for each in found if each.delivery]
    failing = [each.conformance for each in found if each.failed_cases]
    return TableCell(
        text=standing.name,
        detail="\n".join([*versions, *texts, *failing]),
        link=homepage if homepage.startswith(("https://", "http://")) else "",
    )


def _failures(outcome: Outcome, results: Results) -> Iterator[Paragraph | Folded]:
    if note := ranking_text.failed_note(outcome):
        yield Paragraph(text=note, kind="failed")
    for failed in outcome.failures:
        yield Paragraph(
            strong=failed.kind,
            text=f"{circumstances.failed_where(failed)}: {failed.message}",
            kind="failed",
        )
        if failed.stderr_tail:
            yield stderr_of(failed.stderr_tail)
    if outcome.missing:
        repetitions = number.count(results.repetitions, "repetition")
        missing = f"{outcome.missing} of {repetitions}"
        if results.budget_s:
            missing = "the budget was used up"
        yield Paragraph(strong=NOT_MEASURED, text=f": {missing}", kind="failed")


def stderr_of(tail: str) -> Folded:
    """Return the last lines of a program's standard error."""
    return Folded(summary="last lines of stderr", blocks=(Verbatim(text=tail),))


def _notes(
    standing: Standing, ranking: Ranking, results: Results
) -> Iterator[Paragraph | Folded]:
    outcome = standing.outcome
    yield from _failures(outcome, results)
    for note in (
        ranking_text.violation_note(outcome),
        read_ahead_note(outcome),
        ranking_text.clock_note(standing, ranking),
    ):
        if note:
            yield Paragraph(text=note, kind="note")


def standing_details(
    standing: Standing, results: Results, trials: str
) -> Iterator[Block]:
    """
    Yield why a measured cell has its rank, and the command that repeats it.

    ``trials`` is the URL of the file with its trials; empty if none can be read.
    """
    outcome = standing.outcome
    assert outcome.verdict, "only what was measured has reasons"
    yield Paragraph(text=bottleneck_sentences(outcome.verdict, outcome.measured))
    cpu = outcome.metrics.get("client_cpu_us_per_message")
    if cpu and cpu.interval.median:
        per_cpu_s = number.rate(1e6 / cpu.interval.median)
        yield Paragraph(
            text=f"Client: {per_cpu_s} messages per CPU{number.THIN_SPACE}s."
        )
    if note := circumstances.disturbance_note(outcome.disturbances):
        yield Paragraph(text=note)
    if explaining := [*_explaining(outcome)]:
        yield Facts(items=tuple(explaining))
    if trials:
        yield trials_block(standing, trials)
    for each in libraries_of(outcome.cell, results.versions):
        yield from library_blocks(each)
    if command := cell_command(results, outcome.cell):
        yield Commands(items=((command, "measures this cell again"),))


def _explaining(outcome: Outcome) -> Iterator[tuple[str, str]]:
    for name, sampled in outcome.metrics.items():
        metric = METRICS[name]
        if metric.group in EXPLAINING:
            interval = bounds(metric, sampled.interval)
            value = outcome.written(metric)
            yield metric.title, f"{value} ({interval})" if interval else value


def library_blocks(library: Library) -> Iterator[Block]:
    """Yield the conformance and the settings of a library in its role."""
    name = f"{library.version.contestant} as {library.role}"
    conformance = library.conformance or "not tested with the Autobahn test suite"
    yield Paragraph(strong=name, text=f": {conformance}.")
    if library.settings:
        yield Facts(
            items=tuple(
                (key.replace("_", " "), value)
                for key, value in library.settings.items()
            )
        )
