"""What else differs between two sides than the figures: a line each, as warnings."""

from collections.abc import Iterator, Mapping

from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import REFERENCE
from autostrada.report import number
from autostrada.report.compare.comparison import ComparedCell, Comparison
from autostrada.report.compare.figure import DURATION
from autostrada.report.compare.side import Samples, Side
from autostrada.stats.change import Direction
from autostrada.stats.variation import coefficient_of_variation
from autostrada.stats.verdict import BUSY_SHARE_MIN

NOISY_VARIATION_MIN = 0.1
"""Samples that scatter more than this seldom tell a change of a few percent."""


def circumstances(comparison: Comparison) -> tuple[str, ...]:
    """Return all that a reader must know before believing the comparison."""
    before, after = comparison.before, comparison.after
    lines: list[str] = []
    if not comparison.is_of_contestants:
        lines += _machines(before.host, after.host)
        lines += _versions(before, after)
        lines += _definitions(before.experiment, after.experiment)
        lines += _settings(before.plan, after.plan)
    lines += _messages(comparison)
    lines += _reference(comparison)
    lines += _servers(comparison)
    lines += _failures("A", before, [cell.before for cell in comparison.cells])
    lines += _failures("B", after, [cell.after for cell in comparison.cells])
    lines += _disturbances("A", [cell.before for cell in comparison.cells])
    lines += _disturbances("B", [cell.after for cell in comparison.cells])
    for cell in comparison.cells:
        lines += _noise("A", cell.before)
        lines += _noise("B", cell.after)
    return tuple(dict.fromkeys(lines))


def _machines(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Name the facts that differ, but for what the machine was doing just then."""
    return [
        _differ(f"machine: {name}", before.get(name), after.get(name))
        for name in dict.fromkeys([*before, *after])
        if not name.endswith("_before") and before.get(name) != after.get(name)
    ]


def _versions(before: Side, after: Side) -> Iterator[str]:
    """Name the versions that differ: Autostrada's, the engine's, the libraries'."""
    ours = before.stored.run.autostrada_version, after.stored.run.autostrada_version
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
            yield f"{what}: its files are not the same in A and B"


def _definitions(before: Experiment, after: Experiment) -> Iterator[str]:
    """Name the keys of the experiment that differ, also those of its workloads."""
    first, second = before.model_dump(), after.model_dump()
    for key in first:
        if key not in {"workload", "published"} and first[key] != second[key]:
            yield _differ(f"experiment: {key}", first[key], second[key])
    workloads = {each.name: each.model_dump() for each in after.workload}
    for workload in before.workload:
        there = workloads.get(workload.name, {})
        for key, value in workload.model_dump().items():
            if there and there[key] != value:
                yield _differ(f"workload {workload.name}: {key}", value, there[key])


def _settings(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Name the settings of the runs that differ; the order of trials always does."""
    return [
        _differ(f"run: {name}", before.get(name), after.get(name))
        for name in dict.fromkeys([*before, *after])
        if name not in {"seed", "contestants"} and before.get(name) != after.get(name)
    ]


def _messages(comparison: Comparison) -> Iterator[str]:
    for cell in (*comparison.reference, *comparison.cells):
        if cell.before.messages != cell.after.messages:
            first, second = (
                " and ".join(number.plain(each, 0) for each in samples.messages)
                for samples in (cell.before, cell.after)
            )
            yield _differ(f"messages of {cell.workload}", first, second)


def _reference(comparison: Comparison) -> Iterator[str]:
    """Warn where the engine's own client is not as fast as it was."""
    for cell in comparison.reference:
        found = cell.changes[DURATION.name]
        if found and found.direction is not Direction.UNCLEAR:
            yield (
                f"the reference, the engine's own client, is {DURATION.verdict(found)} "
                f"in {cell.workload} ({number.times(found.ratio.value)}): engine or "
                f"machine have changed, not the libraries alone"
            )


def _servers(comparison: Comparison) -> Iterator[str]:
    """Warn of workloads in which the server was the limit, not what is compared."""
    limited = [cell for cell in comparison.cells if _is_limited_by_server(cell)]
    for workload in dict.fromkeys(cell.workload for cell in limited):
        cells = sum(cell.workload == workload for cell in comparison.cells)
        of_server = sum(cell.workload == workload for cell in limited)
        yield (
            f"{workload}: the server was the limit in {of_server} of "
            f"{number.count(cells, 'cell')}: there the ratio is the server's"
        )


def _is_limited_by_server(cell: ComparedCell) -> bool:
    shares = cell.before.server_busy_share, cell.after.server_busy_share
    return any(share >= BUSY_SHARE_MIN for share in shares if share is not None)


def _failures(side: str, of: Side, every: list[Samples]) -> Iterator[str]:
    """Name the cells whose figures are of fewer repetitions, as others failed."""
    for samples in every:
        kinds = [
            row["kind"]
            for row in of.failures
            if row["contestant"] == samples.cell.contestant
            and row["workload"] == samples.cell.workload
        ]
        if kinds:
            yield (
                f"{side}: {number.count(len(kinds), 'trial')} of "
                f"{samples.cell.contestant} in {samples.cell.workload} failed: "
                f"{', '.join(dict.fromkeys(kinds))}"
            )


def _disturbances(side: str, every: list[Samples]) -> Iterator[str]:
    disturbed = sum(samples.disturbed for samples in every)
    if disturbed:
        trials = sum(len(samples.ns_per_message) for samples in every)
        yield (
            f"{side}: the machine was disturbed in {disturbed} of "
            f"{number.count(trials, 'counted trial')}"
        )


def _noise(side: str, samples: Samples) -> Iterator[str]:
    variation = coefficient_of_variation(samples.ns_per_message)
    if variation is not None and variation >= NOISY_VARIATION_MIN:
        yield (
            f"{side}: {samples.cell.contestant} in {samples.cell.workload} scatters by "
            f"{number.percent(variation)} (coefficient of variation)"
        )


def _differ(what: str, first: object, second: object) -> str:
    return f"{what}: {_fact(first)} in A, {_fact(second)} in B"


def _fact(value: object) -> str:
    """Write a fact in one line; one that is not there is not known."""
    return "not known" if value is None else " ".join(str(value).splitlines())
