"""The change report of two runs, or of two contestants of one run."""

from collections.abc import Iterator, Sequence
from math import inf
from statistics import median

from autostrada.report import number
from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.compare.compared_metric import ChangeVerdict
from autostrada.report.compare.comparison import SHOWN, Comparison
from autostrada.report.compare.differences import differences
from autostrada.report.compare.gate import ConditionKind, check_condition
from autostrada.report.compare.sentences import NOTE, conclude, confidence_note
from autostrada.report.compare.side import Side
from autostrada.report.text import listed
from autostrada.stats.change import Direction
from autostrada.stats.condition import Condition
from autostrada.stats.metrics import METRICS

SHARING_CELLS_MIN = 5
"""Minimum number of cells from which a common change is attributed to the machine."""

CONDITIONS = ConditionKind(
    examples="'ms_per_million > +5%', 'latency_ms_p99 > 20' or 'dropped_messages > 0'",
    known=METRICS,
    is_of_change=False,
)

NEEDS = {
    "server_cpu_us_per_message": "server CPU per message",
    "client_cpu_us_per_message": "client CPU per message",
    "server_memory_bytes_max": "server memory",
    "client_memory_bytes_max": "client memory",
}
"""Metrics of resource usage that the conclusion mentions, with their names there."""

RUNS_NOTE = (
    f"{NOTE} The interval covers the variation between repetitions, not that of the "
    "machine from one run to the next."
)


def report_runs(
    comparison: Comparison, conditions: Sequence[Condition] = ()
) -> ChangeReport:
    """
    Return what is printed of a comparison, checked by conditions.

    Raises:
        UsageError: a condition can be checked in no cell.
    """
    every = (*comparison.reference, *comparison.cells)
    workloads = [*dict.fromkeys(cell.workload for cell in every)]
    unmatched = next(iter(comparison.unmatched), "not measured")
    names = _names(comparison)
    ranked = [cell.metrics[cell.main.name] for cell in comparison.cells if cell.change]
    noun = "cell" if ranked or not comparison.cells else "ranking metric"
    return ChangeReport(
        names=names,
        origins=(_origin(comparison.before), _origin(comparison.after)),
        warnings=differences(comparison),
        rows=tuple(
            cell.metrics[name]
            for cell in sorted(every, key=lambda cell: workloads.index(cell.workload))
            for name in SHOWN
            if name in cell.metrics
        ),
        unmatched=comparison.unmatched,
        conclusion=conclude(names, ranked, noun, "".join(_needs(comparison)))
        + _shared(comparison),
        gates=tuple(
            check_condition(
                condition,
                comparison.metrics,
                nothing_in_common=f"A and B have none in common ({unmatched}); run "
                "both with the same contestants",
            )
            for condition in conditions
        ),
        note=f"{RUNS_NOTE}{confidence_note(ranked, 'repetition')}",
    )


def _needs(comparison: Comparison) -> Iterator[str]:
    """Yield in how many cells CPU time or memory increased or decreased."""
    cells = [cell for cell in comparison.cells if cell.change]
    for name, title in NEEDS.items():
        found = [cell.metrics[name].verdict for cell in cells if name in cell.metrics]
        counts = [
            verdict if len(cells) == 1 else f"{verdict} in {found.count(verdict)}"
            for verdict in (ChangeVerdict.MORE, ChangeVerdict.LESS)
            if verdict in found
        ]
        if counts:
            yield f"; {title} is {listed(counts)}"


def _shared(comparison: Comparison) -> str:
    """
    State the median change of all cells, and how many cells differ from it.

    The text is empty for two contestants, for few cells and for cells with different
    main metrics.
    """
    ratios = [
        (cell.metrics[cell.main.name], cell.change.ratio.value)
        for cell in comparison.cells
        if cell.change and 0 < cell.change.ratio.value < inf
    ]
    if comparison.is_of_contestants or len(ratios) < SHARING_CELLS_MIN:
        return ""
    if len({metric.metric for metric, _ in ratios}) > 1:
        return ""
    factor = median(ratio for _, ratio in ratios)
    changes = [metric.relative_to(factor) for metric, _ in ratios]
    others = sum(
        found is not None and found.direction is not Direction.UNCLEAR
        for found in changes
    )
    return (
        f" The median of the cells' ratios is {number.plain(factor, 3)}{number.TIMES}; "
        f"a change of all cells is more likely due to the machine than to them. "
        f"Relative to the median, {others} of {len(ratios)} cells differ."
    )


def _names(comparison: Comparison) -> tuple[str, str]:
    """Return the names of both sides in a sentence: contestants, or A and B."""
    before, after = comparison.before.address, comparison.after.address
    return before.contestant or "A", after.contestant or "B"


def _origin(side: Side) -> str:
    """Describe the run of a side: number, experiment, store, time and version."""
    run = side.results.run
    contestant = f"{side.address.contestant} in " if side.address.contestant else ""
    started_at = run.started_at.strftime("%Y-%m-%d %H:%M UTC")
    return (
        f"{contestant}run {side.results.run_id} of {run.experiment} in "
        f"{side.address.store}, "
        f"{started_at}, Autostrada {run.autostrada_version}"
    )
