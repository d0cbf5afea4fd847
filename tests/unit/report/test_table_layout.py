"""Columns of a terminal table fit its width, and no name is broken."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from autostrada.report.table_layout import Column, filled, lay_out


def columns():
    names = Column(title="contestant\nversion", justify="left", wraps=True)
    names.cells = [Text("ruby-queue+contestants 0.29.0"), Text("go-one 1.8.9")]
    numbers = [
        Column(title=f"metric {index}", cells=[Text(f"{index},000 ms"), Text("1 ms")])
        for index in range(3)
    ]
    return [names, *numbers]


def printed(width):
    console = Console(file=io.StringIO(), width=width)
    tables = lay_out(columns(), width=width, repeated=1)
    for table in tables:
        console.print(table)
    return len(tables), console.file.getvalue()


@pytest.mark.parametrize(("width", "count"), [(60, 1), (40, 1), (30, 2)])
def test_names_are_broken_before_their_variant_and_columns_continue_below(
    width, count, snapshot
):
    tables, text = printed(width)
    assert tables == count
    lines = [line.rstrip() for line in text.splitlines()]
    snapshot(f"table-of-{width}-columns.txt", "\n".join(lines) + "\n")


def test_a_column_without_any_text_is_left_out():
    rows = [(Text("go-one"), Text("")), (Text("go-two"), Text(" "))]
    (table,) = lay_out(
        filled([Column(title="name"), Column(title="harness")], rows),
        width=40,
        repeated=1,
    )
    assert [column.header.plain for column in table.columns] == ["name"]


def test_a_terminal_that_is_too_narrow_shows_one_column_a_table():
    assert printed(10)[0] == 3


def test_styles_of_a_broken_line_are_kept():
    column = Column(title="", wraps=True, cells=[Text("client CPU", "green")])
    _, cell = column.fitted(6)
    assert cell.plain == "client\nCPU"
    assert cell.get_style_at_offset(Console(), 8).color.name == "green"
