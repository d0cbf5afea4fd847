"""The runs of a store that documents are about."""

from dataclasses import replace

import pytest
from tests.unit.report.race import RUN

from autostrada.errors import UsageError
from autostrada.report.documents import read_entries
from autostrada.store.reader import StoreReader
from autostrada.store.writer import StoreWriter


def test_documents_have_the_newest_run_of_each_experiment(tmp_path):
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


def test_a_store_without_a_run_is_refused(tmp_path):
    path = tmp_path / "empty.duckdb"
    StoreWriter.create_or_open(path).close()
    with (
        StoreReader.open(path) as reader,
        pytest.raises(UsageError, match="holds no run yet"),
    ):
        read_entries(reader)
