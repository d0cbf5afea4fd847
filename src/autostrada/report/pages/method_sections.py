"""How a run was measured, on a page: method, machine, versions, trials."""

from collections.abc import Iterator

from autostrada.report import circumstances, number, overview
from autostrada.report.host_facts import fact, fact_name
from autostrada.report.interval import interval_note
from autostrada.report.library import libraries, setting_names
from autostrada.report.pages.blocks import (
    Block,
    Bullets,
    Commands,
    Facts,
    Folded,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableColumn,
    TableRow,
    Verbatim,
)
from autostrada.report.parts import Parts
from autostrada.report.results import Results
from autostrada.report.server_host import host_rows
from autostrada.store.reader import Row as StoredRow

METHOD = (
    "Ratios of two of our values have percentile bootstrap intervals, computed from "
    "all possible resamples; their confidence is at most that of the values' "
    "intervals. If such an interval includes 1, two contestants are indistinguishable "
    "and share a rank. Ratios to a published value have only the interval of our "
    "value, because that of the published one is unknown.",
    "The bottleneck of a cell is that of most of its trials: the load generator if it "
    "was busy at least 90% of the time, else the contestant that used as much of its "
    "cores, else the one that queues and windows of the sockets indicate. If no "
    "observation explains the metric, the bottleneck is unclear. If it is the load "
    "generator, ≥ and ≤ mark bounds.",
)


def method_section(results: Results, parts: Parts) -> Section:
    """Return how the trials of a run were made, and what its values are."""
    if results.budget_s:
        rounds = (
            f"Trials ran for at most {number.minutes(results.budget_s)}, in rounds: "
            f"what conclusions compare three times, every other cell once, then again "
            f"what was undecided and had the best chance of a decision, and last every "
            f"cell up to {number.count(results.repetitions, 'time')}."
        )
    else:
        rounds = (
            f"Each cell ran {number.count(results.repetitions, 'time')}, in a new "
            f"random order for each repetition."
        )
    disturbed = circumstances.disturbance_sentence(
        results.disturbances, len(results.trials)
    )
    stolen = circumstances.stolen_line(results.stolen_shares)
    sentences = (
        *parts.method,
        circumstances.ends_sentence(results.host),
        f"{rounds} Only trials that were repeated because of a disturbance are "
        f"omitted; failures are shown as failures. {disturbed} {stolen}".strip(),
        f"Values are medians of trials; quantiles are those of the durations of all "
        f"trials pooled, and their intervals come from resampling whole trials. "
        f"{interval_note(results.usual_repetitions)}",
        *METHOD,
    )
    return Section(
        title="How it was measured, and how to repeat it",
        blocks=(
            Commands(items=tuple(overview.commands(results))),
            Bullets(items=tuple(Paragraph(text=each) for each in sentences)),
        ),
    )


def machine_section(results: Results) -> Section:
    """Return machine, libraries, versions and trials of a run."""
    host = {fact_name(key): fact(each, key) for key, each in results.host.items()}
    if "autostrada_version" not in results.host:
        host["autostrada version"] = results.run.autostrada_version
    return Section(
        title="Machine and versions",
        blocks=(
            Paragraph(text=circumstances.calibration_sentence(results.calibration)),
            *_hosts(results),
            Facts(items=tuple(host.items())),
            *_libraries(results),
            _versions(results),
            _trials(results),
            Folded(
                summary="The experiment's definition, as it ran",
                blocks=(Verbatim(text=results.run.definition),),
            ),
            Folded(summary="The plan", blocks=(Verbatim(text=results.run.plan),)),
        ),
    )


def _hosts(results: Results) -> Iterator[Block]:
    rows = host_rows(results)
    if not rows:
        return
    titles = ("", "published", "servers here", "this machine")
    yield Table(
        name="hosts",
        caption="The host of the servers: limits and their measured effect, beside the "
        "published host and this machine",
        columns=tuple(TableColumn(title=each) for each in titles),
        rows=tuple(
            TableRow(cells=(row.name, *(each or "–" for each in row[1:])))
            for row in rows
        ),
    )


def _libraries(results: Results) -> Iterator[Block]:
    found = libraries(results.outcomes, results.versions)
    if not found:
        return
    names = setting_names(found)
    table = Table(
        name="libraries",
        columns=(
            TableColumn(title="contestant"),
            TableColumn(title="role"),
            TableColumn(title="Autobahn test suite", kind="words"),
            TableColumn(title="a received text"),
            *(TableColumn(title=name.replace("_", " ")) for name in names),
        ),
        rows=tuple(
            TableRow(
                cells=(
                    each.version.contestant,
                    each.role,
                    each.conformance or "not tested",
                    each.delivery or "–",
                    *(each.settings.get(name, "–") for name in names),
                )
            )
            for each in found
        ),
    )
    yield Folded(
        summary=f"Libraries in their roles ({len(found)}): conformance, and settings "
        f"that decide a rank",
        blocks=(table,),
    )


def _versions(results: Results) -> Folded:
    titles = "contestant", "library", "version", "language", "toolchain", "digest"
    table = Table(
        name="versions",
        columns=tuple(TableColumn(title=title) for title in titles),
        rows=tuple(
            TableRow(
                cells=(
                    each.contestant,
                    each.library,
                    each.version or "–",
                    each.language,
                    each.toolchain or "–",
                    each.digest[:12] or "–",
                )
            )
            for each in results.versions
        ),
    )
    return Folded(
        summary=f"Versions of all contestants ({len(results.versions)})",
        blocks=(table,),
    )


def _trials(results: Results) -> Folded:
    titles = "messages", "ns per message", "server busy", "client busy"
    table = Table(
        name="trials",
        columns=(
            *map(_text_column, ("started", "contestant", "workload")),
            TableColumn(title="repetition", kind="number"),
            *(TableColumn(title=title, kind="number") for title in titles),
            *map(_text_column, ("failure", "disturbed by")),
        ),
        rows=tuple(map(_trial, results.trials)),
    )
    return Folded(
        summary=f"All trials, in the order in which they ran ({len(results.trials)})",
        blocks=(table,),
    )


def _text_column(title: str) -> TableColumn:
    return TableColumn(title=title)


def _trial(trial: StoredRow) -> TableRow:
    retry = f", retry {trial['retry']}" if trial["retry"] else ""
    measured = ("", "", "", "") if trial["kind"] else _measured(trial)
    return TableRow(
        cells=(
            trial["started_at"].strftime("%H:%M:%S"),
            trial["contestant"],
            trial["workload"],
            TableCell(
                text=f"{trial['repetition'] + 1}{retry}", value=trial["repetition"]
            ),
            *measured,
            trial["kind"] or "",
            trial["disturbance"] or "–",
        )
    )


def _measured(trial: StoredRow) -> Iterator[TableCell]:
    messages, cost_ns = trial["messages"], trial["ns_per_message"]
    yield TableCell(text=number.plain(messages, 0), value=messages)
    yield TableCell(text=number.plain(cost_ns) if cost_ns else "–", value=cost_ns)
    for end in ("server", "client"):
        share = trial[f"{end}_utilization"]
        text = "not observed" if share is None else number.percent(share)
        yield TableCell(text=text, value=share)
