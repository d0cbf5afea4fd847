"""A run continues archived ones: their trials become parts of it."""

from dataclasses import replace

import pytest

from autostrada.experiment.matrix import Attempt, Cell
from autostrada.store.parquet import write_parquet
from autostrada.store.reader import StoreReader
from autostrada.store.writer import StoreWriter

OTHER = Cell(client="bash-slow", workload="batched")
HERE = "Intel Xeon, cores 2"


@pytest.fixture
def continued(filled, run, trial, tmp_path):
    """Return a function: a store with a run that continues a file, and its number."""
    archive = tmp_path / "first.parquet"
    write_parquet(filled, 1, archive)

    def continued(archive=archive, superseded=(), repetition=2):
        path = tmp_path / f"{repetition}.duckdb"
        here = replace(run, host='{"cpu_model": "Intel Xeon", "cores": 2}')
        with StoreWriter.create_or_open(path) as writer:
            other = writer.start_run(run)
            writer.record_trial(other, trial(7))
            run_id = writer.start_run(here)
            writer.take_over(archive, run_id, dict(superseded))
            writer.record_trial(run_id, trial(repetition, cell=OTHER))
        return path, run_id

    return continued


def test_trials_are_taken_over_with_their_outcome_and_machine(continued, filled):
    path, run_id = continued()
    with StoreReader.open(path) as reader, StoreReader.open(filled) as before:
        assert reader.machines(run_id) == {0: "cores 2", None: HERE}
        assert reader.instants(run_id) == before.instants(1)
        rows = reader.query("SELECT * FROM trial WHERE run_id = $id", id=run_id)
        assert [(row["repetition"], row["part"]) for row in rows] == [
            (0, 0),
            (1, 0),
            (2, None),
        ]
        assert len({row["trial_id"] for row in rows}) == 3
        measured = (
            "SELECT count(*) AS rows FROM trial JOIN measurement USING (trial_id)"
        )
        [found] = reader.query(f"{measured} WHERE run_id = $id", id=run_id)
        assert found["rows"] == 2
        [failed] = reader.query("SELECT * FROM failure WHERE run_id = $id", id=run_id)
        assert failed["trial_id"] is not None


def test_what_is_superseded_counts_no_longer_but_its_rounds_do(continued, trial):
    cell = trial().cell
    path, run_id = continued(superseded={cell: "the workload has changed"})
    with StoreReader.open(path) as reader:
        found = reader.resumption("race")
        assert found.attempts == {Attempt(cell=OTHER, repetition=2)}
        assert found.rounds == 3
        counted = reader.query(
            "SELECT * FROM counted_trial WHERE run_id = $id", id=run_id
        )
        assert [row["repetition"] for row in counted] == [2]
        reasons = reader.query("SELECT DISTINCT superseded FROM trial WHERE part = 0")
        assert [row["superseded"] for row in reasons] == ["the workload has changed"]


def test_a_run_that_continued_another_is_continued_itself(continued, trial, tmp_path):
    cell = trial().cell
    path, run_id = continued(superseded={cell: "it is older"})
    second = tmp_path / "second.parquet"
    write_parquet(path, run_id, second)
    path, run_id = continued(second, {OTHER: "that too", cell: "new"}, repetition=3)
    with StoreReader.open(path) as reader:
        assert reader.machines(run_id) == {0: "cores 2", 1: HERE, None: HERE}
        rows = reader.query(
            "SELECT * FROM trial WHERE run_id = $id ORDER BY repetition", id=run_id
        )
        parts = [(row["part"], row["superseded"]) for row in rows]
    older = (0, "it is older")
    assert parts == [older, older, (1, "that too"), (None, None)]
