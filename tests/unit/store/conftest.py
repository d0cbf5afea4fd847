"""Rows that are easy to distinguish, and a store that contains them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.unit.report import records

from autostrada.experiment.matrix import Cell
from autostrada.store.record import (
    Calibration,
    CalibrationReading,
    EndEvidence,
    Failure,
    Measurement,
    ProcessTotal,
    SecondRow,
    Trial,
)
from autostrada.store.writer import StoreWriter

RUN = replace(
    records.RUN,
    experiment="race",
    definition='title = "Grüezi"',
    plan='{"seed": 7}',
    host='{"cores": 2}',
)

VERSION = records.version("ada-fast", version="1.2", toolchain=None)

MEASUREMENT = Measurement(
    messages=100,
    payload_bytes=1_100,
    duration_ns=5_000,
    client_duration_ns=4_900,
    server_utilization=0.25,
    server_blocked_share=0.5,
    client_utilization=1.5,
    congestion_control="reno",
    ends=(
        EndEvidence(process="client", is_engine=False, cpu_cores=0.9, utilization=0.9),
        EndEvidence(process="server", is_engine=True, cpu_cores=0.2, utilization=0.25),
    ),
    processes=(
        ProcessTotal(
            process="client", cpu_ns=4_000, resident_bytes=10, peak_resident_bytes=20
        ),
        ProcessTotal(
            process="server", cpu_ns=1_000, resident_bytes=30, peak_resident_bytes=40
        ),
    ),
    seconds=(
        SecondRow(process="client", second=0, messages=60, bytes=660),
        SecondRow(process="server", second=0, messages=61, bytes=671),
    ),
)

FAILURE = Failure(kind="crashed", message="ended with status 3", stderr_tail="oh\nno")

CALIBRATION = Calibration(
    started_at=datetime(2026, 11, 20, 20, 0, tzinfo=UTC),
    command="autostrada calibrate",
    extent="full",
    autostrada_version="0.1.0",
    engine_version="0.1.0",
    host='{"cores": 2}',
    machine='{"cores": 2}',
    outcome="disturbed",
)

READINGS = (
    CalibrationReading(
        fault_case="lose-echo",
        topology="engine server",
        outcome="pass",
        attempts=1,
        reason="",
        metric="missing",
        seen=284.0,
        expected=284.0,
        tolerance=0.0,
    ),
    CalibrationReading(
        fault_case="delay-20ms",
        topology="peer client",
        outcome="disturbed",
        attempts=5,
        reason="others",
    ),
)


def trial(repetition=0, *, outcome=MEASUREMENT, **changes):
    return replace(
        Trial(
            cell=Cell(client="ada-fast", workload="batched"),
            repetition=repetition,
            started_at=datetime(2026, 11, 20, 21, 1, tzinfo=UTC),
            outcome=outcome,
        ),
        **changes,
    )


def constant(value):
    return pytest.fixture(lambda: value)


run, version, failure = map(constant, (RUN, VERSION, FAILURE))
calibration, readings = map(constant, (CALIBRATION, READINGS))


@pytest.fixture(name="trial")
def _trial():
    return trial


@pytest.fixture
def path(tmp_path):
    return tmp_path / "race.duckdb"


@pytest.fixture
def written(path):
    """Return a function that writes a run with these trials; it returns the path."""

    def write(*trials):
        with StoreWriter.create_or_open(path) as writer:
            run_id = writer.start_run(RUN)
            for each in trials:
                writer.record_trial(run_id, each)
        return path

    return write


@pytest.fixture(scope="session")
def filled_once(tmp_path_factory):
    """The content of a store with one run of two trials, in bytes."""
    path = tmp_path_factory.mktemp("filled") / "race.duckdb"
    with StoreWriter.create_or_open(path) as writer:
        run_id = writer.start_run(RUN)
        writer.record_contestant(run_id, VERSION)
        writer.record_contestant_failure(run_id, "bash-slow", FAILURE)
        writer.record_trial(run_id, trial(0))
        writer.record_trial(run_id, trial(1, outcome=FAILURE))
    return path.read_bytes()


@pytest.fixture
def filled(path, filled_once):
    """A closed store with one run of two trials."""
    path.write_bytes(filled_once)
    return path
