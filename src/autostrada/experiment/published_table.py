"""A published table of one metric, by cell: a list or a matrix."""

from itertools import chain, product
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from autostrada.experiment.cell_name import MetricName
from autostrada.experiment.document import Document
from autostrada.experiment.matrix import REFERENCE, Cell

Bound = Literal["at_most", "at_least"]


class PublishedUnit(Document):
    """The unit of a publication: a value of ours times ``factor`` has it."""

    name: str
    factor: float = Field(gt=0)


class PublishedValue(Document):
    """A published value."""

    workload: str | None = None
    """Name of the cell's workload; ``None`` for that of the table."""

    value: float | None = None
    """The metric in the table's unit; ``None`` if none was published."""

    also: float | None = None
    """A second metric that the publication states for the same cell."""

    bound: Bound | None = None
    """Which bound the value is; ``None`` if it is the metric itself."""

    note: str = ""
    """What the publication adds to the value, or states in its place."""

    @property
    def values(self) -> tuple[float, ...]:
        """The published values in the table's unit; empty if there is none."""
        return tuple(value for value in (self.value, self.also) if value is not None)


class PublishedCell(PublishedValue):
    """The published value of one cell."""

    workload: str
    """Name of a point: ``json processes=2 stocks=10``."""

    server: str | None = None
    """Name of the server; ``None`` for that of the table."""

    client: str | None = None
    """Name of the client; ``None`` for that of the table."""


def _as_value(entry: object) -> object:
    """Return the table that a number, or a note in its place, stands for."""
    if isinstance(entry, str):
        return {"note": entry}
    return entry if isinstance(entry, dict) else {"value": entry}


Entry = Annotated[PublishedValue, BeforeValidator(_as_value)]
Axis = Annotated[dict[str, tuple[int | float, ...]], Field(min_length=1, max_length=1)]
"""A swept parameter, and its values."""


class PublishedTable(Document):
    """A table of one metric: a list of cells, or a matrix over two swept parameters."""

    title: str
    metric: MetricName
    unit: PublishedUnit | None = None
    """Unit of the published values; ``None`` for the unit of the metric."""

    seconds: float | None = Field(default=None, gt=0)
    """Duration of a published trial; ``None`` if it is not known."""

    server: str = REFERENCE
    client: str = REFERENCE
    workload: str | None = None
    """Name of the workload that a matrix is about."""

    rows: Axis | None = None
    columns: Axis | None = None
    matrix: tuple[tuple[Entry, ...], ...] = ()
    """Values of all columns, row by row."""

    listed: tuple[PublishedCell, ...] = Field(default=(), alias="cells")

    @model_validator(mode="after")
    def _is_list_or_matrix(self) -> Self:
        if bool(self.matrix) == bool(self.listed):
            raise ValueError("give either cells or matrix")
        if self.listed and (self.rows or self.columns):
            raise ValueError("rows and columns need matrix, not cells")
        if self.matrix:
            if not (self.workload and self.rows and self.columns):
                raise ValueError("matrix needs workload, rows and columns")
            [rows], [columns] = self.rows.values(), self.columns.values()
            if [len(columns)] * len(rows) != [len(row) for row in self.matrix]:
                raise ValueError("matrix needs a list for each row, of all columns")
        return self

    @property
    def cells(self) -> tuple[PublishedCell, ...]:
        """The published values of all cells."""
        if not (self.matrix and self.rows and self.columns):
            return self.listed
        [(row, rows)], [(column, columns)] = self.rows.items(), self.columns.items()
        points = (
            f"{row}={one} {column}={other}" for one, other in product(rows, columns)
        )
        return tuple(
            PublishedCell(
                **entry.model_dump(exclude={"workload"}),
                workload=f"{entry.workload or self.workload} {point}",
            )
            for point, entry in zip(points, chain(*self.matrix), strict=True)
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of a matrix, that of its rows first; empty for a list."""
        return (*self.rows, *self.columns) if self.rows and self.columns else ()

    def cell(self, published: PublishedCell) -> Cell:
        """Return the cell of the experiment that a published value belongs to."""
        return Cell(
            server=published.server or self.server,
            client=published.client or self.client,
            workload=published.workload,
        )

    def values(self, published: PublishedCell) -> tuple[float, ...]:
        """Return the published values of a cell in the unit of the metric."""
        factor = self.unit.factor if self.unit else 1.0
        return tuple(value / factor for value in published.values)
