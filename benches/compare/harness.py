"""
Overhead of contestants, compared with the smallest program of their library.

Both run alternately in the same environment with the same settings. They differ in
the program and the kit.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import FOR_CLIENTS, Role
from autostrada.engine.messages import ServeResult
from autostrada.engine.process import send_document
from autostrada.errors import AutostradaError, ContestantError, EngineError
from autostrada.evidence.results import duration_ns
from autostrada.machine.memory import cpu_ns
from autostrada.runner.endpoints import BuiltProgram
from autostrada.runner.lines import next_line

from .bench import LIMIT_S, BenchSetup, Document
from .overhead import DESCRIBED_BY, ROUNDS_MIN, Overhead, record
from .programs import (
    HarnessPair,
    bare_folders,
    build_pair,
    echo_server,
    roles_of,
)
from .table import (
    Bar,
    BenchRow,
    Rows,
    Skipped,
    alternate,
    paired_ratio,
    ratio_row,
    speed,
    times,
)

BAR = Bar(relation="≤", value=1.10)
CONNECTIONS = 64
MESSAGES = 1_000_000
PAYLOAD = "x" * 20
READINGS_MAX = 5
"""Attempts: a client may end before its CPU time is read, and is then run again."""

OURS, BARE = "contestant", "bare program"


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageCost:
    """Cost of one message: elapsed time and the contestant's CPU time."""

    wall_ns: float
    cpu_ns: float


def harness_rows(bench: BenchSetup) -> Rows:
    """Measure and record the overhead of every contestant that has a bare program."""
    catalog = find_catalog()
    for folder in bare_folders(bench.contestants):
        try:
            pair = build_pair(folder, catalog, bench.console.print)
        except ContestantError as error:
            yield Skipped(what=f"overhead of {folder.name}", why=str(error))
            continue
        for role in roles_of(folder):
            yield harness_row(bench, pair, role)


def harness_row(bench: BenchSetup, pair: HarnessPair, role: Role) -> BenchRow | Skipped:
    """Measure one program of a contestant and its bare program alternately."""
    described_by = DESCRIBED_BY[role]
    name = pair.contestant.name
    what = f"overhead of {name} as a {role}, {described_by.replace('_', ' ')}"
    ours, bare = pair.launches(role)
    measure = MEASURES[role]
    contenders = {
        OURS: partial(measure, bench, ours),
        BARE: partial(measure, bench, bare),
    }
    try:
        costs = alternate(what, bench, contenders)
    except AutostradaError as error:
        return Skipped(what=what, why=f"failed: {error}")
    by_clock = {name: [cost.wall_ns for cost in costs[name]] for name in costs}
    by_cpu = {name: [cost.cpu_ns for cost in costs[name]] for name in costs}
    overhead = Overhead(
        contestant=name,
        role=role,
        version=pair.version,
        duration=paired_ratio(by_clock[OURS], by_clock[BARE]),
        cpu_time=paired_ratio(by_cpu[OURS], by_cpu[BARE]),
        rounds=bench.rounds,
        date=date.today(),
        command=bench.command,
    )
    if bench.rounds >= ROUNDS_MIN:
        record(overhead)
    details = [
        f"duration: {times(overhead.duration)}; CPU time: {times(overhead.cpu_time)}",
        *(speed(f"{name}, by the clock", by_clock[name]) for name in costs),
        *(speed(f"{name}, by CPU time", by_cpu[name]) for name in costs),
    ]
    return ratio_row(what, overhead.described, BAR, details)


def received(bench: BenchSetup, client: BuiltProgram) -> MessageCost:
    """
    Return a client's cost per message, from the first message to the close frame.

    The server measures the duration and reads the client's CPU time, so the time
    before the client connects is not included in either.

    Raises:
        EngineError: the client fails, has not received all messages, or always ends
            before its CPU time is read.
    """
    for _ in range(READINGS_MAX):
        result = serve_result(bench, client)
        if "client" in result.processes:
            return cost_of(result)
    raise EngineError("the client ends before its CPU time is read")


def serve_result(bench: BenchSetup, client: BuiltProgram) -> ServeResult:
    """Run a receiving client; return the server's result."""
    plan = {"connections": 1, "hold_until_observing": True}
    with bench.server(plan) as (server, url):
        variables = {"URL": f"{url}/{MESSAGES}", "MESSAGES": f"{MESSAGES}"}
        environment = {**client.environment, **variables, **FOR_CLIENTS}
        with bench.client(
            client.arguments, environment, folder=client.folder
        ) as process:
            send_document(server, {"observe": {"client": process.pid}})
            for _ in process.lines():
                pass
        return next_line(server, time.monotonic() + LIMIT_S, ServeResult)


def cost_of(result: ServeResult) -> MessageCost:
    """
    Return the client's cost per message.

    Raises:
        EngineError: the client has not received all messages.
    """
    if result.ended != "complete" or result.messages != MESSAGES:
        raise EngineError(
            f"{result.messages:,} of {MESSAGES:,} messages were sent before the "
            f"connection ended ({result.ended})"
        )
    return MessageCost(
        wall_ns=duration_ns(result) / MESSAGES,
        cpu_ns=result.processes["client"].cpu_ns / MESSAGES,
    )


def echoed(bench: BenchSetup, server: BuiltProgram) -> MessageCost:
    """
    Load an echo server in a closed loop; return its cost per echo.

    Raises:
        EngineError: the server does not listen, or the load has failures.
    """
    with echo_server(bench, server) as (process, url):
        before_ns = cpu_ns([process.pid])
        result = bench.echo(url, CONNECTIONS, {"payload": {"text": PAYLOAD}})
        used_ns = cpu_ns([process.pid]) - before_ns
    return cost_of_echo(result, used_ns)


def cost_of_echo(result: Document, used_ns: int) -> MessageCost:
    """Return the cost of an echo; all messages have used the server's CPU time."""
    return MessageCost(
        wall_ns=result["window_ns"] / result["exchange"]["echoed"],
        cpu_ns=used_ns / result["messages"],
    )


MEASURES: dict[Role, Callable[[BenchSetup, BuiltProgram], MessageCost]] = {
    "client": received,
    "server": echoed,
}
