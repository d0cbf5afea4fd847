"""Writing is complete or has no effect."""

import subprocess
import sys
from dataclasses import asdict, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pytest

from autostrada.errors import EngineError
from autostrada.store.reader import StoreReader
from autostrada.store.record import ProcessTotal
from autostrada.store.writer import StoreWriter

WRITE_UNTIL_FULL = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conftest import RUN, trial
from autostrada.store.writer import StoreWriter
with StoreWriter.create_or_open(Path(sys.argv[1])) as writer:
    run_id = writer.start_run(RUN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
    repetition = 0
    while True:
        writer.record_trial(run_id, trial(repetition))
        repetition += 1
        print(repetition, flush=True)
"""


def counts(path):
    """Return the numbers of trials, measurements, processes and seconds in a store."""
    with StoreReader.open(path) as reader:
        return [
            reader.query(f"SELECT count(*) AS n FROM {table}")[0]["n"]
            for table in ("trial", "measurement", "process_total", "second")
        ]


def test_runs_and_trials_are_numbered_from_one(path, run, trial):
    with StoreWriter.create_or_open(path) as writer:
        assert [writer.start_run(run), writer.start_run(run)] == [1, 2]
        assert writer.record_trial(1, trial(0)) == 1
        assert writer.record_trial(2, trial(0)) == 2
    with StoreWriter.create_or_open(path) as writer:
        assert writer.start_run(run) == 3
        assert writer.record_trial(2, trial(1)) == 3


def test_times_are_stored_in_utc(path, run):
    east = timezone(timedelta(hours=5))
    with StoreWriter.create_or_open(path) as writer:
        writer.start_run(replace(run, started_at=datetime(2026, 1, 1, 3, tzinfo=east)))
    with StoreReader.open(path) as reader:
        [row] = reader.query("SELECT CAST(started_at AS VARCHAR) AS at FROM run")
    assert row["at"] == "2025-12-31 22:00:00"


def test_a_time_without_a_zone_is_refused(path, run):
    naive = replace(run, started_at=datetime(2026, 1, 1))
    with StoreWriter.create_or_open(path) as writer, pytest.raises(AssertionError):
        writer.start_run(naive)


def test_an_attempt_is_recorded_once(path, run, trial):
    with StoreWriter.create_or_open(path) as writer:
        run_id = writer.start_run(run)
        writer.record_trial(run_id, trial(0))
        writer.record_trial(run_id, trial(0, retry=1))
        with pytest.raises(AssertionError, match="recorded twice"):
            writer.record_trial(run_id, trial(0))


def test_a_failed_write_of_a_trial_leaves_nothing_behind(path, run, trial):
    broken = ProcessTotal(
        process="client", cpu_ns=None, resident_bytes=1, peak_resident_bytes=1
    )
    outcome = replace(trial(0).outcome, processes=(broken,))
    with StoreWriter.create_or_open(path) as writer:
        run_id = writer.start_run(run)
        with pytest.raises(duckdb.ConstraintException):
            writer.record_trial(run_id, trial(0, outcome=outcome))
        assert writer.record_trial(run_id, trial(1)) == 1
    assert counts(path) == [1, 1, 2, 2]


def test_a_full_disk_ends_the_run_and_keeps_what_was_written(path):
    arguments = [sys.executable, "-c", WRITE_UNTIL_FULL, path, Path(__file__).parent]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert f"{EngineError.__name__}: cannot write to {path}" in ended.stderr
    printed = len(ended.stdout.splitlines())
    assert printed > 3
    assert counts(path)[:2] == [printed, printed]


def test_a_calibration_is_written_with_its_readings(path, calibration, readings):
    with StoreWriter.create_or_open(path) as writer:
        assert writer.record_calibration(calibration, readings) == 1
        assert writer.record_calibration(calibration, ()) == 2
    with StoreReader.open(path) as reader:
        rows = reader.query(
            "SELECT * FROM calibration_reading ORDER BY fault_case DESC"
        )
    assert [row.pop("calibration_id") for row in rows] == [1, 1]
    assert rows == [asdict(reading) for reading in readings]


def test_a_failed_write_of_a_calibration_leaves_nothing_behind(
    path, calibration, readings
):
    broken = [*readings, replace(readings[0], outcome=None)]
    with StoreWriter.create_or_open(path) as writer, pytest.raises(duckdb.Error):
        writer.record_calibration(calibration, broken)
    with StoreReader.open(path) as reader:
        assert reader.calibrations() == []
