"""The page of a run: its answer, what supports it, and how it was measured."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autostrada.report import circumstances, number, overview
from autostrada.report.charts.chart import Chart
from autostrada.report.charts.selection import all_charts
from autostrada.report.conclusion import Conclusion, has_findings
from autostrada.report.headlines import headlines
from autostrada.report.metrics import bounds
from autostrada.report.overhead import overheads
from autostrada.report.pages.blocks import (
    Block,
    Bullets,
    Figures,
    Folded,
    LinePanel,
    Page,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableColumn,
    TableRow,
)
from autostrada.report.pages.document import write_html
from autostrada.report.pages.method_sections import machine_section, method_section
from autostrada.report.pages.published_blocks import (
    conclusions_section,
    figures,
    systems_section,
    values_section,
)
from autostrada.report.pages.ranking_blocks import ranking_blocks, stderr_of
from autostrada.report.parts import Parts, parts_of
from autostrada.report.published import published_tables
from autostrada.report.ranking import Ranking
from autostrada.report.ranking_text import bound_note, caution, reason, to_reference
from autostrada.report.results import Outcome, Results, read_results
from autostrada.report.time_series import TimeSeries, read_time_series
from autostrada.stats.claim import Finding
from autostrada.stats.metrics import METRICS, Metric
from autostrada.store.parquet import write_parquet
from autostrada.store.reader import StoreReader

FOOTER = "Created from its store by Autostrada."
ALONE = "The page loads nothing from the network."
SERIES_OPEN_MAX = 12
"""Largest number of cells whose time series are shown without a click."""

OVER_TIME = (
    "The trial of median duration of each cell; a sweep is represented by its cell "
    "with the largest parameter values. Both axes of a panel begin at 0, and its width "
    "is the duration of the trial. The metrics below a panel are the maxima of both "
    "ends."
)
PER_CELL = (
    "Values are medians of the counted repetitions; quantiles are those of all their "
    "durations pooled. The interval is below each value"
)
NOTES = (
    "The split of CPU time into user and system is left out if the process used fewer "
    "than ten ticks of the kernel's clock (10 ms each on most machines).",
    "CV is the coefficient of variation: the standard deviation of the repetitions, "
    "relative to their mean. CPU time per message is that of each end's process on all "
    "cores, in user mode and in the kernel; memory is the maximum resident size.",
    "Reads are counted by the wake-ups of the client: the number of messages and bytes "
    "that it reads between two voluntary context switches. The kernel does not count "
    "receiving system calls.",
    "The line below a bottleneck names the next one and the multiple of the rate that "
    "it would allow.",
)
OVERHEAD_NOTE = (
    "Harness overhead: the cost of the contestant relative to a bare program of the "
    'same library, as recorded by make bench BENCH="--only harness".'
)


def write_page(
    store_path: Path, page_path: Path | None = None, run_id: int | None = None
) -> Path:
    """
    Write the page of a run, and beside it the run as Parquet; return the page's path.

    Without ``run_id`` it is the newest run; without ``page_path`` the page is written
    beside the store.

    Raises:
        UsageError: a file cannot be written.
    """
    with StoreReader.open(store_path) as reader:
        results = read_results(reader, run_id)
        series = read_time_series(reader, results.run_id)
    name = f"{results.run.experiment}-{results.run_id}.html"
    path = page_path or store_path.with_name(name)
    data = path.with_suffix(".parquet")
    page = run_page(results, series, data.name)
    write_html(page, path, "choose another path for the page")
    if data.resolve() != store_path.resolve():
        write_parquet(store_path, results.run_id, data)
    return path


def run_page(
    results: Results, series: Sequence[TimeSeries], data: str = "", home: str = ""
) -> Page:
    """
    Return the page of a run; the same arguments always give the same page.

    ``data`` is the URL of the run's Parquet file; without one there is no link.
    ``home`` is that of the index of its site, whose pages can read the file.
    """
    run, at = results.run, results.run.started_at
    footer = (FOOTER,) if home else (FOOTER, ALONE)
    return Page(
        title=f"{results.experiment.title} · Autostrada",
        overline=f"Autostrada · {results.experiment.title}",
        heading=results.experiment.question,
        at=f"{at.day} {at.strftime('%B %Y, %H:%M UTC')}",
        meta=(run.command, results.extent),
        warnings=tuple(
            filter(
                None,
                (
                    circumstances.missing_note(results.missing),
                    circumstances.machine_note(results.host),
                    circumstances.disturbance_caution(results.disturbances),
                ),
            )
        ),
        sections=tuple(_sections(results, series, data if home else "")),
        footer=" ".join((f"Run {results.run_id} of its store.", *footer)),
        data=data,
        home=home,
    )


def _sections(
    results: Results, series: Sequence[TimeSeries], trials: str
) -> Iterator[Section]:
    """Yield the sections of a run: what is its result stands first."""
    parts, tables = parts_of(results), published_tables(results)
    charts = all_charts(results, parts.rankings, tables, series, parts.conclusions)
    yield _answer(results, parts)
    rankings = rankings_section(parts, charts, results, trials)
    if parts.rankings and (parts.race or parts.main_rankings):
        yield rankings
    yield from _failures(results)
    publication = results.publication
    if publication:
        if has_findings(parts.conclusions):
            yield conclusions_section(parts.conclusions, publication, charts)
        if values := values_section(tables, charts):
            yield values
        if publication.system:
            yield systems_section(publication)
    if parts.rankings and not (parts.race or parts.main_rankings):
        yield rankings
    yield cells_section(results, charts)
    if series:
        yield over_time_section(results, series)
    yield method_section(results, parts)
    yield machine_section(results)


def _answer(results: Results, parts: Parts) -> Section:
    first, *further = headlines(results, parts)
    return Section(
        title="",
        blocks=(
            Paragraph(text=first, kind="headline"),
            *(Paragraph(text=each, kind="further") for each in further),
            *_key_figures(parts),
        ),
    )


def _key_figures(parts: Parts) -> Iterator[Block]:
    """Yield the figures of the winner of a race, or the number of findings."""
    race = parts.race
    if race and race.leaders:
        yield Figures(items=tuple(_winner(race)))
        why = filter(None, (reason(race), caution(parts.rankings)))
        yield Paragraph(text=" ".join(why))
    elif has_findings(parts.conclusions):
        yield Figures(items=tuple(_tally(parts.conclusions)))


def _winner(race: Ranking) -> Iterator[tuple[str, str]]:
    best = race.leaders[0]
    yield best.text, f"{race.metric.title}, {best.name}"
    if best.by_the_clock:
        sign = best.outcome.sign(METRICS["messages_per_s"])
        yield sign + number.rate(best.by_the_clock), "messages per second"
    if best.to_reference:
        yield to_reference(best, race), "the time of the reference client"
    yield best.outcome.bottleneck, "was the bottleneck"


def _tally(evaluated: Sequence[Conclusion]) -> Iterator[tuple[str, str]]:
    for finding in Finding:
        yield str(sum(each.finding is finding for each in evaluated)), finding


def rankings_section(
    parts: Parts, charts: Mapping[str, Chart], results: Results, trials: str = ""
) -> Section:
    """
    Return the rankings; those that are not the result are folded.

    ``trials`` is the URL of the file from which the application reads single trials.
    """
    blocks: list[Block] = []
    folded: dict[str, list[Block]] = {}
    for ranking in parts.rankings:
        found = ranking_blocks(
            ranking,
            charts.get(f"ranking-{ranking.point}"),
            charts.get(f"rate-{ranking.point}"),
            results,
            trials,
        )
        if ranking.point in parts.unfolded:
            blocks += found
        else:
            folded[ranking.point] = [*found]
    blocks += [
        Folded(summary=point, blocks=tuple(found)) for point, found in folded.items()
    ]
    return Section(
        title="Ranking" if len(parts.rankings) == 1 else "Rankings",
        blocks=(*blocks, Bullets(items=tuple(_notes(parts, results)), kind="note")),
    )


def _notes(parts: Parts, results: Results) -> Iterator[Paragraph]:
    if any(ranking.reference for ranking in parts.rankings):
        yield Paragraph(
            text="The reference is the engine itself: an upper bound, not a contestant."
        )
    if any(ranking.has_bounds for ranking in parts.rankings):
        yield Paragraph(text=bound_note())
    if usual := results.usual_confidence:
        yield Paragraph(
            text=f"The small range below a value or a ratio is its interval, with "
            f"{number.confidence(usual)} confidence unless another is stated."
        )
    yield from (Paragraph(text=each) for each in NOTES)
    if overheads():
        yield Paragraph(text=OVERHEAD_NOTE)


def _failures(results: Results) -> Iterator[Section]:
    """Yield what went wrong; what was only disturbed is folded."""
    problems = overview.problems(results)
    failed = [each for each in problems if each.kind != overview.DISTURBED]
    disturbed = [each for each in problems if each.kind == overview.DISTURBED]
    blocks: list[Block] = []
    if failed:
        blocks.append(_listed(failed))
    if disturbed:
        cells = number.count(len(disturbed), "cell")
        summary = f"Other load disturbed trials of {cells}"
        blocks.append(Folded(summary=summary, blocks=(_listed(disturbed),)))
    if blocks:
        yield Section(title="Failures and disturbances", blocks=tuple(blocks))


def _listed(problems: Sequence[overview.Problem]) -> Bullets:
    items: list[Paragraph | Folded] = []
    for each in problems:
        text = f" ({each.subject}): {each.description}"
        items.append(Paragraph(strong=each.kind, text=text, kind="failed"))
        if each.stderr_tail:
            items.append(stderr_of(each.stderr_tail))
    return Bullets(items=tuple(items))


def cells_section(results: Results, charts: Mapping[str, Chart]) -> Section:
    """Return all metrics of all cells, in folded tables."""
    confidence = results.usual_confidence
    how = f", with {number.confidence(confidence)} confidence" if confidence else ""
    if confidence:
        how += " if no repetition failed"
    sentences = (f"{PER_CELL}{how}.", results.bounds_note, results.clients_note)
    blocks: list[Block] = [Paragraph(text=" ".join(filter(None, sentences)))]
    for group in overview.group_tables(results):
        cells = number.count(len(group.outcomes), "cell")
        table = Table(
            name=f"table-{group.group.name.lower()}",
            columns=(
                TableColumn(title="server → client"),
                TableColumn(title="workload"),
                *(
                    TableColumn(title=each.title, kind="number")
                    for each in group.metrics
                ),
                TableColumn(title="bottleneck"),
            ),
            rows=tuple(_outcome(each, group.metrics) for each in group.outcomes),
        )
        blocks += figures(charts, f"{group.group.name.lower()}-")
        blocks.append(Folded(summary=f"{group.group} ({cells})", blocks=(table,)))
    return Section(title="All cells", blocks=tuple(blocks))


def _outcome(outcome: Outcome, metrics: Sequence[Metric]) -> TableRow:
    kind = outcome.verdict.bottleneck.name.lower() if outcome.verdict else ""
    return TableRow(
        cells=(
            overview.ends(outcome.cell),
            outcome.workload,
            *(_metric(outcome, metric) for metric in metrics),
            TableCell(text=outcome.bottleneck, kind=kind),
        )
    )


def _metric(outcome: Outcome, metric: Metric) -> TableCell | str:
    sampled = outcome.metrics.get(metric.name)
    if sampled is None:
        return "–"
    interval = sampled.interval
    return TableCell(
        text=outcome.written(metric),
        detail=bounds(metric, interval),
        value=interval.median,
        low=interval.low if interval.confidence else None,
        high=interval.high if interval.confidence else None,
    )


def over_time_section(results: Results, series: Sequence[TimeSeries]) -> Section:
    """Return the time series of each cell."""
    table = Table(
        name="time-series",
        columns=(
            TableColumn(title="cell"),
            *(TableColumn(title=panel.title) for panel in series[0].panels),
        ),
        rows=tuple(map(_series, series)),
    )
    return Section(
        title="Over time",
        blocks=(
            Paragraph(text=OVER_TIME),
            Folded(
                summary=number.count(len(series), "cell"),
                blocks=(table,),
                is_open=len(series) <= SERIES_OPEN_MAX,
            ),
            *(
                Paragraph(text=each, kind="note")
                for each in overview.not_observed(results)
            ),
        ),
    )


def _series(series: TimeSeries) -> TableRow:
    name = TableCell(
        text=overview.ends(series.cell),
        detail=f"{series.cell.workload}, {series.span}",
    )
    panels = (
        TableCell(
            text="",
            panel=LinePanel(
                label=panel.title,
                lines=tuple((each, panel.points(each)) for each in panel.lines),
                most=tuple(panel.written.items()),
            ),
        )
        if panel.lines
        else "not observed"
        for panel in series.panels
    )
    return TableRow(cells=(name, *panels))
