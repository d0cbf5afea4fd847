"""
One trial: a server, a client, and what both say.

A contestant that breaks its contract is a finding, and becomes a failure. An
``EngineError`` is our own fault: it ends the run.
"""

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from autostrada.errors import (
    ClosedEarly,
    ContestantError,
    Crashed,
    Disagreed,
    Hung,
    LeftBehind,
    Miscounted,
    Rubbish,
)
from autostrada.machine.host import Host
from autostrada.machine.process import Command, LineTooLongError, Process, end_orphans
from autostrada.plan.experiment import Experiment, Workload, first_fault
from autostrada.plan.matrix import Attempt
from autostrada.runner.disturbance import disturbance, places
from autostrada.runner.engine import (
    Count,
    Second,
    Served,
    ServeResult,
    load_plan,
    serve_plan,
    serving,
)
from autostrada.runner.evidence import Part, end_evidence
from autostrada.runner.observer import Watch, observing
from autostrada.store import record

NOTHING_SEEN = record.Observation()

DISAGREEMENT_SHARE_MAX = 0.02
DISAGREEMENT_NS_MIN = 10_000_000
"""Below it, a few time slices of the scheduler are all the difference."""

UNKNOWN = record.Quiet()
"""Nobody has looked how quiet the machine was."""

EXIT_LIMIT_S = 5.0
"""How long a client may take to exit once it has printed its result."""


class ClientResult(BaseModel):
    """A client's last line; the engine's own client adds more of its own."""

    model_config = ConfigDict(frozen=True, strict=True)

    event: Literal["result"]
    connections: Count
    messages: Count
    bytes: Count
    opened_ns: Count
    received_ns: Count
    wrong: Count = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """How to start the client of a trial: a contestant, or (no words) the reference."""

    words: Sequence[str]
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Received:
    """All that a client has printed."""

    result: ClientResult
    seconds: list[Second]


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """What all trials of a run have in common."""

    experiment: Experiment
    engine: Path
    host: Host


def run_trial(
    course: Course,
    attempt: Attempt,
    workload: Workload,
    client: Client,
    *,
    retry: int = 0,
    quiet: record.Quiet = UNKNOWN,
) -> record.Trial:
    """
    Run one attempt, and leave nothing of it behind, whatever happens.

    ``quiet`` is what is known of the machine just before; how it was disturbed
    meanwhile is added.
    """
    started_at = datetime.now(UTC)
    outcome: record.Measurement | record.Failure
    with observing(course.engine, cpus=course.host.observer_cpus) as watch:
        try:
            outcome = _measure(course, workload, client, watch)
        except ContestantError as error:
            outcome = record.Failure(
                kind=error.kind, message=str(error), stderr_tail=error.stderr_tail
            )
        watch.end()
        observation = watch.observation()
    window_ns = outcome.duration_ns if isinstance(outcome, record.Measurement) else None
    disturbed = disturbance(observation, places(course.host), window_ns)
    return record.Trial(
        contestant=attempt.cell.contestant,
        workload=workload.name,
        repetition=attempt.repetition,
        is_warm_up=attempt.is_warm_up,
        started_at=started_at,
        outcome=outcome,
        retry=retry,
        quiet=replace(quiet, disturbance=disturbed),
        observation=observation,
    )


def _measure(
    course: Course, workload: Workload, client: Client, watch: Watch
) -> record.Measurement:
    plan = serve_plan(course.experiment, workload)
    with ExitStack() as stack:
        server = stack.enter_context(
            serving(course.engine, plan, cpus=course.host.server_cpus)
        )
        ours = {server.pid, watch.pid}
        url = f"{server.url}/{workload.messages}"
        process = stack.enter_context(_start(course, workload, client, url))
        observed = {"client": process.pid, "server": server.pid}
        watch.begin(observed)
        server.observe(observed)
        deadline_s = time.monotonic() + course.experiment.limit_s
        try:
            received = _receive(process, deadline_s)
            _expect_exit(process, deadline_s)
            served = server.served()
            if served is None:
                raise Miscounted("has exited, but the server saw no connection end")
            process.end()
            if orphans := end_orphans(keep=ours):
                raise LeftBehind(f"processes that it started outlived it ({orphans})")
            watch.start_ns = served.result.first_sent_ns
            watch.await_look(served.result.closed_ns)
            watch.end()
            seen = watch.observation()
            return judge(workload, received, served, _parts(course, client), seen)
        except ContestantError as error:
            server.check()
            process.end()
            error.stderr_tail = process.stderr_tail
            raise
        finally:
            process.end()
            end_orphans(keep=ours)


