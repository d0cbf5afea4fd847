"""How the cells of a comparison are named."""

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.cell_names import cell_name, cell_names


def cell(text):
    server, client, workload = text.split()
    return Cell(server=server, client=client, workload=workload)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ada bash json", "ada → bash in json"),
        ("ada reference json", "ada in json"),
        ("reference bash json", "bash in json"),
        ("reference reference json", "engine in json"),
    ],
)
def test_a_single_cell_has_a_full_name(text, name):
    found = cell_names([cell(text)])
    assert (found.shared, found.names) == ("", (name,))
    assert cell_names([cell(text)] * 2).names == (name, name)


@pytest.mark.parametrize(
    ("of", "to", "shared", "names"),
    [
        ("reference ada push", "reference bash push", " in push", ("ada", "bash")),
        (
            "reference ada push",
            "reference reference push",
            " in push",
            ("ada", "engine"),
        ),
        ("ada reference json", "cobol reference json", " in json", ("ada", "cobol")),
        ("ada bash json", "cobol bash json", " to bash in json", ("ada", "cobol")),
        ("ada bash json", "ada bash text", " from ada to bash", ("json", "text")),
        (
            "ada bash json",
            "cobol dart json",
            " in json",
            ("ada → bash", "cobol → dart"),
        ),
        (
            "ada bash json",
            "ada dart text",
            " from ada",
            ("bash in json", "dart in text"),
        ),
        (
            "ada reference json",
            "cobol dart text",
            "",
            ("ada → engine in json", "cobol → dart in text"),
        ),
    ],
)
def test_two_cells_are_named_by_their_differences(of, to, shared, names):
    found = cell_names([cell(of), cell(to)])
    assert (found.shared, found.names) == (shared, names)


NAMES = {"ada+2024": "Ada of 2024", "ada+2024-client": "Ada of 2024", "json": "JSON"}


def test_a_publication_has_names_of_its_own():
    one, two = (
        Cell(
            server="ada+2024",
            client="ada+2024-client",
            workload=f"json processes={number} stocks=10",
        )
        for number in (1, 3)
    )
    named = cell_names([one, two], NAMES)
    assert named.shared == " from Ada of 2024 to Ada of 2024"
    assert named.names == ("JSON, 1 process, 10 stocks", "JSON, 3 processes, 10 stocks")
    assert cell_name(two, NAMES) == "Ada of 2024 in JSON, 3 processes, 10 stocks"
    other = Cell(server="bash", client="reference", workload="push")
    assert cell_name(other, NAMES) == "bash in push"
