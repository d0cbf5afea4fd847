"""
What both ends of a feed say, each in its own form, and what they mean in one.

Contestants: docs/contract.md, 7.6 and 8.9; the engine: docs/format.md, ``Lines``.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from autostrada.errors import Crashed, Hung
from autostrada.machine.process import Process
from autostrada.runner.engine import Count, Second, ServeResult
from autostrada.runner.trial.client import (
    ClientResult,
    expect_exit,
    how_it_ended,
    parse_line,
    receive,
)
from autostrada.stats.histogram.buckets import middle_ns

Duration = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,18})$")]
Pairs = tuple[tuple[Count, Count], ...]
"""Buckets: the lowest duration in nanoseconds, and how many."""


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class Numbers(_Said):
    """Verdicts on the numbers of messages: docs/contract.md, 7.3."""

    in_order: Count
    gaps: Count
    missing: int
    repeats: Count
    disorders: Count
    strays: Count


class Regularity(_Said):
    """Messages that were due at an interval, as the engine counts them."""

    judged: Count
    on_time: Count
    clump_max: Count


class ContestantClient(ClientResult):
    """A contestant's result."""

    sequence: Numbers | None = None
    latency_ns: dict[Duration, Count] | None = None


class EngineClient(ClientResult):
    """The engine's result."""

    sequence: Numbers | None
    delivery_time_ns: Pairs | None
    connect_response_time_ns: Pairs
    regularity: Regularity | None
    busy_shares: tuple[float, ...]
    window_start_ns: Count
    window_ns: Count
    generator_limited: str | None


class ContestantServer(_Said):
    """A contestant's result of one feed."""

    event: Literal["result"]
    messages: Count
    bytes: Count


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivered:
    """What came to one client process."""

    connections: int
    messages: int
    payload_bytes: int
    wrong: int
    opened_ns: int
    """When the first of its connections was open."""

    ready_ns: int
    """When the last was, as far as it says so; else as ``opened_ns``."""

    ended_ns: int
    """When the last message came, or when it ended."""

    seconds: tuple[Second, ...]
    """They begin with ``opened_ns``."""

    numbers: Numbers | None
    latencies: tuple[tuple[int, int], ...] = ()
    """Of messages that have an instant: nanoseconds, and how many."""

    engine: EngineClient | None = None
    """What only the engine says."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Handed:
    """What one server process has handed over, each receiver counted."""

    messages: int
    payload_bytes: int
    seconds: tuple[Second, ...]
    is_whole: bool = True
    """Whether that is all: of many connections the engine tells whole seconds only."""


def hear_contestant_client(process: Process, deadline_s: float) -> Delivered:
    """
    Read what a contestant's client prints, to its end.

    Raises:
        ContestantError: it breaks its contract.
    """
    received = receive(process, deadline_s, ContestantClient)
    expect_exit(process, deadline_s)
    result = received.result
    latency_ns = result.latency_ns or {}
    return Delivered(
        connections=result.connections,
        messages=result.messages,
        payload_bytes=result.bytes,
        wrong=result.wrong,
        opened_ns=result.opened_ns,
        ready_ns=result.opened_ns,
        ended_ns=result.received_ns,
        seconds=tuple(received.seconds),
        numbers=result.sequence,
        latencies=tuple((int(value), count) for value, count in latency_ns.items()),
    )


def hear_engine_client(process: Process, deadline_s: float) -> Delivered:
    """Read what the engine's client prints, to its end; see above."""
    received = receive(process, deadline_s, EngineClient)
    expect_exit(process, deadline_s)
    result = received.result
    return Delivered(
        connections=result.connections,
        messages=result.messages,
        payload_bytes=result.bytes,
        wrong=result.wrong,
        opened_ns=result.opened_ns,
        ready_ns=result.window_start_ns,
        ended_ns=result.received_ns,
        seconds=tuple(received.seconds),
        numbers=result.sequence,
        latencies=tuple(
            (middle_ns(lowest), count)
            for lowest, count in result.delivery_time_ns or ()
        ),
        engine=result,
    )


def hear_contestant_server(process: Process, deadline_s: float) -> Handed:
    """
    Read what a contestant's server prints of one feed; it goes on running.

    Raises:
        ContestantError: it breaks its contract.
    """
    received = receive(process, deadline_s, ContestantServer)
    return Handed(
        messages=received.result.messages,
        payload_bytes=received.result.bytes,
        seconds=tuple(received.seconds),
    )


def hear_engine_server(process: Process, deadline_s: float) -> Handed:
    """
    Read what the engine's server prints, to its end.

    Raises:
        ContestantError: it does not end as it should.
    """
    seconds: list[Second] = []
    results: list[ServeResult] = []
    try:
        while (line := process.read_line(deadline_s)) is not None:
            said = parse_line(line, ServeResult)
            if isinstance(said, Second):
                seconds.append(said)
            elif said is not None:
                results.append(said)
        status = process.wait(deadline_s)
    except TimeoutError as error:
        raise Hung("was still serving when its time was over") from error
    if status != 0:
        raise Crashed(f"{how_it_ended(status)} while it served")
    counted = results or seconds
    return Handed(
        messages=sum(each.messages for each in counted),
        payload_bytes=sum(each.bytes for each in counted),
        seconds=tuple(seconds),
        is_whole=bool(results),
    )
