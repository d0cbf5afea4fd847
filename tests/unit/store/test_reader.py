"""Reading what was written, and the state of a run for its resumption."""

from dataclasses import replace

import duckdb
import pytest

from autostrada.errors import UsageError
from autostrada.experiment.matrix import Attempt, Cell
from autostrada.store.reader import StoreReader
from autostrada.store.record import MetricValue, OtherLoad
from autostrada.store.writer import StoreWriter


@pytest.fixture
def reader(filled):
    with StoreReader.open(filled) as reader:
        yield reader


def test_a_run_is_read_as_it_was_written(reader, run):
    assert reader.run().run == run
    assert [stored.run_id for stored in reader.runs()] == [1]


def test_the_newest_run_is_read_by_default(path, run):
    with StoreWriter.create_or_open(path) as writer:
        writer.start_run(run)
        writer.start_run(replace(run, command="again"))
    with StoreReader.open(path) as reader:
        assert reader.run().run.command == "again"
        assert reader.run(1).run.command == run.command


def test_an_unknown_run_is_answered_with_the_known_ones(reader):
    with pytest.raises(UsageError, match=r"holds no run 9, only 1$"):
        reader.run(9)


def test_contestants_are_read_as_they_were_written(reader, version):
    assert reader.contestants(1) == [version]
    assert reader.contestants(2) == []


def test_only_failures_of_a_whole_contestant_are_the_contestants(reader, failure):
    assert reader.contestant_failures(1) == {"bash-slow": failure}


def test_the_median_of_a_metric_is_that_of_a_cells_trials(written, trial):
    def measured(value):
        metric = MetricValue(process="client", metric="achieved_per_s", value=value)
        return replace(trial().outcome, metrics=(metric,))

    outcomes = map(measured, (1.0, 3.0, 8.0))
    made = (trial(number, outcome=each) for number, each in enumerate(outcomes))
    with StoreReader.open(written(*made)) as reader:
        cell = trial().cell
        assert reader.median(1, cell, "achieved_per_s") == 3
        assert reader.median(1, cell, "sent_share") is None
        assert reader.median(1, replace(cell, workload="x"), "achieved_per_s") is None


def test_a_query_returns_rows_with_names(reader):
    rows = reader.query(
        "SELECT repetition, outcome FROM trial WHERE run_id = $run_id ORDER BY ALL",
        run_id=1,
    )
    assert rows == [
        {"repetition": 0, "outcome": "measurement"},
        {"repetition": 1, "outcome": "failure"},
    ]


def test_a_reader_cannot_write(reader):
    with pytest.raises(duckdb.Error, match="read-only"):
        reader.query("DELETE FROM run")


def test_a_run_is_resumed_from_its_finished_trials(reader, version):
    resumption = reader.resumption("race")
    cell = Cell(client="ada-fast", workload="batched")
    assert resumption.stored == reader.run(1)
    assert resumption.digests == {"ada-fast": version.digest}
    assert resumption.failed == {"bash-slow"}
    assert resumption.attempts == {
        Attempt(cell=cell, repetition=0),
        Attempt(cell=cell, repetition=1),
    }


def test_a_run_is_resumed_from_disturbed_and_counted_trials(written, trial, failure):
    stolen = OtherLoad(disturbance="others used 40% of core 1")
    trials = [
        trial(0, other_load=stolen, taken_ns=20),
        trial(0, retry=1, taken_ns=300),
        trial(1, other_load=stolen),
        trial(1, other_load=stolen, retry=1, outcome=failure),
        trial(2),
    ]
    with StoreReader.open(written(*trials)) as reader:
        resumption = reader.resumption("race")
    cell = Cell(client="ada-fast", workload="batched")
    first, second, third = (
        Attempt(cell=cell, repetition=number) for number in range(3)
    )
    assert resumption.attempts == {first, second, third}
    assert resumption.retries == {first: 1, second: 1, third: 0}
    assert resumption.disturbed == {second}
    assert resumption.taken_ns == 320


def test_the_newest_run_of_the_same_experiment_is_resumed(filled, run):
    with StoreWriter.create_or_open(filled) as writer:
        writer.start_run(run)
        writer.start_run(replace(run, experiment="broadcast"))
    with StoreReader.open(filled) as reader:
        assert reader.resumption("race").stored.run_id == 2
        assert reader.resumption("race").attempts == frozenset()
        assert reader.resumption("stocks") is None


def test_the_file_and_its_journal_are_not_changed(filled, reader):
    before = filled.read_bytes()
    reader.runs()
    reader.close()
    assert filled.read_bytes() == before
    assert [path.name for path in filled.parent.iterdir()] == [filled.name]


def test_calibrations_are_read_as_they_were_written(path, calibration, readings):
    newer = replace(calibration, outcome="pass")
    with StoreWriter.create_or_open(path) as writer:
        for each in (calibration, newer):
            writer.record_calibration(each, readings)
    with StoreReader.open(path) as reader:
        assert reader.calibrations() == [calibration, newer]
