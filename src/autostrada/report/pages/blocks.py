"""
What a page shows, as data: sections of blocks.

Everything that decides stands here: sentences, verdicts, ranks, intervals. The
application in ``site/`` sorts, folds and draws; it computes no statistics. Its types in
``site/src/document.ts`` are generated from these (``make generate``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from autostrada.report.charts.chart import Chart
from autostrada.report.charts.flame_graph import Frame

ColumnKind = Literal["text", "words", "number", "main", "rank", "hidden"]
"""Alignment and weight of a column; what is hidden can only be chosen."""

FacetKind = Literal["", "buttons", "list"]
"""How one of the texts of a column is chosen; empty if none can be."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LinePanel:
    """Small lines in a cell of a table, on a square of ``SIDE`` units."""

    label: str
    lines: tuple[tuple[str, str], ...]
    """The process of each line, and its points as SVG writes them."""

    most: tuple[tuple[str, str], ...]
    """The maximum of each process, with its unit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TableCell:
    """A cell of a table."""

    text: str
    detail: str = ""
    """Further lines below the text."""

    kind: str = ""
    """The style of the text: a finding, or the name of a bottleneck."""

    value: float | None = None
    """The number by which a column is sorted and that CSV has; ``None`` for a text."""

    low: float | None = None
    high: float | None = None
    """Bounds of the value; ``None`` without an interval."""

    why: str = ""
    """What explains the text: a tooltip."""

    link: str = ""
    panel: LinePanel | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TableColumn:
    """A column of a table; a line break in its title is a place to wrap."""

    title: str
    kind: ColumnKind = "text"
    facet: FacetKind = ""
    """How a person can choose one of its texts, to see only those rows."""

    unit: str = ""
    """Unit of its values if it can be drawn over another one: ``per_s``, ``ms``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TableRow:
    """A row of a table."""

    cells: tuple[TableCell | str, ...]
    """A cell for each column; a cell that is only a text stands as such."""

    kind: str = ""
    """``reference``, ``broken``, or ``group`` for a heading within the table."""

    notes: "tuple[Paragraph | Folded, ...]" = ()
    """What is always shown below the row."""

    details: "tuple[Block, ...]" = ()
    """What is shown below the row once it is opened."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table, with the name of its download."""

    name: str
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]
    caption: str = ""
    details: str = ""
    """The relative URL of the file with the details of all rows; empty if rows have
    their own. See ``details_file``."""

    versus: str = ""
    """The relative URL of the page of two libraries; empty if none can be ticked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Paragraph:
    """A paragraph, or an entry of a list."""

    strong: str = ""
    """What stands before the text, emphasized."""

    text: str
    kind: str = ""
    """Its style: ``headline``, ``further``, ``failed`` or ``note``."""

    link: str = ""
    """Where the text leads; empty if nowhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bullets:
    """A list."""

    items: "tuple[Paragraph | Folded, ...]"
    kind: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """Large numbers, each with its title."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """Names with their values."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Commands:
    """Commands, each with its purpose."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Verbatim:
    """The text of a file or of a program's output."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A chart, with the name of its downloads."""

    name: str
    chart: Chart


@dataclass(frozen=True, kw_only=True, slots=True)
class Flame:
    """A differential flame graph."""

    frames: tuple[Frame, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Contender:
    """A library that can be compared with another one."""

    name: str
    facts: tuple[tuple[str, str], ...]
    """Version, settings and conformance by name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Versus:
    """Cells of all libraries, of which a person chooses two."""

    table: Table
    ratios: Mapping[str, str]
    """The ratio of the main metric of two rows, by the indices of both: ``3 7``."""

    contenders: tuple[Contender, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Trials:
    """The trials of a cell, which are read from a file when they are asked for."""

    data: str
    """The relative URL of the Parquet file of the run."""

    server: str
    client: str
    workload: str
    columns: tuple[tuple[str, str, float, int], ...]
    """Metrics, each with its title, the size of its unit, and its decimal places."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Folded:
    """Blocks that are shown once they are opened."""

    summary: str
    blocks: "tuple[Block, ...]"
    is_open: bool = False


Block = (
    Paragraph
    | Bullets
    | Figures
    | Facts
    | Commands
    | Verbatim
    | Heading
    | Table
    | Figure
    | Flame
    | Versus
    | Trials
    | Folded
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of a page with a title; that of the answer has none."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page."""

    title: str
    """The title of the window."""

    overline: str
    heading: str
    at: str
    """When it was measured, for a person."""

    meta: tuple[str, ...]
    """What stands beside the time: the command, and the extent."""

    sections: tuple[Section, ...]
    footer: str
    warnings: tuple[str, ...] = ()
    data: str = ""
    """The relative URL of the Parquet file of the run; empty without one."""

    home: str = ""
    """The relative URL of the index of the site; empty for a page without one."""

    events: str = ""
    """The relative URL of the stream of newer pages; the last one has none."""

    status: str = ""
    """What has happened, for a person who has followed the stream."""
