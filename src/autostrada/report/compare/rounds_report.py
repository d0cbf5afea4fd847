"""The change report of a run that measures two sides in turn."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from autostrada.report import number
from autostrada.report.circumstances import stolen_line
from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.compare.gate import check_condition
from autostrada.report.compare.rounds import Rounds, end_of, read_rounds
from autostrada.report.compare.sentences import conclude
from autostrada.report.results import Results
from autostrada.report.text import listed
from autostrada.stats.equivalence import ERROR_MAX, POWER
from autostrada.stats.verdict import Bottleneck
from autostrada.store.reader import StoreReader


def report_rounds(store: Path, run_id: int | None = None) -> ChangeReport:
    """
    Return the report of a run that measures two sides; ``None`` is the newest run.

    Raises:
        UsageError: it does not compare two sides, or no row can be checked by a
            condition.
    """
    with StoreReader.open(store) as reader:
        found = read_rounds(reader, run_id)
    sides, results = found.sides, found.results
    places = [*results.points]
    return ChangeReport(
        names=sides.labels,
        origins=(_origin(results, sides.before), _origin(results, sides.after)),
        warnings=tuple(_warnings(found)),
        rows=tuple(sorted(found.rows, key=lambda row: places.index(row.workload))),
        conclusion=conclude(sides.labels, found.main, "workload"),
        gates=tuple(
            check_condition(condition, found.rows) for condition in found.conditions
        ),
        note=_note(found),
        repetition="round",
    )


def _origin(results: Results, name: str) -> str:
    """Return a contestant with the library's version and the toolchain."""
    known = {version.contestant: version for version in results.versions}
    version = known[name]
    tools = [*filter(None, (version.toolchain or "").splitlines())]
    return ", ".join([f"{name}: {version.library} {version.version}", *tools])


def _warnings(found: Rounds) -> Iterator[str]:
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
        for row in found.main
        if any(
            side.verdict and side.verdict.bottleneck is Bottleneck.LOAD_GENERATOR
            for side in row.sides
        )
    ]:
        yield (
            f"the load generator was the limit in {listed(limited)}: only the CPU time "
            f"of a message tells the sides apart there"
        )
    if stolen := stolen_line(results.stolen_shares):
        yield stolen


def _note(found: Rounds) -> str:
    """Explain the columns, and show that the load generator was not the limit."""
    parts = [
        f"Intervals hold for all {len(found.rows)} rows and all looks together with "
        f"{number.percent(1 - ERROR_MAX)} confidence.",
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


def _busiest(found: Rounds) -> tuple[float, str] | None:
    """Return the load generator's largest utilization and the workload with it."""
    used: dict[str, list[float]] = defaultdict(list)
    points = found.results.points
    for row in found.results.trials:
        is_client = end_of(points[row["workload"]]) == "client"
        share = row[f"{'server' if is_client else 'client'}_utilization"]
        if share is not None:
            used[row["workload"]].append(share)
    return max(((median(each), name) for name, each in used.items()), default=None)
