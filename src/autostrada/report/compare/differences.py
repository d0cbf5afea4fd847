"""Warnings of a comparison: differences between two sides other than the metrics."""

from collections.abc import Iterator, Mapping

from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import REFERENCE
from autostrada.report import number
from autostrada.report.cold import COLD
from autostrada.report.compare.comparison import ComparedCell, Comparison
from autostrada.report.compare.side import Side
from autostrada.report.results import Outcome
from autostrada.report.text import listed
from autostrada.stats.change import Direction
from autostrada.stats.metrics import METRICS, PER_CPU, Metric
from autostrada.stats.variation import coefficient_of_variation
from autostrada.stats.verdict import UTILIZATION_MIN

NOISY_VARIATION_MIN = 0.1
"""
Coefficient of variation from which a warning is given.

A change of a few percent is rarely distinguishable with such a variation.
"""


UNCOMPARED = {"seed", "contestants", "warm_ups"}
"""Settings that are not compared; only runs of earlier versions have ``warm_ups``."""


def differences(comparison: Comparison) -> tuple[str, ...]:
    """Return all warnings about a comparison, without duplicates."""
    before, after = comparison.before, comparison.after
    lines: list[str] = []
    if not comparison.is_of_contestants:
        lines += _facts("machine", before.results.host, after.results.host)
        lines += _versions(before, after)
        lines += _definitions(before.results.experiment, after.results.experiment)
        lines += _facts("run", before.plan, after.plan)
    lines += _methods(comparison)
    lines += _messages(comparison)
    lines += _reference(comparison)
    lines += _servers(comparison)
    sides = {
        "A": [cell.before for cell in comparison.cells],
        "B": [cell.after for cell in comparison.cells],
    }
    for warnings in (_failures, _disturbances):
        for side, outcomes in sides.items():
            lines += warnings(side, outcomes)
    for cell in comparison.cells:
        lines += _noise("A", cell.before, cell.main)
        lines += _noise("B", cell.after, cell.main)
    return tuple(dict.fromkeys(lines))


def _methods(comparison: Comparison) -> Iterator[str]:
    """Name the workloads of which only one side was measured in slices."""
    sides = ("A", "B")
    for ours, theirs in (sides, sides[::-1]):
        workloads = [
            cell.workload
            for cell in comparison.cells
            if PER_CPU in (cell.before if ours == "A" else cell.after).metrics
            and PER_CPU not in (cell.after if ours == "A" else cell.before).metrics
        ]
        if workloads:
            yield (
                f"{listed(list(dict.fromkeys(workloads)))}: {ours} was measured in "
                f"slices and is ranked by {METRICS[PER_CPU].title}, which {theirs} "
                f"does not have: the ranking values are not compared"
            )


def _facts(
    of: str, before: Mapping[str, object], after: Mapping[str, object]
) -> list[str]:
    """
    Name the differing facts of the hosts, or settings of the runs.

    The load of a host before a run and the order of trials are left out.
    """
    return [
        _differ(f"{of}: {name}", before.get(name), after.get(name))
        for name in dict.fromkeys([*before, *after])
        if not (name in UNCOMPARED or name.endswith("_before"))
        and before.get(name) != after.get(name)
    ]


def _versions(before: Side, after: Side) -> Iterator[str]:
    """Name the differing versions of Autostrada, the engine and the libraries."""
    ours = (
        before.results.run.autostrada_version,
        after.results.run.autostrada_version,
    )
    if ours[0] != ours[1]:
        yield _differ("Autostrada", *ours)
    for name in sorted(before.versions.keys() & after.versions.keys()):
        first, second = before.versions[name], after.versions[name]
        what = "engine" if name == REFERENCE else name
        if first.version != second.version:
            yield _differ(what, first.version, second.version)
        elif first.toolchain != second.toolchain:
            yield _differ(f"{what}: toolchain", first.toolchain, second.toolchain)
        elif first.digest != second.digest:
            yield f"{what}: its files differ between A and B"


