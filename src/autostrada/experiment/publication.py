"""Published values of an experiment: tables of metrics by cell, and claims."""

from dataclasses import replace
from enum import StrEnum
from itertools import product
from math import inf
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from autostrada.errors import UsageError
from autostrada.experiment.cell_name import CellNames, MetricName
from autostrada.experiment.document import Document, parse_document, read_document
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.experiment.published_table import PublishedTable
from autostrada.stats.claim import ClaimLimits
from autostrada.stats.verdict import Bottleneck
from autostrada.store.record import WorkloadPoint


class SystemState(StrEnum):
    """How a system of a publication takes part in the experiment."""

    MEASURED = "measured"
    VARIANT = "measured as a variant of the time"
    REPLACED = "replaced"
    NOT_AVAILABLE = "not available"


class System(Document):
    """A system, version or setting that a publication names."""

    name: str
    role: str
    """Its part in the published measurement, such as ``server`` or ``machine``."""

    version: str = ""
    """The published version; ``""`` if the publication states none."""

    state: SystemState
    by: tuple[str, ...] = ()
    """Contestants measured as the system or in its place; empty for settings."""

    reason: str = ""
    """Why the substitution is fair or what is missing; required unless measured."""

    @model_validator(mode="after")
    def _is_explained(self) -> Self:
        is_measured = self.state in (SystemState.MEASURED, SystemState.VARIANT)
        if self.state is SystemState.NOT_AVAILABLE and self.by:
            raise ValueError("by: what is not available has no contestants")
        if not is_measured and not self.reason:
            raise ValueError(f"reason: say why it is {self.state}")
        return self


class ChartLine(Document):
    """A line of a published chart: the points that differ only in its parameter."""

    name: str
    """Name of the line in the publication."""

    server: str = REFERENCE
    client: str = REFERENCE
    workload: str
    """Name of a point without the parameter of the chart: ``json processes=2``."""

    def value(self, cell: Cell, parameter: str) -> str:
        """Return the value of a chart's parameter in a cell; empty if not of it."""
        if (cell.server, cell.client) != (self.server, self.client):
            return ""
        parameters = dict(cell.point.parameters)
        value = parameters.pop(parameter, "")
        is_of_line = replace(cell.point, parameters=parameters) == (
            WorkloadPoint.named(self.workload)
        )
        return value if is_of_line else ""


class PublishedChart(Document):
    """A published chart of lines over a swept parameter."""

    title: str
    metric: MetricName
    over: str
    """The swept parameter on the horizontal axis."""

    over_title: str
    """Title of the horizontal axis in the publication."""

    maximum: MetricName | None = None
    """Metric that is drawn as the theoretical maximum; ``None`` without one."""

    lines: tuple[ChartLine, ...] = Field(min_length=1)
    note: str = ""
    """What the publication states about the chart."""


class ClaimedMetric(Document):
    """A metric, and the limits that a claim sets for it or for a ratio of it."""

    metric: MetricName
    at_least: float | None = None
    at_most: float | None = None
    basis: str = ""
    """What the limits are based on if they are ours; ``""`` if they are published."""

    any_machine: bool = False
    """Whether limits of a metric itself are the same on every machine. Otherwise only
    the rounds of the newest machine count; those of a ratio always do."""


class ClaimRequirement(ClaimedMetric):
    """
    Limits of one metric: for its ratio between two cells, or for its value in one.

    The requirement is met if the whole interval lies within the limits, contradicted if
    it lies beyond one of them, and inconclusive otherwise.
    """

    of: Cell
    to: Cell | None
    """Denominator of the ratio; ``None`` if the limits are for the metric itself."""

    @property
    def limits(self) -> ClaimLimits:
        """The limits, of which one may be infinite."""
        return ClaimLimits(
            least=-inf if self.at_least is None else self.at_least,
            most=inf if self.at_most is None else self.at_most,
        )

    @property
    def is_of_machine(self) -> bool:
        """Whether its limits mean something else on another machine."""
        return self.to is None and not self.any_machine

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cell of the metric, and that of the denominator if there is one."""
        return (self.of,) if self.to is None else (self.of, self.to)


class ClaimedComparison(ClaimedMetric):
    """
    Limits of one metric for several cells, or for ratios between several cells.

    Each combination of a cell ``of`` and a cell ``to`` is a requirement, except that a
    cell is not compared with itself. If the comparison is ``paired``, each cell ``of``
    is only compared with the cell at the same position in ``to``.
    """

    of: CellNames
    to: CellNames | None = None
    """Denominators of ratios; ``None`` if the limits are for the metric itself."""

    paired: bool = False

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("give at_least, at_most or both")
        if self.any_machine and self.to:
            raise ValueError("any_machine: a ratio counts on every machine; omit it")
        if self.paired and (not self.to or len(self.to.cells) != len(self.of.cells)):
            raise ValueError("paired needs as many cells in to as in of")
        return self

    @property
    def requirements(self) -> tuple[ClaimRequirement, ...]:
        """The requirements, in the order of the cells."""
        denominators = self.to.cells if self.to else (None,)
        combined = zip if self.paired else product
        limited = self.model_dump(include={*ClaimedMetric.model_fields})
        return tuple(
            ClaimRequirement(of=of, to=to, **limited)
            for of, to in combined(self.of.cells, denominators)
            if to != of
        )


class ClaimCondition(Document):
    """
    What a setup must be like for a claim to be about it.

    A claim is inconclusive if one of its cells does not meet the condition.
    """

    text: str
    """The condition, after "a setup in which": ``the server is the bottleneck``."""

    of: CellNames | None = None
    """Cells that must meet the condition; ``None`` for all cells of the comparisons."""

    bottlenecks: tuple[Bottleneck, ...] = Field(min_length=1)
    """Bottlenecks of which a cell must have one."""


class Claim(Document):
    """A published conclusion, paraphrased, and the requirements that test it."""

    text: str
    tables: tuple[str, ...] = ()
    """Titles of the published tables that it is drawn from; empty for all."""

    conditions: tuple[ClaimCondition, ...] = ()
    comparisons: tuple[ClaimedComparison, ...] = ()
    """Comparisons that must all be met; empty if the claim is not tested."""

    either: bool = False
    """Whether it is enough that one of the comparisons is met."""

    reason: str = ""
    """Why the claim cannot be tested, or why a run cannot contradict it."""

    contradictable: bool = False
    """Whether a run can contradict the claim although it has a reason, which then says
    why it may be true elsewhere."""

    @model_validator(mode="after")
    def _is_tested(self) -> Self:
        if not self.comparisons and not self.reason:
            raise ValueError("give comparisons, or the reason why there are none")
        if self.contradictable and not self.reason:
            raise ValueError("contradictable: without a reason every claim is; omit it")
        return self

    @property
    def requirements(self) -> tuple[ClaimRequirement, ...]:
        """The requirements of all comparisons."""
        return tuple(
            one for comparison in self.comparisons for one in comparison.requirements
        )

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells of the comparisons, each once."""
        compared = (
            cell for requirement in self.requirements for cell in requirement.cells
        )
        return tuple(dict.fromkeys(compared))

    @property
    def cells_needed(self) -> tuple[Cell, ...]:
        """All cells of the comparisons and of their conditions, each once."""
        needed = [*self.cells]
        for condition in self.conditions:
            needed += self.cells_of(condition)
        return tuple(dict.fromkeys(needed))

    def cells_of(self, condition: ClaimCondition) -> tuple[Cell, ...]:
        """Return the cells that must meet one of the conditions."""
        return condition.of.cells if condition.of else self.cells


