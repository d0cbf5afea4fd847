"""Paths of a page and of the files beside it."""

from pathlib import Path

import pytest

from autostrada.report.export import PageLocation


def test_the_folder_beside_a_page_has_its_name():
    assert PageLocation(path=Path("results/race.html")).folder == Path("results/race")


def test_a_page_without_a_suffix_has_a_folder_of_another_name():
    assert PageLocation(path=Path("report")).folder == Path("report-files")


@pytest.mark.parametrize("name", ["a/b.csv", "..", "a b.svg", "ü?.csv", "x%2Fy.csv"])
def test_the_name_of_a_workload_cannot_leave_the_folder(name):
    location = PageLocation(path=Path("out/race.html"))
    file = location.file(name)
    assert file.parent == Path("out/race") or name == ".."
    assert file.resolve().is_relative_to(Path("out").resolve())


def test_a_link_is_relative_to_the_page():
    location = PageLocation(path=Path("out/my page.html"))
    assert location.link("a b.svg") == "my%20page/a%20b.svg"
    assert location.link("a/b.svg") == "my%20page/a%252Fb.svg"
