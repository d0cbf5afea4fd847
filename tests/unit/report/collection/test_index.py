"""The index: it leads to every page, and loads nothing."""

import re
import shutil
from urllib.parse import unquote

import pytest

from autostrada.report.collection.index import write_index


@pytest.fixture(scope="module")
def path(race_path, tmp_path_factory):
    folder = tmp_path_factory.mktemp("index")
    return write_index(shutil.copy(race_path, folder / "store.duckdb"))


def test_every_link_leads_somewhere(path):
    html = path.read_text(encoding="utf-8")
    links = {unquote(link) for link in re.findall(r'href="([^"]+)"', html)}
    assert links == {"small.html", "small/run.parquet"}
    assert all((path.parent / link).is_file() for link in links)


def test_it_says_conclusion_date_and_verdicts(path):
    text = re.sub(r"<[^>]+>|\s+", " ", path.read_text(encoding="utf-8"))
    assert "ada-fast is the fastest. The next, cobol-mid" in text
    assert "20 November 2026" in text
    assert "client CPU 4, engine 2, failed 2" in text


def test_it_loads_nothing(path):
    html = path.read_text(encoding="utf-8")
    assert "<script" not in html
    assert " src=" not in html
    assert "url(" not in html