def _start(course: Course, workload: Workload, client: Client, url: str) -> Process:
    """Start a contestant, or the reference client, which is told by a plan."""
    cpus = course.host.client_cpus
    if not client.words:
        words = [str(course.engine), "load"]
        command = Command(
            words=words, folder=client.folder, cpus=cpus, is_measured=True
        )
        process = Process(command)
        process.send(json.dumps(load_plan(course.experiment, workload, url)) + "\n")
        return process
    environment = client.environment | {
        "URL": url,
        "MESSAGES": str(workload.messages),
        "CONNECTIONS": "1",
        "LINES": "json",
        "NO_PROXY": "*",
        "no_proxy": "*",
    }
    try:
        return Process(
            Command(
                words=client.words,
                folder=client.folder,
                environment=environment,
                cpus=cpus,
                is_measured=True,
            )
        )
    except OSError as error:
        raise Crashed(f"cannot be started: {error}") from error


def _receive(process: Process, deadline_s: float) -> Received:
    """Read a client's lines up to its result."""
    seconds: list[Second] = []
    seconds_max = deadline_s - time.monotonic()
    while True:
        try:
            line = process.read_line(deadline_s)
        except TimeoutError as error:
            raise _out_of_time(process) from error
        except LineTooLongError as error:
            raise Rubbish("printed a line without an end") from error
        if line is None:
            raise _ended_without_result(process, deadline_s)
        event = parse_line(line)
        if isinstance(event, ClientResult):
            return Received(event, seconds)
        if isinstance(event, Second):
            # The list must not grow for as long as a client likes to print.
            if event.second != len(seconds) or event.second > seconds_max:
                raise Rubbish(f"printed {line[:80]!r} as second {len(seconds)}")
            seconds.append(event)


def parse_line(line: str) -> Second | ClientResult | None:
    """
    Read one line of a client; ``None`` stands for one that says nothing of it.

    Raises:
        Rubbish: the contract does not know such a line.
    """
    try:
        document = json.loads(line)
        event = document.get("event")
        if event == "second":
            return Second.model_validate(document)
        if event == "result":
            return ClientResult.model_validate(document)
    except ValidationError as error:
        raise Rubbish(f"printed {line[:80]!r}: {first_fault(error)}") from error
    except (ValueError, AttributeError, RecursionError) as error:
        raise Rubbish(f"printed what is no JSON object: {line[:80]!r}") from error
    if event != "ready":
        raise Rubbish(f"printed an unknown event: {line[:80]!r}")
    return None


def _out_of_time(process: Process) -> ContestantError:
    """Say what is wrong where a client's output does not end in time."""
    status = process.status()
    if status is None:
        return Hung("was still running when its time was over")
    return Crashed(
        f"{_how_it_ended(status)} before it printed a result; what it started holds "
        f"its output open"
    )


def _ended_without_result(process: Process, deadline_s: float) -> ContestantError:
    try:
        status = process.wait(deadline_s)
    except TimeoutError:
        if process.status() is not None:
            return _out_of_time(process)
        return Hung("closed its output and went on running")
    return Crashed(f"{_how_it_ended(status)} before it printed a result")


def _expect_exit(process: Process, deadline_s: float) -> None:
    """Wait for a client's exit after its result."""
    try:
        deadline_s = min(deadline_s, time.monotonic() + EXIT_LIMIT_S)
        while (line := process.read_line(deadline_s)) is not None:
            raise Rubbish(f"printed {line[:80]!r} after its result")
        status = process.wait(deadline_s)
    except TimeoutError as error:
        if process.status() is not None:
            raise LeftBehind("what it started holds its output open") from error
        raise Hung(f"did not exit within {EXIT_LIMIT_S:.0f} s of its result") from error
    except LineTooLongError as error:
        raise Rubbish("printed a line without an end") from error
    if status != 0:
        raise Crashed(f"{_how_it_ended(status)} after its result")
    if process.has_group():
        raise LeftBehind("processes of its group outlived it")


