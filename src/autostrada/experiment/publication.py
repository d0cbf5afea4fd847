"""Published figures of an experiment: tables of figures by cell, and claims."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from autostrada.errors import UsageError
from autostrada.experiment.document import Document, parse_document, read_document
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.stats.figures import FIGURES


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


class CellName(Document):
    """The names that identify a cell of the experiment."""

    server: str = REFERENCE
    client: str = REFERENCE
    workload: str

    @property
    def cell(self) -> Cell:
        """Return the cell."""
        return Cell(server=self.server, client=self.client, workload=self.workload)


class Requirement(Document):
    """
    Bounds for one figure: for its ratio between two cells, or for its value in one.

    The requirement is met if the whole interval lies within the bounds, contradicted if
    it lies beyond one of them, and inconclusive otherwise.
    """

    figure: FigureName

    of: CellName
    to: CellName | None = None
    """Denominator of the ratio; ``None`` if the bounds are for the figure itself."""

    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("give at_least, at_most or both")
        return self


class Claim(Document):
    """A published conclusion, paraphrased, and the requirements that test it."""

    text: str
    comparisons: tuple[Requirement, ...] = ()
    """Requirements that must all be met; empty if the claim is not tested."""

    reason: str = ""
    """Why the claim cannot be tested, always or if its comparisons are not met."""

    @model_validator(mode="after")
    def _is_tested(self) -> Self:
        if not self.comparisons and not self.reason:
            raise ValueError("give comparisons, or the reason why there are none")
        return self


class Publication(Document):
    """One file of ``experiments/published/``."""

    title: str
    origin: str
    """Author, place, date and machine of the publication."""

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
    for claim in publication.claim:
        for comparison in claim.comparisons:
            for name in (comparison.of, comparison.to):
                if name is not None and name.cell not in known:
                    raise UsageError(
                        f"{origin}: {claim.text}: the experiment has no cell "
                        f"{name.cell}"
                    )
    return publication


def read_published(experiment_file: Path) -> str:
    """Return the text of the file with published figures; ``""`` if there is none."""
    path = experiment_file.parent / "published" / experiment_file.name
    return read_document(path) if path.is_file() else ""
