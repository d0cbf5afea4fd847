"""
A store with a race made by hand, whose metrics are easy to check in the head.

Nanoseconds a message, which are milliseconds for a million messages:

=================  ===========================  ===========================
contestant         batched (1,000,000)          one-by-one (200,000)
=================  ===========================  ===========================
reference          20, median of 18 to 22       1000
ada-fast           200, of 196 to 204           2000, limited by the engine
cobol-mid          400; one trial crashed       2010, limited by the engine
bash-slow          4000, of 3900 to 4100        2600
dart-missing       its toolchain is missing
=================  ===========================  ===========================

The machine is looked at every 100 ms, from 50 ms before the first byte on. Each client
works as much as its utilization says, and has 10 MiB to begin with and 1 MiB more after
each second. 2 MiB wait in the server's socket, and 512 KiB in the client's; in
cobol-mid sockets cannot be seen. The last trial of bash-slow is disturbed and repeated.
"""

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console
from tests.unit.report.market import write_market

from autostrada.experiment.matrix import Cell
from autostrada.report.results import read_results
from autostrada.store.reader import StoreReader
from autostrada.store.record import (
    ContestantVersion,
    EndEvidence,
    Failure,
    Measurement,
    MetricValue,
    MissingMetric,
    Observation,
    OtherLoad,
    ProcessSample,
    ProcessTotal,
    Run,
    SecondRow,
    SocketSample,
    Trial,
)
from autostrada.store.writer import StoreWriter

DEFINITION = """
title = "The small race"
question = "Who is fast?"
repetitions = 5
warm_ups = 1
limit_s = 60
clients = ["reference", "ada-fast", "cobol-mid", "bash-slow", "dart-missing"]

[[workload]]
name = "batched"
kind = "push"
messages = 1_000_000
payload_text = "hello world"
frames_per_write = "many"

[[workload]]
name = "one-by-one"
kind = "push"
messages = 200_000
payload_text = "hello world"
frames_per_write = "one"

"""

PUBLISHED = """
title = "Their table"
origin = "their page"

[[table]]
title = "Their durations"
metric = "ms_per_million"
cells = [
  { client = "ada-fast", workload = "one-by-one", value = 60 },
  { client = "cobol-mid", workload = "one-by-one", value = 120 },
  { client = "bash-slow", workload = "one-by-one", value = 240 },
]
"""

RUN = Run(
    experiment="small",
    definition=DEFINITION,
    published=PUBLISHED,
    plan='{"contestants": ["ada-fast", "cobol-mid", "bash-slow", "dart-missing"], '
    '"repetitions": 5, "warm_ups": 1, "seed": 7}',
    command="autostrada run small",
    started_at=datetime(2026, 11, 20, 21, 0, tzinfo=UTC),
    autostrada_version="0.1.0",
    host='{"cpu_model": "Abacus 9 <b>", "cores": 2, "memory_bytes": 8589934592, '
    '"is_shared_core": "false"}',
)

FIFTHS = (-1.0, 0.5, 0.0, -0.5, 1.0)
"""Deviations of five samples from a median; the third is the median itself."""

CELLS = {
    # workload, contestant: median ns, half range, server busy, blocked, client busy
    ("batched", "reference"): (20, 2, 0.95, 0.0, 0.7),
    ("batched", "ada-fast"): (200, 4, 0.2, 0.7, 1.0),
    ("batched", "cobol-mid"): (400, 8, 0.1, 0.8, 1.1),
    ("batched", "bash-slow"): (4000, 100, 0.01, 0.9, 1.0),
    ("one-by-one", "reference"): (1000, 20, 1.0, 0.0, 0.6),
    ("one-by-one", "ada-fast"): (2000, 40, 0.99, 0.0, 0.9),
    ("one-by-one", "cobol-mid"): (2010, 40, 0.98, 0.0, 0.9),
    ("one-by-one", "bash-slow"): (2600, 40, 0.6, 0.3, 1.0),
}

MESSAGES = {"batched": 1_000_000, "one-by-one": 200_000}

DISTURBED = OtherLoad(disturbance="others used 40% of core 1")
CRASH = Failure(
    kind="crashed",
    message="ended by signal 11",
    stderr_tail="</script><img src=http://example.org/x>\nsegmentation fault",
)
MISSING = Failure(
    kind="not installed",
    message="dart is missing: apt install dart",
    stderr_tail="",
)