def _how_it_ended(status: int) -> str:
    return f"ended by signal {-status}" if status < 0 else f"exited with {status}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """Who plays which part in a trial."""

    server_cpus: frozenset[int]
    client_cpus: frozenset[int]
    is_client_engine: bool


def _parts(course: Course, client: Client) -> Parts:
    return Parts(
        server_cpus=course.host.server_cpus,
        client_cpus=course.host.client_cpus,
        is_client_engine=not client.words,
    )


def judge(
    workload: Workload,
    received: Received,
    served: Served,
    parts: Parts,
    observation: record.Observation = NOTHING_SEEN,
) -> record.Measurement:
    """
    Hold the client's word against the server's, and make a measurement of both.

    Raises:
        ContestantError: they do not agree, or the client did not take everything.
    """
    _compare(workload, received.result, served.result)
    client, server = received.result, served.result
    duration_ns = server.closed_ns - server.first_sent_ns
    totals = {
        name: record.ProcessTotal(process=name, **observed.model_dump())
        for name, observed in server.processes.items()
    }
    server_part = Part(
        process="server",
        is_engine=True,
        cpus=parts.server_cpus,
        busy_share=server.busy_ns / duration_ns,
    )
    client_part = Part(
        process="client", is_engine=parts.is_client_engine, cpus=parts.client_cpus
    )
    return record.Measurement(
        messages=workload.messages,
        payload_bytes=client.bytes,
        duration_ns=duration_ns,
        client_duration_ns=client.received_ns - client.opened_ns,
        server_busy_share=server.busy_ns / duration_ns,
        server_blocked_share=server.blocked_ns / duration_ns,
        client_busy_share=server.processes["client"].cpu_ns / duration_ns,
        congestion_control=server.congestion_control,
        processes=tuple(totals.values()),
        ends=(
            end_evidence(client_part, totals["client"], observation, duration_ns),
            end_evidence(server_part, totals["server"], observation, duration_ns),
        ),
        seconds=(
            *whole_series("client", received.seconds, client.messages, client.bytes),
            *whole_series("server", served.seconds, server.messages, server.bytes),
        ),
    )


def _compare(workload: Workload, client: ClientResult, server: ServeResult) -> None:
    """
    Refuse what does not agree with the plan, or with the other end.

    Raises:
        ContestantError: how it differs.
    """
    planned_bytes = workload.messages * len(workload.payload_text.encode())
    if server.ended == "complete" and server.messages != workload.messages:
        raise Miscounted(
            f"asked for {server.messages:,} messages instead of {workload.messages:,}; "
            f"it counted {client.messages:,}"
        )
    if server.ended != "complete":
        raise ClosedEarly(
            f"{_HOW_THE_CONNECTION_ENDED[server.ended]} when "
            f"{server.messages:,} of {workload.messages:,} messages were sent; "
            f"it counted {client.messages:,}"
        )
    if (client.messages, client.bytes) != (workload.messages, planned_bytes):
        raise Miscounted(
            f"counted {client.messages:,} messages of {client.bytes:,} bytes; "
            f"{workload.messages:,} of {planned_bytes:,} bytes were sent"
        )
    if client.wrong:
        raise Miscounted(f"{client.wrong:,} messages were not what was sent")
    if (server.acknowledged_bytes or 0) < server.wire_bytes:
        raise Miscounted(
            f"its kernel acknowledged {server.acknowledged_bytes:,} of "
            f"{server.wire_bytes:,} bytes"
        )
    duration_ns = server.closed_ns - server.first_sent_ns
    client_duration_ns = client.received_ns - client.opened_ns
    # Its beginning does not compare: a library may announce late that it is open.
    early_ns = server.closed_ns - client.received_ns
    tolerated_ns = max(DISAGREEMENT_NS_MIN, DISAGREEMENT_SHARE_MAX * duration_ns)
    if abs(early_ns) > tolerated_ns or client_duration_ns < 0:
        raise Disagreed(
            f"says {client_duration_ns / 1e6:,.1f} ms, to an end "
            f"{abs(early_ns) / 1e6:,.1f} ms {'before' if early_ns > 0 else 'after'} "
            f"the one of {duration_ns / 1e6:,.1f} ms by the engine's clock"
        )
    if set(server.processes) != {"client", "server"}:
        raise Crashed("was gone before its connection was closed")


_HOW_THE_CONNECTION_ENDED = {
    "closed": "closed the connection",
    "reset": "broke the connection",
    "violation": "broke the protocol",
}


def whole_series(
    process: str, seconds: Sequence[Second], messages: int, payload_bytes: int
) -> list[record.Second]:
    """
    Add to the printed seconds the last one, which is not whole.

    Raises:
        Miscounted: the seconds are not in order, or are more than the total.
    """
    rows = [(row.messages, row.bytes) for row in seconds]
    left = (
        messages - sum(row[0] for row in rows),
        payload_bytes - sum(row[1] for row in rows),
    )
    in_order = [row.second for row in seconds] == list(range(len(rows)))
    if not in_order or min(left) < 0:
        raise Miscounted("its seconds do not add up to its result")
    return [
        record.Second(process=process, second=second, messages=row[0], bytes=row[1])
        for second, row in enumerate([*rows, left])
    ]
