"""Where a page and what lies beside it go."""

from pathlib import Path

import pytest

from autostrada.report.export import Place


def test_the_folder_beside_a_page_has_its_name():
    assert Place(path=Path("results/race.html")).folder == Path("results/race")


def test_a_page_without_a_suffix_has_another_folder_than_itself():
    assert Place(path=Path("report")).folder == Path("report-files")


@pytest.mark.parametrize("name", ["a/b.csv", "..", "a b.svg", "ü?.csv", "x%2Fy.csv"])
def test_the_name_of_a_workload_leads_nowhere_else(name):
    place = Place(path=Path("out/race.html"))
    file = place.file(name)
    assert file.parent == Path("out/race") or name == ".."
    assert file.resolve().is_relative_to(Path("out").resolve())


def test_a_link_leads_from_the_page_to_the_file():
    place = Place(path=Path("out/my page.html"))
    assert place.link("a b.svg") == "my%20page/a%20b.svg"
    assert place.link("a/b.svg") == "my%20page/a%252Fb.svg"
