"""Published figures of an experiment: tables of figures by cell, and claims."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from autostrada.errors import UsageError
from autostrada.experiment.document import Document, parse_document, read_document
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.stats.claim import Finding, within
from autostrada.stats.figures import FIGURES
from autostrada.stats.verdict import Bottleneck


def _known(name: str) -> str:
    if name not in FIGURES:
        raise ValueError(
            f"no figure is called {name!r}: docs/experiments.md lists all figures"
        )
    return name


FigureName = Annotated[str, AfterValidator(_known)]
"""Name of a figure: docs/experiments.md lists all figures."""


class PublishedCell(Document):
    """The published figure of one cell."""

    workload: str
    """Name of a point: ``json processes=2 stocks=10``."""

    server: str | None = None
    """Name of the server; ``None`` for that of the table."""

    client: str | None = None
    """Name of the client; ``None`` for that of the table."""

    value: float | None = None
    """The figure; ``None`` if none was published."""

    bound: Literal["at least", "at most"] | None = None
    """Direction of a figure that was published as a bound; ``None`` if it was not."""

    note: str = ""
    """Why there is no value."""


class PublishedTable(Document):
    """A table of one figure; a grid if ``rows`` and ``columns`` name two parameters."""

    title: str
    figure: FigureName

    server: str = REFERENCE
    client: str = REFERENCE
    rows: str | None = None
    columns: str | None = None
    cells: tuple[PublishedCell, ...] = Field(min_length=1)

    def cell(self, published: PublishedCell) -> Cell:
        """Return the cell of the experiment that a published figure belongs to."""
        return Cell(
            server=published.server or self.server,
            client=published.client or self.client,
            workload=published.workload,
        )


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
        """Return the cells."""
        ends = (self.server, self.client, self.workload)
        lists = [(each,) if isinstance(each, str) else each for each in ends]
        return tuple(
            Cell(server=server, client=client, workload=workload)
            for server, client, workload in product(*lists)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Requirement:
    """
    Limits of one figure: for its ratio between two cells, or for its value in one.

    The requirement is met if the whole interval lies within the limits, contradicted if
    it lies beyond one of them, and inconclusive otherwise.
    """

    figure: str
    of: Cell
    to: Cell | None
    """Denominator of the ratio; ``None`` if the limits are for the figure itself."""

    at_least: float | None
    at_most: float | None

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cell of the figure, and that of the denominator if there is one."""
        return (self.of,) if self.to is None else (self.of, self.to)


