"""The slices of a cell: what a message takes in each, of CPU time and by the clock."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report.query import run_query
from autostrada.stats.evidence import EndName
from autostrada.store.reader import StoreReader
from autostrada.workloads.workload import Workload

BySlice = Mapping[int, Mapping[int, float]]
"""A positive value of each slice, by start and instant in it in nanoseconds."""

UTILIZATION_MIN = 0.95
"""Utilization of a core below which a contestant waits, and so may batch less."""

ONE_CORE_MAX = 1.05
"""Utilization above which a contestant uses more than one core."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CellSlices:
    """The slices of a cell, by those of its ends that is compared."""

    cpu_ns: BySlice
    """CPU time of a message; slices in which it is not known are missing."""

    duration_ns: BySlice
    """Time of a message by the clock, in the same slices."""

    speeds: tuple[BySlice, ...]
    """
    How fast the cores were, where it is known: the time of a loop of fixed length on
    those of the end, and of a message in memory to those of the other one and back.

    The loop on the other end's cores is left out: how busy they are depends on the
    contestant.
    """

    @property
    def utilization(self) -> float:
        """CPU time divided by the duration: the median of starts, 1 for a core."""
        return median(
            sum(
                cpu_ns / self.duration_ns[start][each] for each, cpu_ns in found.items()
            )
            / len(found)
            for start, found in self.cpu_ns.items()
        )

    @property
    def is_waiting(self) -> bool:
        """Whether the contestant was idle at times, so that its value is a bound."""
        return self.utilization < UTILIZATION_MIN

    @property
    def uses_several_cores(self) -> bool:
        """Whether the contestant used more than one core."""
        return self.utilization > ONE_CORE_MAX


def read_slices(
    reader: StoreReader, run_id: int, points: Mapping[str, Workload]
) -> dict[Cell, CellSlices]:
    """Return the slices of all cells that were measured in slices."""
    cpu_ns: dict[Cell, dict[int, dict[int, float]]] = defaultdict(dict)
    duration_ns: dict[Cell, dict[int, dict[int, float]]] = defaultdict(dict)
    speeds: dict[Cell, tuple[dict[int, dict[int, float]], ...]] = defaultdict(
        lambda: ({}, {})
    )
    for row in run_query(reader, "slices", run_id):
        cell = Cell(
            server=row["server"], client=row["client"], workload=row["workload"]
        )
        end = _compared_end(cell, points[cell.workload])
        used_ns = row[f"{end}_cpu_ns"]
        if not used_ns:
            continue
        timed_ns = (row[f"{end}_loop_ns"], row["core_message_ns"])
        for speed, ns in zip(speeds[cell], timed_ns, strict=True):
            if ns:
                speed.setdefault(row["start"], {})[row["since_start_ns"]] = ns
        for found, ns in ((cpu_ns, used_ns), (duration_ns, row["duration_ns"])):
            by_instant = found[cell].setdefault(row["start"], {})
            by_instant[row["since_start_ns"]] = ns / row["messages"]
    return {
        cell: CellSlices(
            cpu_ns=found, duration_ns=duration_ns[cell], speeds=speeds[cell]
        )
        for cell, found in cpu_ns.items()
    }


def _compared_end(cell: Cell, workload: Workload) -> EndName:
    """Return the end that is the contestant, and that of the engine beside it."""
    if cell.server != REFERENCE:
        return "server"
    is_client = cell.client != REFERENCE or workload.has_contestant_clients
    return "client" if is_client else "server"
