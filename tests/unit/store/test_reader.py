"""What was written is read back, and what a run needs to go on."""

from dataclasses import replace

import duckdb
import pytest

from autostrada.errors import UsageError
from autostrada.experiment.matrix import Attempt, Cell
from autostrada.store.reader import StoreReader
from autostrada.store.record import Figure, Quiet
from autostrada.store.writer import StoreWriter


@pytest.fixture
def reader(filled):
    with StoreReader.open(filled) as reader:
        yield reader


def test_a_run_is_read_as_it_was_written(reader, run):
    assert reader.run().run == run
    assert [stored.run_id for stored in reader.runs()] == [1]


def test_the_newest_run_is_the_one_unless_a_number_is_given(path, run):
    with StoreWriter.create_or_open(path) as writer:
        writer.start_run(run)
        writer.start_run(replace(run, command="again"))
    with StoreReader.open(path) as reader:
        assert reader.run().run.command == "again"
        assert reader.run(1).run.command == run.command


def test_a_run_that_is_not_there_is_refused_with_those_that_are(reader):
    with pytest.raises(UsageError, match=r"holds no run 9, only 1$"):
        reader.run(9)


def test_a_store_without_runs_says_how_to_get_one(path):
    StoreWriter.create_or_open(path).close()
    with (
        StoreReader.open(path) as reader,
        pytest.raises(UsageError, match="no run yet"),
    ):
        reader.run()


def test_contestants_are_read_as_they_were_written(reader, version):
    assert reader.contestants(1) == [version]
    assert reader.contestants(2) == []


def test_only_failures_of_whole_contestants_stand_for_a_contestant(reader, failure):
    assert reader.contestant_failures(1) == {"bash-slow": failure}


def test_a_question_is_answered_by_rows_with_names(reader):
    rows = reader.query(
        "SELECT repetition, outcome FROM trial WHERE run_id = $run_id ORDER BY ALL",
        run_id=1,
    )
    assert rows == [
        {"repetition": 0, "outcome": "measurement"},
        {"repetition": 1, "outcome": "failure"},
    ]


def test_a_wrong_question_is_a_programmers_fault(reader):
    with pytest.raises(duckdb.ParserException):
        reader.query("SELECT FROM")


def test_a_reader_cannot_write(reader):
    with pytest.raises(duckdb.Error, match="read-only"):
        reader.query("DELETE FROM run")


def test_a_run_goes_on_from_what_it_already_did(reader, version):
    resumption = reader.resumption("race")
    cell = Cell(client="ada-fast", workload="batched")
    assert resumption.stored == reader.run(1)
    assert resumption.digests == {"ada-fast": version.digest}
    assert resumption.failed == {"bash-slow"}
    assert resumption.attempts == {
        Attempt(cell=cell, repetition=0, is_warm_up=False),
        Attempt(cell=cell, repetition=1, is_warm_up=False),
    }


def test_a_run_goes_on_from_what_was_disturbed_and_what_counts(
    path, run, trial, failure
):
    stolen = Quiet(disturbance="steal 4% of core 1")
    trials = [
        trial(0, is_warm_up=True),
        trial(0, quiet=stolen),
        trial(0, retry=1, outcome=replace(trial().outcome, duration_ns=6_000)),
        trial(1, quiet=stolen),
        trial(1, quiet=stolen, retry=1, outcome=failure),
        trial(2),
    ]
    with StoreWriter.create_or_open(path) as writer:
        writer.start_run(run)
        for each in trials:
            writer.record_trial(1, each)
    with StoreReader.open(path) as reader:
        resumption = reader.resumption("race")
    cell = Cell(client="ada-fast", workload="batched")
    first, second, third = (
        Attempt(cell=cell, repetition=number, is_warm_up=False) for number in range(3)
    )
    warm_up = Attempt(cell=cell, repetition=0, is_warm_up=True)
    assert resumption.attempts == {warm_up, first, second, third}
    assert resumption.retries == {warm_up: 0, first: 1, second: 1, third: 0}
    assert resumption.disturbed == {second}
    assert resumption.ns_per_message == {first: 60.0, third: 50.0}


def test_a_search_goes_on_from_what_was_well(path, run, trial, failure):
    met, violated = (
        replace(
            trial().outcome,
            figures=(Figure(process="client", figure="meets_objective", value=value),),
        )
        for value in (1.0, 0.0)
    )
    trials = [
        trial(0, outcome=met),
        trial(1, outcome=violated),
        trial(2, outcome=failure),
        trial(3, outcome=violated, quiet=Quiet(disturbance="steal 4% of core 1")),
        trial(3, outcome=met, retry=1),
    ]
    with StoreWriter.create_or_open(path) as writer:
        writer.start_run(run)
        for each in trials:
            writer.record_trial(1, each)
    with StoreReader.open(path) as reader:
        found = reader.resumption("race").met
    assert {
        attempt.repetition: meets_objective
        for attempt, meets_objective in found.items()
    } == {
        0: True,
        1: False,
        2: False,
        3: True,
    }


def test_the_newest_run_of_an_experiment_goes_on_not_that_of_another(filled, run):
    with StoreWriter.create_or_open(filled) as writer:
        writer.start_run(run)
        writer.start_run(replace(run, experiment="broadcast"))
    with StoreReader.open(filled) as reader:
        assert reader.resumption("race").stored.run_id == 2
        assert reader.resumption("race").attempts == frozenset()
        assert reader.resumption("stocks") is None


def test_the_file_and_its_journal_are_left_as_they_are(filled, reader):
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
