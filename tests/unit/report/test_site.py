"""The index of runs links to every page and loads nothing."""

import re
import shutil
from dataclasses import replace
from urllib.parse import unquote

import pytest
from tests.unit.report.race import RUN

from autostrada.errors import UsageError
from autostrada.report.site import read_entries, write_index
from autostrada.store.reader import StoreReader
from autostrada.store.writer import StoreWriter


def test_the_index_has_the_newest_run_of_each_experiment(tmp_path):
    path = tmp_path / "store.duckdb"
    with StoreWriter.create_or_open(path) as writer:
        for name in ("small", "another", "small"):
            writer.start_run(replace(RUN, experiment=name))
    with StoreReader.open(path) as reader:
        entries = read_entries(reader)
    assert [(entry.name, entry.results.run_id) for entry in entries] == [
        ("another", 2),
        ("small", 3),
    ]


def test_a_store_without_a_run_has_no_index(tmp_path):
    path = tmp_path / "empty.duckdb"
    StoreWriter.create_or_open(path).close()
    with (
        StoreReader.open(path) as reader,
        pytest.raises(UsageError, match="holds no run yet"),
    ):
        read_entries(reader)


@pytest.fixture(scope="module")
def path(race_path, tmp_path_factory):
    folder = tmp_path_factory.mktemp("index")
    return write_index(shutil.copy(race_path, folder / "store.duckdb"))


def test_every_link_resolves(path):
    html = path.read_text(encoding="utf-8")
    links = {unquote(link) for link in re.findall(r'href="([^"]+)"', html)}
    assert links == {"small.html", "small/run.parquet"}
    assert all((path.parent / link).is_file() for link in links)


def test_an_entry_has_conclusion_date_and_verdicts(path):
    text = re.sub(r"<[^>]+>|\s+", " ", path.read_text(encoding="utf-8"))
    assert "ada-fast is the fastest. The next, cobol-mid" in text
    assert "The small race" in text
    assert "20 November 2026" in text
    # What is not installed has not failed.
    assert "load generator 4, client CPU 4 " in text


def test_the_index_loads_nothing(path):
    html = path.read_text(encoding="utf-8")
    assert "<script" not in html
    assert " src=" not in html
    assert "url(" not in html
