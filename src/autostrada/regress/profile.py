"""Why a side is slower: a start of both beside ``perf``, after the measurement."""

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autostrada.contestants.catalog import Catalog
from autostrada.contestants.contestant import Contestant
from autostrada.machine.perf import NAMES_OF, PerfRecord, read_record, with_perf
from autostrada.regress.workloads import planned_s
from autostrada.report import number
from autostrada.report.compare.compared_metric import ChangeVerdict
from autostrada.report.compare.rounds import PairedMetric, Rounds, end_of
from autostrada.report.pages.flame_page import write_flame_page
from autostrada.runner.command import RunOptions, run_contestants
from autostrada.stats.call_tree import Profile, changed_functions, merge_profiles
from autostrada.stats.evidence import EndName
from autostrada.workloads.workload import Workload

FUNCTIONS_MAX = 5
"""Largest number of functions in a report."""

SLICED_FACTOR = 1.2
"""Time that is recorded as a multiple of the planned one of a side, if both take turns:
they then run for about twice as long."""

NOT_COUNTED = (
    "as root, mount -t tracefs tracefs /sys/kernel/tracing makes the kernel count them"
)

UNNAMED_SHARE_MAX = 0.2
"""Share of samples without a name above which a report says so."""


def row_to_explain(found: Rounds) -> PairedMetric | None:
    """Return the row of CPU time that became slower most, or else the first one."""
    ratios = {
        row.workload: row.paired.ratio.value
        for row in found.main
        if row.paired and row.verdict is ChangeVerdict.SLOWER
    }
    rows = [row for row in found.main if row.metric.name == "cpu" and row.paired]
    return max(rows, key=lambda row: ratios.get(row.workload, 0.0), default=None)


def explain(
    row: PairedMetric,
    workload: Workload,
    options: RunOptions,
    catalog: Catalog,
    contestants: Mapping[str, Contestant],
    page: Path,
) -> list[str]:
    """
    Profile both sides in the workload of a row, write a page, and return its findings.

    ``options`` are those of the measured run, and ``contestants`` its sides in order.
    If ``perf`` has recorded nothing, that is the only finding.

    Raises:
        UsageError: ``perf`` is not installed.
    """
    assert row.before, "a row that is explained has been measured"
    assert row.after, "a row that is explained has been measured"
    with tempfile.TemporaryDirectory(prefix="autostrada-profile-") as name:
        folder = Path(name)
        sides = [*contestants.values()]
        until_s = min(planned_s(workload, side) for side in sides)
        if workload.slice_plan:
            until_s *= SLICED_FACTOR
        bases = [folder / side for side in ("before", "after")]
        run_contestants(
            replace(
                options,
                repetitions=1,
                budget=None,
                workloads=(row.workload,),
                store=folder / "profile.duckdb",
                sides=None,
            ),
            catalog,
            {
                side.name: _profiled(side, end_of(workload), base, until_s)
                for side, base in zip(sides, bases, strict=True)
            },
            lambda _: None,
            lambda _reader, _run_id: [],
        )
        found = [read_record(base) for base in bases]
        logs = [base.with_suffix(".log") for base in bases]
        for record, log in zip(found, logs, strict=True):
            if record is None:
                said = log.read_text(errors="replace") if log.exists() else ""
                return [f"no profile: perf recorded nothing: {' '.join(said.split())}"]
    records = [record for record in found if record]
    costs_ns = [1e3 * side.interval.median for side in (row.before, row.after)]
    profiles = [
        Profile(samples=record.samples, ns_per_message=cost_ns)
        for record, cost_ns in zip(records, costs_ns, strict=True)
    ]
    kits = {side.kit for side in sides}
    lines = [
        *_calls(records, costs_ns),
        *_functions(*profiles),
        *_unnamed(records, kits),
    ]
    root = merge_profiles(*profiles)
    write_flame_page([*contestants], row.workload, root, lines, page)
    return [f"{row.workload}: {line}" for line in lines]


def _profiled(side: Contestant, end: EndName, base: Path, until_s: float) -> Contestant:
    """Return a contestant whose program at an end starts beside ``perf``."""
    manifest = side.manifest
    program = getattr(manifest, end)
    changed = program.model_copy(
        update={
            "command": with_perf(program.command, side.kit, base, until_s),
            "env": {**NAMES_OF.get(side.kit, {}), **program.env},
        }
    )
    return replace(side, manifest=manifest.model_copy(update={end: changed}))


def _calls(records: Sequence[PerfRecord], costs_ns: Sequence[float]) -> list[str]:
    """Return the system calls a message of both sides."""
    texts = []
    for record, cost_ns in zip(records, costs_ns, strict=True):
        if record.calls_per_cpu_s is None or record.reads_per_cpu_s is None:
            return [f"system calls are not counted: {NOT_COUNTED}"]
        calls, reads = (
            number.plain(per_s * cost_ns / 1e9)
            for per_s in (record.calls_per_cpu_s, record.reads_per_cpu_s)
        )
        texts.append(f"{calls} (reads: {reads})")
    return [f"system calls a message: {' → '.join(texts)}"]


def _functions(before: Profile, after: Profile) -> list[str]:
    """Return the functions with the largest changes."""
    changed = changed_functions(before, after)
    lines = [
        f"{each.name}: {number.plain(each.before_ns, 0)} → "
        f"{number.plain(each.after_ns, 0)} ns a message"
        for each in changed[:FUNCTIONS_MAX]
    ]
    counts = " and ".join(
        number.plain(sum(each.samples.values()), 0) for each in (before, after)
    )
    return lines or [f"no function changed beyond chance, in {counts} samples"]


def _unnamed(records: Sequence[PerfRecord], kits: Collection[str]) -> list[str]:
    """Return what is not known of functions, and what tells it."""
    names = {name for record in records for stack in record.samples for name in stack}
    lines = []
    if "python" in kits and not any(name.startswith("py::") for name in names):
        lines.append("functions of Python have no names: Python 3.12 or later has them")
    if (share := max(each.unnamed_share for each in records)) > UNNAMED_SHARE_MAX:
        lines.append(f"{number.percent(share)} of the samples have no function's name")
    return lines
