"""Made-up runs whose metrics and changes are easy to compute."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.compare.comparison import compare
from autostrada.report.compare.side import parse_addresses, read_side
from autostrada.store.record import (
    ContestantVersion,
    EndEvidence,
    Failure,
    Measurement,
    MetricValue,
    OtherLoad,
    ProcessTotal,
    Run,
    Trial,
)
from autostrada.store.writer import StoreWriter

DEFINITION = """
title = "The small race"
question = "Who is fast?"
repetitions = 5
warm_ups = 0
limit_s = 60
clients = ["reference", "ada-fast", "ada-fast+turbo", "bash-slow"]
"""

WORKLOAD = """
[[workload]]
name = "{name}"
kind = "push"
messages = {messages}
payload_text = "hello world"
frames_per_write = "many"
"""

RUN = Run(
    experiment="small",
    definition=DEFINITION
    + WORKLOAD.format(name="batched", messages=1_000_000)
    + WORKLOAD.format(name="alone", messages=200_000),
    plan='{"contestants": [], "repetitions": 5, "warm_ups": 0, "seed": 7}',
    command="autostrada run small",
    started_at=datetime(2026, 11, 20, 21, 0, tzinfo=UTC),
    autostrada_version="0.1.0",
    host='{"cpu_model": "Abacus 9", "cores": 2, "load_before": 0.1}',
)

SPREAD = (-0.02, -0.01, 0, 0.01, 0.02)
"""Relative deviations of five samples from their median."""

CRASH = Failure(kind="crashed", message="ended by signal 11", stderr_tail="")

STEADY = {
    ("batched", "reference"): 20,
    ("batched", "ada-fast"): 200,
    ("batched", "ada-fast+turbo"): 150,
    ("batched", "bash-slow"): 4000,
    ("alone", "reference"): 1000,
    ("alone", "ada-fast"): 2000,
}
"""Median nanoseconds per message, by workload and contestant."""

FEW = {
    ("batched", "reference"): 20,
    ("batched", "ada-fast"): 200,
    ("alone", "bash-slow"): 5000,
}


def version(contestant, **changes):
    value = ContestantVersion(
        contestant=contestant,
        library=contestant,
        language="any",
        homepage="",
        version="1.2.3",
        toolchain="any 9",
        digest="0" * 64,
    )
    return replace(value, **changes)


def measurement(ns_per_message, messages=1_000_000, **changes):
    """Make a measurement of a client that uses a quarter of a core and 10 MiB."""
    duration_ns = round(ns_per_message * messages)
    value = Measurement(
        messages=messages,
        payload_bytes=11 * messages,
        duration_ns=duration_ns,
        client_duration_ns=duration_ns,
        server_utilization=0.2,
        server_blocked_share=0.7,
        client_utilization=0.25,
        congestion_control="reno",
        ends=(
            EndEvidence(
                process="client", is_engine=False, cpu_cores=0.25, utilization=0.25
            ),
            EndEvidence(
                process="server", is_engine=True, cpu_cores=0.2, utilization=0.2
            ),
        ),
        processes=(
            ProcessTotal(
                process="client",
                cpu_ns=duration_ns // 4,
                resident_bytes=1,
                peak_resident_bytes=10 * 2**20,
            ),
            ProcessTotal(
                process="server", cpu_ns=1, resident_bytes=1, peak_resident_bytes=1
            ),
        ),
        metrics=(
            MetricValue(
                process="client", metric="ms_per_million", value=ns_per_message
            ),
        ),
        seconds=(),
    )
    return replace(value, **changes)


def record(writer, cells, *, run=RUN, versions=None, spread=SPREAD, disturbance=""):
    """
    Write a run of cells, each given by its median, its measurements or a failure.

    Return the run's number.
    """
    run_id = writer.start_run(run)
    for name in dict.fromkeys(contestant for _, contestant in cells):
        writer.record_contestant(run_id, (versions or {}).get(name, version(name)))
    at = run.started_at
    for (workload, contestant), what in cells.items():
        outcomes = what
        if isinstance(what, int | float):
            outcomes = [measurement(what * (1 + each)) for each in spread]
        for repetition, outcome in enumerate(outcomes):
            at += timedelta(seconds=1)
            trial = Trial(
                cell=Cell(client=contestant, workload=workload),
                repetition=repetition,
                is_warm_up=False,
                started_at=at,
                outcome=outcome,
                other_load=OtherLoad(disturbance=disturbance),
            )
            writer.record_trial(run_id, trial)
    return run_id


class Archive:
    """A store to which runs are added."""

    def __init__(self, path):
        self.path = path

    def add(self, cells, **changes):
        with StoreWriter.create_or_open(self.path) as writer:
            return record(writer, cells, **changes)

    def sides(self, before, after, run_id=None):
        addresses = parse_addresses(str(before), str(after), self.path, run_id)
        return tuple(map(read_side, addresses))

    def compare(self, before=1, after=2, run_id=None):
        return compare(*self.sides(before, after, run_id))


@pytest.fixture(name="steady")
def _steady():
    return STEADY


@pytest.fixture(name="few")
def _few():
    return FEW


@pytest.fixture(name="run")
def _run():
    return RUN


@pytest.fixture(name="crash")
def _crash():
    return CRASH


@pytest.fixture(name="version")
def _version():
    return version


@pytest.fixture(name="measurement")
def _measurement():
    return measurement


@pytest.fixture(scope="session")
def changed_store(tmp_path_factory):
    """
    In run 2, ada-fast is slower when batched and bash-slow faster; run 1 is steady.
    """
    archive = Archive(tmp_path_factory.mktemp("changed") / "small.duckdb")
    archive.add(STEADY)
    changed = {("batched", "ada-fast"): 240, ("batched", "bash-slow"): 3600}
    gone = {("batched", "ada-fast+turbo"): [CRASH] * 5}
    archive.add(STEADY | changed | gone)
    return archive


@pytest.fixture(scope="session")
def changed(changed_store):
    """The comparison of the two runs of ``changed_store``."""
    return changed_store.compare()


@pytest.fixture
def archive(tmp_path):
    """An empty store."""
    return Archive(tmp_path / "small.duckdb")


@pytest.fixture(scope="session")
def few_once(tmp_path_factory):
    """The content of a store with one run of few cells, in bytes."""
    archive = Archive(tmp_path_factory.mktemp("few") / "small.duckdb")
    archive.add(FEW)
    return archive.path.read_bytes()


@pytest.fixture
def begun(archive, few_once):
    """A store whose run 1 has few cells."""
    archive.path.write_bytes(few_once)
    return archive
