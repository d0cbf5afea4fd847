"""Memory of servers whose trials ended because they exceeded the memory limit."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import Cell
from autostrada.report.query import run_query
from autostrada.store.reader import Row, StoreReader, as_record
from autostrada.workloads.workload import Workload

MemoryLowerBound = Mapping[Cell, Mapping[str, tuple[float, ...]]]
"""By cell and metric: for each such trial, the maximum before it ended, in bytes."""


def read_memory_lower_bounds(
    reader: StoreReader, run_id: int, experiment: Experiment
) -> MemoryLowerBound:
    """Read the lower bounds of memory from trials that ended out of memory."""
    points = experiment.points()
    found: dict[Cell, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in run_query(reader, "memory_lower_bounds", run_id):
        cell = as_record(Cell, row)
        for metric, resident_bytes in _metrics(row, points[cell.workload]):
            found[cell][metric].append(resident_bytes)
    return {
        cell: {name: tuple(values) for name, values in metrics.items()}
        for cell, metrics in found.items()
    }


def _metrics(row: Row, workload: Workload) -> Iterator[tuple[str, float]]:
    """
    Yield the maximum resident size; for a feed also the maximum up to each third.

    Each is a lower bound, because a maximum cannot decrease when a trial continues.
    """
    samples = list(zip(row["at_s"], row["resident_bytes"], strict=True))
    yield "server_memory_bytes_max", float(max(size for _, size in samples))
    for third, until_s in enumerate(workload.memory_instants_s, 1):
        sizes = [size for at_s, size in samples if at_s <= until_s]
        if sizes:
            yield f"server_memory_bytes_third_{third}", float(max(sizes))
