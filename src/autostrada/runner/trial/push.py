"""
A push: the engine serves, a client receives, and what both say is held together.

A contestant that breaks its contract is a finding, and becomes a failure. An
``EngineError`` is our own fault: it ends the run.
"""

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from autostrada.errors import (
    ClosedEarly,
    ContestantError,
    Crashed,
    Disagreed,
    LeftBehind,
    Miscounted,
)
from autostrada.experiment.workload import Push
from autostrada.machine.process import Process, end_orphans
from autostrada.runner.engine import (
    Second,
    Served,
    ServeResult,
    load_plan,
    serve_plan,
    serving,
)
from autostrada.runner.evidence.ends import Part, end_evidence
from autostrada.runner.observer import Watch
from autostrada.runner.trial.cast import Cast, Course, Program
from autostrada.runner.trial.client import (
    ClientResult,
    Received,
    expect_exit,
    receive,
)
from autostrada.runner.trial.players import start_contestant, start_engine
from autostrada.store import record

NOTHING_SEEN = record.Observation()

DISAGREEMENT_SHARE_MAX = 0.02
DISAGREEMENT_NS_MIN = 10_000_000
"""Below it, a few time slices of the scheduler are all the difference."""


def measure_push(
    course: Course, workload: Push, cast: Cast, watch: Watch
) -> record.Measurement:
    """
    Have the engine's server push to a client, and make a measurement of it.

    Raises:
        ContestantError: the client broke its contract.
        EngineError: we did.
    """
    plan = serve_plan(course.experiment, workload)
    with ExitStack() as stack:
        server = stack.enter_context(
            serving(course.engine, plan, cpus=course.host.server_cpus)
        )
        ours = {server.pid, watch.pid}
        url = f"{server.url}/{workload.messages}"
        process = stack.enter_context(_start(course, workload, cast.client, url))
        observed = {"client": process.pid, "server": server.pid}
        watch.begin(observed)
        server.observe(observed)
        deadline_s = time.monotonic() + course.experiment.limit_s
        try:
            received = receive(process, deadline_s, ClientResult)
            expect_exit(process, deadline_s)
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
            return judge(workload, received, served, _parts(course, cast), seen)
        except ContestantError as error:
            server.check()
            process.end()
            error.stderr_tail = process.stderr_tail
            raise
        finally:
            process.end()
            end_orphans(keep=ours)


def _start(course: Course, workload: Push, client: Program | None, url: str) -> Process:
    """Start a contestant, or the reference client, which is told by a plan."""
    cpus = course.host.client_cpus
    if client is not None:
        told = environment_of(client, workload, url)
        return start_contestant("client", client, told, cpus)
    process = start_engine(course, ["load"], cpus)
    process.send(json.dumps(load_plan(course.experiment, workload, url)) + "\n")
    return process


def environment_of(client: Program, workload: Push, url: str) -> dict[str, str]:
    """Return the whole environment of a contestant: docs/contract.md, section 3."""
    has_deflate = workload.deflate and client.deflate
    return {
        **client.environment,
        "URL": url,
        "MESSAGES": str(workload.messages),
        **({"COMPRESSION": "deflate"} if has_deflate else {}),
        "CONNECTIONS": "1",
        "LINES": "json",
        "NO_PROXY": "*",
        "no_proxy": "*",
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """Who plays which part in a trial."""

    server_cpus: frozenset[int]
    client_cpus: frozenset[int]
    is_client_engine: bool


def _parts(course: Course, cast: Cast) -> Parts:
    return Parts(
        server_cpus=course.host.server_cpus,
        client_cpus=course.host.client_cpus,
        is_client_engine=cast.client is None,
    )


def judge(
    workload: Push,
    received: Received[ClientResult],
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
    duration_ns = server.duration_ns
    size = len(workload.payload_text.encode())
    totals = {
        name: record.ProcessTotal(process=name, **observed.model_dump())
        for name, observed in server.processes.items()
    }
    server_part = Part(
        process="server",
        is_engine=True,
        cpus=parts.server_cpus,
        busy_share=server.working_ns / duration_ns,
    )
    client_part = Part(
        process="client", is_engine=parts.is_client_engine, cpus=parts.client_cpus
    )
    return record.Measurement(
        messages=workload.messages,
        payload_bytes=server.bytes,
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
        figures=(
            record.Figure(
                process="server", figure="wire_bytes", value=server.wire_bytes
            ),
            record.Figure(
                process="server", figure="write_calls", value=server.write_calls
            ),
        ),
        seconds=(
            *whole_series("client", received.seconds, client.messages, size),
            *whole_series("server", served.seconds, server.messages, size),
        ),
    )


def _compare(workload: Push, client: ClientResult, server: ServeResult) -> None:
    """
    Refuse what does not agree with the plan, or with the other end.

    Raises:
        ContestantError: how it differs.
    """
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
    if client.messages != workload.messages:
        raise Miscounted(
            f"counted {client.messages:,} messages; {workload.messages:,} were sent"
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
    process: str, seconds: Sequence[Second], messages: int, size: int
) -> list[record.Second]:
    """
    Add to the printed seconds the last one, which is not whole; messages have a size.

    Raises:
        Miscounted: the seconds are not in order, or are more than the total.
    """
    rows = [row.messages for row in seconds]
    left = messages - sum(rows)
    in_order = [row.second for row in seconds] == list(range(len(rows)))
    if not in_order or left < 0:
        raise Miscounted("its seconds do not add up to its result")
    return [
        record.Second(process=process, second=second, messages=row, bytes=row * size)
        for second, row in enumerate([*rows, left])
    ]