class Comparison(Document):
    """
    Limits of one figure for several cells, or for ratios between several cells.

    Each combination of a cell ``of`` and a cell ``to`` is a requirement, except that a
    cell is not compared with itself. If the comparison is ``paired``, each cell ``of``
    is only compared with the cell at the same position in ``to``.
    """

    figure: FigureName
    of: CellNames
    to: CellNames | None = None
    """Denominators of ratios; ``None`` if the limits are for the figure itself."""

    paired: bool = False
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("give at_least, at_most or both")
        if self.paired and (not self.to or len(self.to.cells) != len(self.of.cells)):
            raise ValueError("paired needs as many cells in to as in of")
        return self

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The requirements, in the order of the cells."""
        denominators = self.to.cells if self.to else (None,)
        combined = zip if self.paired else product
        return tuple(
            Requirement(
                figure=self.figure,
                of=of,
                to=to,
                at_least=self.at_least,
                at_most=self.at_most,
            )
            for of, to in combined(self.of.cells, denominators)
            if to != of
        )


class Condition(Document):
    """
    What a setup must be like for a claim to be about it.

    Give ``bottlenecks``, or ``figure`` with limits. A claim is inconclusive if one of
    its cells does not meet the condition.
    """

    text: str
    """The condition, after "a setup in which": ``the server is the bottleneck``."""

    of: CellNames | None = None
    """Cells that must meet the condition; ``None`` for all cells of the comparisons."""

    bottlenecks: tuple[Bottleneck, ...] = ()
    """Bottlenecks of which a cell must have one."""

    figure: FigureName | None = None
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        limits = (self.at_least, self.at_most)
        if bool(self.bottlenecks) == (self.figure is not None):
            raise ValueError("give either bottlenecks or figure")
        if (self.figure is None) == any(limit is not None for limit in limits):
            raise ValueError("give at_least, at_most or both with figure")
        return self

    def requirement(self, cell: Cell) -> Requirement:
        """Return the limits of the figure as a requirement of one cell."""
        assert self.figure is not None, "a condition on bottlenecks has no figure"
        return Requirement(
            figure=self.figure,
            of=cell,
            to=None,
            at_least=self.at_least,
            at_most=self.at_most,
        )


class Claim(Document):
    """A published conclusion, paraphrased, and the requirements that test it."""

    text: str
    tables: tuple[str, ...] = ()
    """Titles of the published tables that it is drawn from; empty for all."""

    conditions: tuple[Condition, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    """Comparisons that must all be met; empty if the claim is not tested."""

    reason: str = ""
    """Why the claim cannot be tested, always or if its comparisons are not met."""

    @model_validator(mode="after")
    def _is_tested(self) -> Self:
        if not self.comparisons and not self.reason:
            raise ValueError("give comparisons, or the reason why there are none")
        return self

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The requirements of all comparisons."""
        return tuple(one for each in self.comparisons for one in each.requirements)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells of the comparisons, each once."""
        compared = (cell for each in self.requirements for cell in each.cells)
        return tuple(dict.fromkeys(compared))

    def cells_of(self, condition: Condition) -> tuple[Cell, ...]:
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
    stand_ins: tuple[str, ...] = ()
    """Substitutes for unavailable software, one sentence each with a justification."""

    table: tuple[PublishedTable, ...] = ()
    claim: tuple[Claim, ...] = ()


def parse_publication(
    text: str, experiment: Experiment, *, origin: str
) -> Publication | None:
    """
    Parse the published figures of an experiment; return ``None`` for an empty text.

    Raises:
        UsageError: the text is not TOML, a key is invalid, or the experiment does not
            have a cell.
    """
    if not text:
        return None
    publication = parse_document(Publication, text, origin=origin)
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
        for cell in (
            *claim.cells,
            *(cell for each in claim.conditions for cell in claim.cells_of(each)),
        ):
            if cell not in known:
                raise UsageError(
                    f"{origin}: {claim.text}: the experiment has no cell {cell}"
                )
        if unknown := {*claim.tables} - titles:
            raise UsageError(
                f"{origin}: {claim.text}: no table has the title {min(unknown)!r}"
            )
    return publication


def refuse_unfounded_claims(publication: Publication, *, origin: str) -> None:
    """
    Check that each claim is true of the published figures that it is drawn from.

    A comparison is skipped if one of its figures was not published, or as a bound.

    Raises:
        UsageError: a claim contradicts its tables, or they contradict each other.
    """
    for claim in publication.claim:
        published = _published_values(publication, claim, origin=origin)
        for each in claim.requirements:
            values = [published.get((each.figure, cell)) for cell in each.cells]
            known = [value for value in values if value is not None]
            if len(known) < len(values):
                continue
            of, *to = known
            value = of / to[0] if to else of
            finding = within(value, value, at_least=each.at_least, at_most=each.at_most)
            if finding is Finding.CONTRADICTED:
                raise UsageError(
                    f"{origin}: {claim.text}: the published {each.figure} of "
                    f"{' and '.join(map(str, each.cells))} contradicts it: {value:g}"
                )


def _published_values(
    publication: Publication, claim: Claim, *, origin: str
) -> dict[tuple[str, Cell], float]:
    """Return the published values of a claim's tables by figure and cell."""
    found: dict[tuple[str, Cell], float] = {}
    used = {(each.figure, cell) for each in claim.requirements for cell in each.cells}
    for table in publication.table:
        if claim.tables and table.title not in claim.tables:
            continue
        for published in table.cells:
            key = (table.figure, table.cell(published))
            if published.value is None or published.bound or key not in used:
                continue
            if found.setdefault(key, published.value) != published.value:
                raise UsageError(
                    f"{origin}: {claim.text}: two tables differ in {key[0]} of "
                    f"{key[1]}: name the claim's tables"
                )
    return found


def read_published(experiment_file: Path) -> str:
    """Return the text of the file with published figures; ``""`` if there is none."""
    path = experiment_file.parent / "published" / experiment_file.name
    return read_document(path) if path.is_file() else ""
