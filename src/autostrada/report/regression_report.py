"""What is reported of a run that compares two sides, as values of every comparison."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import expm1, inf
from statistics import fmean, median

from autostrada.experiment.matrix import Cell
from autostrada.report import number
from autostrada.report.circumstances import stolen_line
from autostrada.report.compare.change_report import (
    ChangeReport,
    ChangeRow,
    ChangeVerdict,
    share_text,
)
from autostrada.report.compare.compared_metric import ComparedMetric
from autostrada.report.regression import Regression, RegressionRow, end_of
from autostrada.report.results import Results
from autostrada.report.text import listed
from autostrada.stats.equivalence import ERROR_MAX, POWER, SideFinding
from autostrada.stats.metrics import SPEEDS
from autostrada.stats.verdict import Bottleneck
from autostrada.store.reader import as_record

EXAMPLES = "'cpu > +3%' or 'rate < -5%'"
"""Conditions on the rows of a regression."""


def report_regression(found: Regression) -> ChangeReport:
    """Return the report of a run that compares two sides, without conditions."""
    sides, results = found.sides, found.results
    return ChangeReport(
        names=sides.labels,
        origins=(_origin(results, sides.before), _origin(results, sides.after)),
        warnings=tuple(_warnings(found)),
        rows=tuple(_row(row, found) for row in _by_workload(found)),
        unmatched=(),
        conclusion=_conclusion(found),
        gates=(),
        note=_note(found),
        repetition="round",
    )


def _by_workload(found: Regression) -> list[RegressionRow]:
    """Return the rows of each workload one after the other."""
    places = [*found.results.points]
    return sorted(found.rows, key=lambda row: places.index(row.workload))


def verdict(row: RegressionRow) -> ChangeVerdict:
    """Return the finding of a row in the words of every comparison."""
    finding = row.comparison.finding
    if not row.comparison.rounds:
        return ChangeVerdict.NOT_KNOWN
    if finding is SideFinding.SAME:
        return ChangeVerdict.SAME
    if finding is SideFinding.UNDECIDED:
        return ChangeVerdict.INDISTINGUISHABLE
    is_higher = finding is SideFinding.HIGHER
    if row.name == "cpu" or row.metric.group in SPEEDS:
        is_faster = is_higher == (row.metric.better == "higher")
        return ChangeVerdict.FASTER if is_faster else ChangeVerdict.SLOWER
    return ChangeVerdict.MORE if is_higher else ChangeVerdict.LESS


def _row(row: RegressionRow, found: Regression) -> ChangeRow:
    metric = row.metric
    shown = ComparedMetric(
        metric=metric,
        before=row.before.metrics.get(metric.name),
        after=row.after.metrics.get(metric.name),
        signs=(row.before.sign(metric), row.after.sign(metric)),
    ).row(row.workload, "", (row.before.measured, row.after.measured))
    detectable = row.comparison.detectable
    return replace(
        shown,
        metric=row.name,
        ratio=row.ratio,
        p=None,
        verdict=verdict(row),
        margin=found.sides.margin,
        detectable=None if detectable == inf else expm1(detectable),
        reason=row.failure or (_further([row], found.results) if row.is_open else ""),
    )


def _further(rows: Sequence[RegressionRow], results: Results) -> str:
    """Say how much more time is expected to decide rows; empty if all are decided."""
    needed: dict[Cell, int] = defaultdict(int)
    for row in rows:
        if row.comparison.rounds and not row.failure:
            for cell in row.cells:
                needed[cell] = max(needed[cell], row.comparison.needed_rounds)
    taken_s = _taken_s(results)
    left_s = sum(taken_s.get(cell, 0.0) * rounds for cell, rounds in needed.items())
    if not left_s:
        return ""
    return f"would need about {number.minutes(left_s).replace(' ', ' more ')}"


def _taken_s(results: Results) -> dict[Cell, float]:
    """Return the mean duration of a trial of each cell in seconds."""
    taken: dict[Cell, list[float]] = defaultdict(list)
    for row in results.trials:
        if row["taken_ns"] is not None:
            taken[as_record(Cell, row)].append(row["taken_ns"] / 1e9)
    return {cell: fmean(each) for cell, each in taken.items()}


def _conclusion(found: Regression) -> str:
    """Answer in one sentence, by the rows that the run awaits."""
    before, after = found.sides.labels
    rows = [row for row in found.rows if row.name == "cpu"] or [*found.rows]
    margin = share_text(found.sides.margin)
    words = {
        ChangeVerdict.SLOWER: "slower",
        ChangeVerdict.FASTER: "faster",
        ChangeVerdict.SAME: f"the same within {margin}",
        ChangeVerdict.INDISTINGUISHABLE: "not distinguishable",
        ChangeVerdict.NOT_KNOWN: "not known",
    }
    parts = []
    for word, text in words.items():
        having = [row for row in rows if verdict(row) is word]
        if having:
            more = _further(having, found.results)
            workloads = listed([_effect(row) for row in having])
            parts.append(f"{text} in {workloads}{more and f', which {more}'}")
    return f"{after} compared with {before} is {'; '.join(parts)}."


def _effect(row: RegressionRow) -> str:
    """Return a workload, with the size of its change if there is one."""
    is_changed = verdict(row) in {ChangeVerdict.SLOWER, ChangeVerdict.FASTER}
    if not is_changed or row.ratio is None:
        return row.workload
    return f"{row.workload} ({number.times(row.ratio.value)} the {row.metric.title})"


def _origin(results: Results, name: str) -> str:
    """Return a contestant with the library's version and the toolchain."""
    known = {version.contestant: version for version in results.versions}
    version = known[name]
    tools = [*filter(None, (version.toolchain or "").splitlines())]
    return ", ".join([f"{name}: {version.library} {version.version}", *tools])


