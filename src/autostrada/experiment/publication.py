"""What somebody else published of an experiment: tables of figures, by cell."""

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
            f"no figure is called {name!r}: docs/experiments.md lists them"
        )
    return name


FigureName = Annotated[str, AfterValidator(_known)]
"""Of a figure of ours: docs/experiments.md lists them."""


class PublishedCell(Document):
    """A figure of one cell; without a value, a note that says why there is none."""

    workload: str
    """The name of a point: ``json processes=2 stocks=10``."""

    server: str | None = None
    """Where it is not the table's."""

    client: str | None = None
    value: float | None = None
    note: str = ""


class PublishedTable(Document):
    """Figures of one kind. Rows and columns are parameters, where it has both."""

    title: str
    figure: FigureName

    server: str = REFERENCE
    client: str = REFERENCE
    rows: str | None = None
    columns: str | None = None
    cells: tuple[PublishedCell, ...] = Field(min_length=1)

    def cell(self, published: PublishedCell) -> Cell:
        """Return which cell of the experiment a figure is of."""
        return Cell(
            server=published.server or self.server,
            client=published.client or self.client,
            workload=published.workload,
        )


class CellName(Document):
    """A cell of the experiment, by its names."""

    server: str = REFERENCE
    client: str = REFERENCE
    workload: str

    @property
    def cell(self) -> Cell:
        """Return the cell."""
        return Cell(server=self.server, client=self.client, workload=self.workload)


class Requirement(Document):
    """
    What a claim requires of one figure: a ratio of two cells, or the figure of one.

    It is met where the whole interval lies between the two bounds, and not where it
    lies beyond one of them.
    """

    figure: FigureName

    of: CellName
    to: CellName | None = None
    """Without it, the bounds are of the figure itself."""

    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("give at_least, at_most or both")
        return self


class Claim(Document):
    """A conclusion that was published, in our words, and what it means in figures."""

    text: str
    comparisons: tuple[Requirement, ...] = ()
    """All must be met; without any, nothing is tested."""

    reason: str = ""
    """Why it cannot be tested: always, or where its comparisons are not met."""

    @model_validator(mode="after")
    def _is_tested(self) -> Self:
        if not self.comparisons and not self.reason:
            raise ValueError("give comparisons, or the reason why there are none")
        return self


class Publication(Document):
    """One file of ``experiments/published/``."""

    title: str
    origin: str
    """Who published it, where and when, and on which machine."""

    stand_ins: tuple[str, ...] = ()
    """What stands in for what cannot be had, and why that is fair; a sentence each."""

    table: tuple[PublishedTable, ...] = ()
    claim: tuple[Claim, ...] = ()


def parse_publication(
    text: str, experiment: Experiment, *, origin: str
) -> Publication | None:
    """
    Read what was published of an experiment; ``None`` for an empty text.

    Raises:
        UsageError: it is no TOML, a key is wrong, or a cell is not of the experiment.
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
    """Return what stands beside an experiment's file; ``""`` where nothing does."""
    path = experiment_file.parent / "published" / experiment_file.name
    return read_document(path) if path.is_file() else ""