def version(contestant):
    language, _, library = contestant.partition("-")
    return ContestantVersion(
        contestant=contestant,
        library=library or "autostrada-engine load",
        language=language if library else "rust",
        homepage=f"https://example.org/{contestant}",
        version=None if contestant == "dart-missing" else "1.2.3",
        toolchain=f"{language} 9",
        digest="0" * 64,
        delivers="utf-8" if library else None,
        validates_utf8=contestant == "ada-fast" if library else None,
    )


def measurement(workload, contestant, repetition):
    middle, half_range, server, blocked, client = CELLS[workload, contestant]
    messages = MESSAGES[workload]
    ns_per_message = middle + half_range * FIFTHS[repetition % 5]
    per_second = round(1e9 / ns_per_message)
    return Measurement(
        messages=messages,
        payload_bytes=11 * messages,
        duration_ns=round(ns_per_message * messages),
        client_duration_ns=round(ns_per_message * messages),
        server_utilization=server,
        server_blocked_share=blocked,
        client_utilization=client,
        congestion_control="reno",
        ends=(
            EndEvidence(
                process="client",
                is_engine=contestant == "reference",
                cpu_cores=client,
                utilization=min(client, 1.0),
            ),
            EndEvidence(
                process="server", is_engine=True, cpu_cores=server, utilization=server
            ),
        ),
        processes=(
            ProcessTotal(
                process="client",
                cpu_ns=round(client * middle * messages),
                resident_bytes=2**20,
                peak_resident_bytes=(10 + repetition) * 2**20,
            ),
            ProcessTotal(
                process="server", cpu_ns=1, resident_bytes=1, peak_resident_bytes=1
            ),
        ),
        metrics=(
            MetricValue(process="server", metric="wire_bytes", value=13 * messages),
            MetricValue(process="server", metric="write_calls", value=messages / 100),
            MetricValue(
                process="client", metric="ms_per_million", value=ns_per_message
            ),
        ),
        seconds=tuple(
            SecondRow(
                process="client",
                second=second,
                messages=per_second,
                bytes=11 * per_second,
            )
            for second in range(messages // per_second)
        ),
    )


def observation(workload, contestant, repetition):
    middle, half_range, server, _, client = CELLS[workload, contestant]
    ns_per_message = middle + half_range * FIFTHS[repetition % 5]
    duration_ns = round(ns_per_message * MESSAGES[workload])
    samples_ns = range(-50_000_000, duration_ns + 100_000_000, 100_000_000)
    processes = tuple(
        process_sample(process, at_ns, share)
        for at_ns in samples_ns
        for process, share in (("client", client), ("server", server))
    )
    if contestant == "cobol-mid":
        missing = MissingMetric(
            metric="sockets", reason="the kernel <knows> no sock_diag"
        )
        return Observation(process_samples=processes, missing_metrics=(missing,))
    sockets = tuple(
        socket_sample(process, at_ns)
        for at_ns in samples_ns
        for process in ("client", "server")
    )
    return Observation(process_samples=processes, socket_samples=sockets)


def process_sample(process, at_ns, share):
    resident_bytes = (10 + max(0, at_ns) // 10**9) * 2**20
    return ProcessSample(
        process=process,
        since_start_ns=at_ns,
        cpu_ns=10**9 + round(share * max(0, at_ns)),
        user_ns=None,
        system_ns=None,
        resident_bytes=resident_bytes if process == "client" else 5 * 2**20,
        proportional_bytes=None,
        peak_resident_bytes=resident_bytes,
        threads=1,
        switches_voluntary=None,
        switches_forced=None,
        faults_minor=None,
        faults_major=None,
        files=None,
    )


def socket_sample(process, at_ns):
    sent, unread = (2 * 2**20, 0) if process == "server" else (0, 512 * 1024)
    return SocketSample(
        process=process,
        since_start_ns=at_ns,
        connections=1,
        sampled=1,
        send_queue_bytes=sent,
        send_queue_bytes_max=sent,
        send_queues_filled=int(sent > 0),
        receive_queue_bytes=unread,
        receive_queue_bytes_max=unread,
        receive_queues_filled=int(unread > 0),
        unsent_bytes=0,
        memory_bytes=0,
        sent_bytes=0,
        received_bytes=0,
        segments_out=0,
        segments_in=0,
        retransmits=0,
        rtt_ns_median=30_000,
        busy_ns=0,
        receive_window_limited_ns=0,
        send_buffer_limited_ns=0,
    )


def trials():
    """Yield the warm-ups, then every repetition; one crashes, one is disturbed."""
    at = RUN.started_at
    names = [name for workload, name in CELLS if workload == "batched"]
    order = [("batched", name, 0, True) for name in names]
    order += [
        (*cell, repetition, False) for repetition in range(5) for cell in sorted(CELLS)
    ]
    for workload, contestant, repetition, is_warm_up in order:
        at += timedelta(seconds=1)
        cell = (workload, contestant, repetition)
        is_crash = cell == ("batched", "cobol-mid", 4)
        trial = Trial(
            cell=Cell(client=contestant, workload=workload),
            repetition=repetition,
            is_warm_up=is_warm_up,
            started_at=at,
            outcome=CRASH if is_crash else measurement(*cell),
            observation=observation(*cell),
        )
        if cell == ("one-by-one", "bash-slow", 4):
            yield replace(trial, other_load=DISTURBED)
            trial = replace(trial, retry=1)
        yield trial


def write_race(path, attempts=None):
    """Write the race, or only the given attempts."""
    with StoreWriter.create_or_open(path) as writer:
        run_id = writer.start_run(RUN)
        for name in ("reference", "ada-fast", "cobol-mid", "bash-slow", "dart-missing"):
            writer.record_contestant(run_id, version(name))
        writer.record_contestant_failure(run_id, "dart-missing", MISSING)
        for trial in list(trials())[:attempts]:
            writer.record_trial(run_id, trial)
    return path


@pytest.fixture(name="run", scope="session")
def _run():
    return RUN


@pytest.fixture(scope="session")
def all_trials():
    return tuple(trials())


@pytest.fixture(name="write_race", scope="session")
def _write_race():
    return write_race


@pytest.fixture(scope="session")
def race_path(tmp_path_factory):
    """The path of the finished race; read-only."""
    return write_race(tmp_path_factory.mktemp("race") / "small.duckdb")


@pytest.fixture(scope="session")
def reader(race_path):
    with StoreReader.open(race_path) as reader:
        yield reader


@pytest.fixture(scope="session")
def printed():
    """Return a function: what another one prints of results, without final spaces."""

    def text(print_results, *arguments, width=80):
        console = Console(file=io.StringIO(), width=width)
        print_results(*arguments, console)
        lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
        assert max(map(len, lines)) <= width
        return "\n".join(lines) + "\n"

    return text


@pytest.fixture(scope="session")
def rows_of():
    """Return a function: the rows of a drawing's data set that has all these keys."""

    def rows(drawing, *keys):
        [found] = [
            rows
            for rows in drawing.spec["datasets"].values()
            if rows[0].keys() == set(keys)
        ]
        return found

    return rows


@pytest.fixture(scope="session")
def race(reader):
    """The results of the race."""
    return read_results(reader)


@pytest.fixture(scope="session")
def market_path(tmp_path_factory):
    """The path of the finished experiment; read-only."""
    return write_market(tmp_path_factory.mktemp("market") / "market.duckdb")


@pytest.fixture(scope="session")
def market(market_path):
    """The results of the experiment."""
    with StoreReader.open(market_path) as reader:
        return read_results(reader)


@pytest.fixture(scope="session")
def results_of(tmp_path_factory):
    """
    Return a function: results of a market with fewer trials or another definition.
    """

    def results(**changes):
        path = tmp_path_factory.mktemp("market") / "changed.duckdb"
        with StoreReader.open(write_market(path, **changes)) as reader:
            return read_results(reader)

    return results


@pytest.fixture(scope="session")
def cell():
    """Return a function: the cell of the feed by server, processes and stocks."""

    def named(server, processes, stocks):
        workload = f"json processes={processes} stocks={stocks}"
        return Cell(server=f"{server}-server", workload=workload)

    return named


@pytest.fixture(scope="session")
def ada_cell(cell):
    """Return the cell of the fastest server."""
    return cell("ada", 1, 1)


@pytest.fixture(scope="session")
def sure(results_of):
    """The results of the market with enough repetitions for findings."""
    return results_of(repetitions=8)
