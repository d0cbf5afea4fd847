"""How the cells of a comparison are named."""

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.cell_names import places


def cell(words):
    server, client, workload = words.split()
    return Cell(server=server, client=client, workload=workload)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("ada bash json", "ada → bash in json"),
        ("ada reference json", "ada in json"),
        ("reference bash json", "bash in json"),
        ("reference reference json", "engine in json"),
    ],
)
def test_one_cell_is_named_as_a_whole(words, name):
    found = places([cell(words)])
    assert (found.shared, found.names) == ("", (name,))
    assert places([cell(words)] * 2).names == (name, name)


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
def test_two_are_named_by_what_differs(of, to, shared, names):
    found = places([cell(of), cell(to)])
    assert (found.shared, found.names) == (shared, names)
