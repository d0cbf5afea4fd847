"""Which runs an index has."""

from dataclasses import replace

import pytest

from autostrada.errors import UsageError
from autostrada.report.collection.entry import read_entries
from autostrada.store.reader import StoreReader
from autostrada.store.writer import StoreWriter


def test_it_has_the_newest_run_of_each_experiment(run, tmp_path):
    path = tmp_path / "store.duckdb"
    with StoreWriter.create_or_open(path) as writer:
        for name in ("small", "another", "small"):
            writer.start_run(replace(run, experiment=name))
    with StoreReader.open(path) as reader:
        entries = read_entries(reader)
    assert [(entry.name, entry.run_id) for entry in entries] == [
        ("another", 2),
        ("small", 3),
    ]


def test_an_entry_says_what_a_page_says_first(reader):
    [entry] = read_entries(reader)
    assert entry.title == "The small race"
    assert entry.page == "small.html"
    assert entry.host["cores"] == 2
    assert entry.summary.headline.startswith("ada-fast is the fastest.")


def test_a_store_without_a_run_has_no_index(tmp_path):
    path = tmp_path / "empty.duckdb"
    StoreWriter.create_or_open(path).close()
    with (
        StoreReader.open(path) as reader,
        pytest.raises(UsageError, match="holds no run yet"),
    ):
        read_entries(reader)