def _warnings(found: Regression) -> Iterator[str]:
    """Yield what limits the comparison as a whole, each once."""
    results, sides = found.results, found.sides
    versions = {
        version.version
        for version in results.versions
        if version.contestant in (sides.before, sides.after)
    }
    if len(set(sides.labels)) == 1:
        yield "both sides are the same: this tests the measurement itself"
    elif len(versions) == 1:
        yield f"both sides have version {versions.pop()} of their library"
    if limited := [
        row.workload
        for row in found.rows
        if row.name == "cpu"
        and any(
            side.verdict and side.verdict.bottleneck is Bottleneck.LOAD_GENERATOR
            for side in (row.before, row.after)
        )
    ]:
        yield (
            f"the load generator was the limit in {listed(limited)}: only the CPU time "
            f"of a message tells the sides apart there"
        )
    if stolen := stolen_line(results.stolen_shares):
        yield stolen


def _note(found: Regression) -> str:
    """Explain the columns, and show that the load generator was not the limit."""
    confidence = number.percent(1 - ERROR_MAX)
    parts = [
        f"Intervals hold for all {len(found.rows)} rows and all looks together with "
        f"{confidence} confidence.",
        f"detects: the smallest change that so many rounds find in "
        f"{number.percent(POWER)} of all cases.",
    ]
    if busy := _busiest(found):
        share, workload = busy
        parts.append(
            f"The load generator used at most {number.percent(share)} of a core (in "
            f"{workload})."
        )
    return " ".join(parts)


def _busiest(found: Regression) -> tuple[float, str] | None:
    """Return the load generator's largest utilization and the workload with it."""
    used: dict[str, list[float]] = defaultdict(list)
    points = found.results.points
    for row in found.results.trials:
        is_client = end_of(points[row["workload"]]) == "client"
        share = row[f"{'server' if is_client else 'client'}_utilization"]
        if share is not None:
            used[row["workload"]].append(share)
    return max(((median(each), name) for name, each in used.items()), default=None)
