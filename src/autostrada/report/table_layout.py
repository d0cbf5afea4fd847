"""Fits the columns of a terminal table to its width; no name or number is broken."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

GAP = 1
"""Spaces between two columns."""


@dataclass(kw_only=True, slots=True)
class Column:
    """
    A column of a table: its title and one cell for each row, of one or more lines.

    The lines of a column that wraps are broken at spaces, and before the variant of a
    contestant, if the table would be too wide otherwise.
    """

    title: str
    justify: JustifyMethod = "right"
    wraps: bool = False
    identifies: bool = False
    """Whether the column names the row, and is repeated if a table is continued."""

    cells: list[Text] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether no cell has any text."""
        return not any(cell.plain.strip() for cell in self.cells)

    @property
    def width_min(self) -> int:
        """The smallest width at which no word is broken, in characters."""
        if not self.wraps:
            return self.width_max
        words = [word for line in self._lines() for word in _wrapped(line, 1)]
        return max(map(len, words))

    @property
    def width_max(self) -> int:
        """The width at which no line is broken, in characters."""
        return max(map(len, self._lines()))

    def fitted(self, width: int) -> list[Text]:
        """Return the title and the cells with their lines broken at ``width``."""
        texts = [Text(self.title), *self.cells]
        return [_fitted(text, width) for text in texts] if self.wraps else texts

    def lines_saved(self, width: int, extra: int) -> int:
        """Return how many lines fewer the cells need if they are ``extra`` wider."""
        return sum(
            len(_wrapped(line, width)) - len(_wrapped(line, width + extra))
            for line in self._lines()
        )

    def _lines(self) -> list[str]:
        texts = [self.title, *(cell.plain for cell in self.cells)]
        return [line for text in texts for line in text.split("\n")]


def filled(columns: Sequence[Column], rows: Iterable[Iterable[Text]]) -> list[Column]:
    """Return columns with the cells of ``rows`` added to them."""
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            column.cells.append(cell)
    return list(columns)


def lay_out(columns: Sequence[Column], *, width: int, repeated: int) -> list[Table]:
    """
    Return tables of at most ``width`` characters that show all columns between them.

    Columns whose cells are all empty are left out. Those that do not fit are continued
    in a further table, which begins with the first ``repeated`` columns again.
    """
    first = [column for column in columns[:repeated] if not column.is_empty]
    rest = [column for column in columns[repeated:] if not column.is_empty]
    tables: list[Table] = []
    while rest or not tables:
        count = next(
            (
                count
                for count in range(len(rest), 1, -1)
                if _width_min([*first, *rest[:count]]) <= width
            ),
            1,
        )
        tables.append(_table([*first, *rest[:count]], width))
        del rest[:count]
    return tables


def fits(columns: Sequence[Column], width: int, *, lines_max: int) -> bool:
    """Whether the columns fit into one table of this width and number of lines."""
    shown = [column for column in columns if not column.is_empty]
    if _width_min(shown) > width:
        return False
    fitted = zip(
        *(
            each.fitted(width)
            for each, width in zip(shown, _widths(shown, width), strict=True)
        ),
        strict=True,
    )
    lines: int = sum(max(cell.plain.count("\n") + 1 for cell in row) for row in fitted)
    return lines <= lines_max


def _width_min(columns: Sequence[Column]) -> int:
    return sum(column.width_min for column in columns) + GAP * (len(columns) - 1)


def _table(columns: Sequence[Column], width: int) -> Table:
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
    fitted = []
    for column, column_width in zip(columns, _widths(columns, width), strict=True):
        title, *cells = column.fitted(column_width)
        table.add_column(title, justify=column.justify, no_wrap=True)
        fitted.append(cells)
    for row in zip(*fitted, strict=True):
        table.add_row(*row)
    return table


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """Return the width of each column; spare width goes where it saves most lines."""
    widths = [column.width_min for column in columns]
    spare_width = width - _width_min(columns)
    while True:
        gains = [
            (saved_lines / extra, index, extra)
            for index, column in enumerate(columns)
            for extra in range(
                1, min(spare_width, column.width_max - widths[index]) + 1
            )
            if (saved_lines := column.lines_saved(widths[index], extra))
        ]
        if not gains:
            return widths
        _, index, extra = max(gains)
        widths[index] += extra
        spare_width -= extra


def _fitted(cell: Text, width: int) -> Text:
    """Return a cell whose lines are broken at ``width``; their styles are kept."""
    lines = []
    for line in cell.split("\n", allow_blank=True):
        end = 0
        for part in _wrapped(line.plain, width):
            start = line.plain.index(part, end)
            end = start + len(part)
            lines.append(line[start:end])
    return Text("\n").join(lines)


class _Wrapper(textwrap.TextWrapper):
    wordsep_simple_re = re.compile(r"(\s+|(?=\+))")


@cache
def _wrapped(line: str, width: int) -> tuple[str, ...]:
    wrapper = _Wrapper(width, break_long_words=False, break_on_hyphens=False)
    return (*wrapper.wrap(line),) or ("",)
