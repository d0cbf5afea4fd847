"""Records of runs that are made by hand, each with what few tests change."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from autostrada.report.results import read_results
from autostrada.store.reader import StoreReader
from autostrada.store.record import (
    ContestantVersion,
    EndEvidence,
    Failure,
    Measurement,
    MetricValue,
    ProcessTotal,
    Run,
    Trial,
)
from autostrada.store.writer import StoreWriter

FIFTHS = (-1.0, 0.5, 0.0, -0.5, 1.0)
"""Deviations of five samples from a median; the third is the median itself."""

RUN = Run(
    experiment="small",
    definition="",
    plan='{"contestants": [], "repetitions": 5, "seed": 7}',
    command="autostrada run small",
    started_at=datetime(2026, 11, 20, 21, 0, tzinfo=UTC),
    autostrada_version="0.1.0",
    host='{"cpu_model": "Abacus 9 <b>", "cores": 2, "memory_bytes": 8589934592, '
    '"is_shared_core": "false"}',
)


def version(contestant, **changes):
    language, _, library = contestant.partition("-")
    known = ContestantVersion(
        contestant=contestant,
        library=library or contestant,
        language=language,
        homepage=f"https://example.org/{contestant}",
        version="1.2.3",
        toolchain=f"{language} 9",
        digest="0" * 64,
    )
    return replace(known, **changes)


def missing(program):
    message = f"{program} is missing: apt install {program}"
    return Failure(kind="not installed", message=message, stderr_tail="")


def end(process, cores, *, is_engine):
    return EndEvidence(
        process=process,
        is_engine=is_engine,
        cpu_cores=cores,
        utilization=min(cores, 1.0),
    )


def total(process, *, cpu_ns=1, peak_bytes=1):
    return ProcessTotal(
        process=process,
        cpu_ns=cpu_ns,
        resident_bytes=1,
        peak_resident_bytes=peak_bytes,
    )


def values(process, **metrics):
    return tuple(
        MetricValue(process=process, metric=name, value=value)
        for name, value in metrics.items()
    )


def push(ns_per_message, messages=1_000_000, *, client=0.25, server=0.2, **changes):
    """Return the measurement of a push by the engine; ends are given by their cores."""
    duration_ns = round(ns_per_message * messages)
    cpu_ns = round(client * duration_ns)
    usual = Measurement(
        messages=messages,
        payload_bytes=11 * messages,
        duration_ns=duration_ns,
        client_duration_ns=duration_ns,
        server_utilization=server,
        server_blocked_share=0.7,
        client_utilization=client,
        congestion_control="reno",
        ends=(
            end("client", client, is_engine=False),
            end("server", server, is_engine=True),
        ),
        processes=(
            total("client", cpu_ns=cpu_ns, peak_bytes=10 * 2**20),
            total("server", cpu_ns=messages),
        ),
        metrics=values("client", ms_per_million=ns_per_message),
        seconds=(),
    )
    return replace(usual, **changes)


def trial(cell, repetition, outcome, **changes):
    """Return a trial, which gets its time when it is written."""
    values = {"started_at": RUN.started_at} | changes
    return Trial(cell=cell, repetition=repetition, outcome=outcome, **values)


def write_run(path, run, versions, trials, **failures):
    """Write a run with its trials, a second each; return its number."""
    with StoreWriter.create_or_open(path) as writer:
        run_id = writer.start_run(run)
        for each in versions:
            writer.record_contestant(run_id, each)
        for name, failure in failures.items():
            writer.record_contestant_failure(run_id, name, failure)
        for second, each in enumerate(trials, 1):
            started_at = run.started_at + timedelta(seconds=second)
            writer.record_trial(run_id, replace(each, started_at=started_at))
    return run_id


def read(path):
    """Return the results of the newest run of a store."""
    with StoreReader.open(path) as reader:
        return read_results(reader)
