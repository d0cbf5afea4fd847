"""Names of cells and metrics in documents that refer to an experiment."""

from itertools import product
from typing import Annotated

from pydantic import AfterValidator

from autostrada.experiment.document import Document
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.stats.metrics import METRICS


def _known(name: str) -> str:
    if name not in METRICS:
        raise ValueError(
            f"no metric is called {name!r}: docs/experiments.md lists all metrics"
        )
    return name


MetricName = Annotated[str, AfterValidator(_known)]
"""Name of a metric: docs/experiments.md lists all metrics."""


class CellName(Document):
    """The names that identify a cell of the experiment."""

    server: str = REFERENCE
    client: str = REFERENCE
    workload: str

    @property
    def cell(self) -> Cell:
        return Cell(server=self.server, client=self.client, workload=self.workload)


class CellNames(Document):
    """
    The names that identify cells of the experiment.

    A list of names stands for one cell each; several lists, for all combinations.
    """

    server: str | tuple[str, ...] = REFERENCE
    client: str | tuple[str, ...] = REFERENCE
    workload: str | tuple[str, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        ends = (self.server, self.client, self.workload)
        lists = [(end,) if isinstance(end, str) else end for end in ends]
        return tuple(
            Cell(server=server, client=client, workload=workload)
            for server, client, workload in product(*lists)
        )