class PublishedHost(Document):
    """The host of the published servers, as far as it is known."""

    name: str = ""
    cores: int | None = Field(default=None, gt=0)
    memory_bytes: int | None = Field(default=None, gt=0)
    """Memory that the server could use."""

    cipher_bytes_per_s: float | None = Field(default=None, gt=0)
    """Bytes that one core encrypts per second with AES-128-GCM."""


class Publication(Document):
    """One file of ``experiments/published/``."""

    title: str
    origin: str
    """Author, place, date and machine of the publication."""

    host: PublishedHost | None = None
    names: dict[str, str] = Field(default_factory=dict)
    """Names in sentences of contestants and workloads, by their names here."""

    system: tuple[System, ...] = ()
    """Every system, version and setting that the publication names."""

    chart: tuple[PublishedChart, ...] = ()
    table: tuple[PublishedTable, ...] = ()
    claim: tuple[Claim, ...] = ()

    @property
    def compared(self) -> tuple[Cell, ...]:
        """The cells that decide claims, each once."""
        return tuple(
            dict.fromkeys(c for claim in self.claim for c in claim.cells_needed)
        )


def parse_publication(
    text: str, experiment: Experiment, *, origin: str
) -> Publication | None:
    """
    Parse the published values of an experiment; return ``None`` for an empty text.

    Raises:
        UsageError: the text is not TOML, a key is invalid, or the experiment does not
            have a cell.
    """
    if not text:
        return None
    publication = parse_document(Publication, text, origin=origin)
    _check_systems(publication, experiment, origin=origin)
    _check_charts(publication, experiment, origin=origin)
    known = set(experiment.cells())
    for table in publication.table:
        for published in table.cells:
            if table.cell(published) not in known:
                raise UsageError(
                    f"{origin}: {table.title}: the experiment has no cell "
                    f"{table.cell(published)}"
                )
    titles = {table.title for table in publication.table}
    for claim in publication.claim:
        for cell in claim.cells_needed:
            if cell not in known:
                raise UsageError(
                    f"{origin}: {claim.text}: the experiment has no cell {cell}"
                )
        if unknown := {*claim.tables} - titles:
            raise UsageError(
                f"{origin}: {claim.text}: no table has the title {min(unknown)!r}"
            )
    return publication


def _check_systems(
    publication: Publication, experiment: Experiment, *, origin: str
) -> None:
    known = {REFERENCE, *experiment.contestants}
    for system in publication.system:
        for name in system.by:
            if name not in known:
                raise UsageError(
                    f"{origin}: system {system.name!r}: by: the experiment has no "
                    f"contestant {name!r}"
                )


def _check_charts(
    publication: Publication, experiment: Experiment, *, origin: str
) -> None:
    for chart in publication.chart:
        for line in chart.lines:
            if not any(line.value(cell, chart.over) for cell in experiment.cells()):
                raise UsageError(
                    f"{origin}: {chart.title}: the experiment has no cell of "
                    f"{line.server}, {line.client} and {line.workload!r} with a "
                    f"value of {chart.over!r}"
                )


def read_published(experiment_file: Path) -> str:
    """Return the text of the file with published values; ``""`` if there is none."""
    path = experiment_file.parent / "published" / experiment_file.name
    return read_document(path) if path.is_file() else ""
