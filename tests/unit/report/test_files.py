"""Files beside a page: all that it links to, and reproducible."""

import re
from urllib.parse import unquote

import pytest

from autostrada.errors import UsageError
from autostrada.report.export import PageLocation
from autostrada.report.page import make_page, write_page


@pytest.fixture(scope="module")
def location(reader, race, tmp_path_factory):
    location = PageLocation(path=tmp_path_factory.mktemp("files") / "small.html")
    make_page(reader, race, location)
    return location


def test_every_link_leads_to_a_file_and_every_file_is_linked(location):
    html = location.path.read_text(encoding="utf-8")
    linked = re.findall(r'<a href="([^"]+)" download>', html)
    files = {f"small/{path.name}" for path in location.folder.iterdir()}
    assert {unquote(link) for link in linked} == files
    assert {name.rpartition(".")[2] for name in files} == {"svg", "csv", "parquet"}


def test_the_same_run_gives_the_same_files(location, race_path, tmp_path):
    write_page(race_path, tmp_path / "small.html")
    for path in location.folder.iterdir():
        assert (tmp_path / "small" / path.name).read_bytes() == path.read_bytes()


def test_a_row_says_what_the_client_holds_of_a_text(location):
    html = location.path.read_text(encoding="utf-8")
    assert "<small>text as UTF-8, validated by the library</small>" in html
    assert "<td>text as UTF-8, not validated by the library</td>" in html
    assert "<small>autostrada-engine load 1.2.3</small>" in html


def test_a_file_in_place_of_the_folder_is_named(race_path, tmp_path):
    (tmp_path / "small").write_text("mine")
    with pytest.raises(UsageError, match=r"cannot write .*small: File exists; choose"):
        write_page(race_path, tmp_path / "small.html")
    assert (tmp_path / "small").read_text() == "mine"