def _definitions(before: Experiment, after: Experiment) -> Iterator[str]:
    """Name the differing keys of the experiment and of its workloads."""
    first, second = before.model_dump(), after.model_dump()
    for key in first:
        if key != "workload" and first[key] != second[key]:
            yield _differ(f"experiment: {key}", first[key], second[key])
    workloads = {each.name: each.model_dump() for each in after.workload}
    for workload in before.workload:
        other = workloads.get(workload.name, {})
        for key, value in workload.model_dump().items():
            if other and other[key] != value:
                yield _differ(f"workload {workload.name}: {key}", value, other[key])


def _messages(comparison: Comparison) -> Iterator[str]:
    """Name the pushes whose number of messages differs."""
    for cell in (*comparison.reference, *comparison.cells):
        first, second = (
            " and ".join(number.plain(count, 0) for count in _sent(side, outcome))
            for side, outcome in (
                (comparison.before, cell.before),
                (comparison.after, cell.after),
            )
        )
        if cell.main in COLD.values() and first != second:
            yield _differ(f"messages of {cell.workload}", first, second)


def _sent(side: Side, outcome: Outcome) -> list[int]:
    return sorted(
        {
            row["messages"]
            for row in side.results.trials
            if row["messages"]
            and (row["contestant"], row["workload"])
            == (outcome.cell.contestant, outcome.cell.workload)
        }
    )


def _reference(comparison: Comparison) -> Iterator[str]:
    """Warn if the speed of the engine itself changed."""
    for cell in comparison.reference:
        found = cell.change
        if found and found.direction is not Direction.UNCLEAR:
            yield (
                f"the reference, the engine itself, is "
                f"{cell.metrics[cell.main.name].verdict} "
                f"in {cell.workload} ({number.times(found.ratio.value)}): engine or "
                f"machine have changed, not only the libraries"
            )


def _servers(comparison: Comparison) -> Iterator[str]:
    """Warn of workloads in which the engine, as the server, was the bottleneck."""
    limited = [cell for cell in comparison.cells if _is_limited_by_server(cell)]
    for workload in dict.fromkeys(cell.workload for cell in limited):
        cells = sum(cell.workload == workload for cell in comparison.cells)
        by_server = sum(cell.workload == workload for cell in limited)
        yield (
            f"{workload}: the load generator was the bottleneck in {by_server} of "
            f"{number.count(cells, 'cell')}, so the ratio there is its own"
        )


def _is_limited_by_server(cell: ComparedCell) -> bool:
    shares = cell.before.engine_utilization, cell.after.engine_utilization
    return any(share >= UTILIZATION_MIN for share in shares if share is not None)


def _failures(side: str, every: list[Outcome]) -> Iterator[str]:
    """Name the cells with failed trials, whose metrics are of fewer repetitions."""
    for outcome in every:
        kinds = [failure.kind for failure in outcome.failures if failure.is_counted]
        if kinds:
            yield (
                f"{side}: {number.count(len(kinds), 'trial')} of {outcome.cell} "
                f"failed: {', '.join(dict.fromkeys(kinds))}"
            )


def _disturbances(side: str, every: list[Outcome]) -> Iterator[str]:
    disturbed = sum(
        disturbance.is_counted
        for outcome in every
        for disturbance in outcome.disturbances
    )
    if disturbed:
        trials = sum(outcome.measured for outcome in every)
        yield (
            f"{side}: the machine was disturbed in {disturbed} of "
            f"{number.count(trials, 'counted trial')}"
        )


def _noise(side: str, outcome: Outcome, metric: Metric) -> Iterator[str]:
    sampled = outcome.metrics.get(metric.name)
    variation = coefficient_of_variation(sampled.values) if sampled else None
    if variation is not None and variation >= NOISY_VARIATION_MIN:
        yield (
            f"{side}: {outcome.cell} has a coefficient of variation of "
            f"{number.percent(variation)}"
        )


def _differ(what: str, first: object, second: object) -> str:
    return f"{what}: {_fact(first)} in A, {_fact(second)} in B"


def _fact(value: object) -> str:
    """Format a fact in one line; ``None`` is unknown."""
    return "not known" if value is None else " ".join(str(value).splitlines())
