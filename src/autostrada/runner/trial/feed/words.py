"""
What both ends of a feed say, each in its own form, and what they mean in one.

Contestants: docs/contract.md, 7.6 and 8.9; the engine: docs/format.md, ``Lines``.
"""

import time
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from autostrada.errors import Crashed, TimedOut
from autostrada.machine.process import Process
from autostrada.runner.engine import Count, Second, ServeResult
from autostrada.runner.trial.client import (
    ClientResult,
    expect_exit,
    how_it_ended,
    parse_line,
    receive,
)
from autostrada.stats.buckets import middle_ns

SECOND_NS = 1_000_000_000
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


class EngineNumbers(_Said):
    """The same, as the engine calls them: docs/format.md."""

    in_order: Count
    gaps: Count
    missing: int
    duplicates: Count
    reordered: Count
    unexpected: Count

    def of_contract(self) -> Numbers:
        """Return them as a contestant tells them."""
        return Numbers(
            in_order=self.in_order,
            gaps=self.gaps,
            missing=self.missing,
            repeats=self.duplicates,
            disorders=self.reordered,
            strays=self.unexpected,
        )


class Regularity(_Said):
    """Messages that were due at an interval, as the engine counts them."""

    judged: Count
    on_time: Count
    burst_max: Count


class ContestantClient(ClientResult):
    """A contestant's result."""

    sequence: Numbers | None = None
    latency_ns: dict[Duration, Count] | None = None


class EngineClient(ClientResult):
    """The engine's result."""

    sequence: EngineNumbers | None
    delivery_time_ns: Pairs | None
    connect_response_time_ns: Pairs
    regularity: Regularity | None
    busy_shares: tuple[float, ...]
    window_start_ns: Count
    window_ns: Count
    ended: str
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

    is_cut_off: bool = False
    """It was still receiving when its time was over: what it had said by then counts,
    and its latencies are not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Handed:
    """What one server process has handed over, each receiver counted."""

    messages: int
    payload_bytes: int
    seconds: tuple[Second, ...]
    is_whole: bool = True
    """Whether that is all: of many connections the engine tells whole seconds only."""


class SoFar:
    """What a client has received before it has said so in a result."""

    def __init__(self) -> None:
        self._seconds: list[Second] = []
        self._opened_ns = 0

    def note(self, second: Second) -> None:
        """Take a second, which was over just before this instant at the latest."""
        begun_ns = time.monotonic_ns() - (second.second + 1) * SECOND_NS
        self._opened_ns = min(self._opened_ns, begun_ns) if self._seconds else begun_ns
        self._seconds.append(second)

    @property
    def is_receiving(self) -> bool:
        """Whether anything came in the last second."""
        return bool(self._seconds) and self._seconds[-1].messages > 0

    def cut_off(self, now_ns: int) -> Delivered:
        """Return it as what came to the client; connections are not told yet."""
        return Delivered(
            connections=0,
            messages=sum(each.messages for each in self._seconds),
            payload_bytes=sum(each.bytes for each in self._seconds),
            wrong=0,
            opened_ns=self._opened_ns,
            ready_ns=self._opened_ns,
            ended_ns=now_ns,
            seconds=tuple(self._seconds),
            numbers=None,
            is_cut_off=True,
        )


def hear_contestant_client(process: Process, deadline_s: float) -> Delivered:
    """
    Read what a contestant's client prints, to its end.

    A server that waits for nobody may have kept more for it than it can receive in the
    time that there is: what it has received until then is what it could.

    Raises:
        ContestantError: it breaks its contract.
    """
    so_far = SoFar()
    try:
        received = receive(process, deadline_s, ContestantClient, so_far.note)
    except TimedOut:
        if not so_far.is_receiving:
            raise
        return so_far.cut_off(time.monotonic_ns())
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
    """
    Read what the engine's client prints, to its end.

    Where the server has not closed by then, it is cut off as a contestant is.

    Raises:
        ContestantError: it does not end as it should, or waits in vain.
    """
    received = receive(process, deadline_s, EngineClient)
    expect_exit(process, deadline_s)
    result = received.result
    is_cut_off = result.ended == "complete"
    if is_cut_off and not (received.seconds and received.seconds[-1].messages):
        raise TimedOut("was still running when its time was over")
    return Delivered(
        connections=result.connections,
        messages=result.messages,
        payload_bytes=result.bytes,
        wrong=result.wrong,
        is_cut_off=is_cut_off,
        opened_ns=result.opened_ns,
        ready_ns=result.window_start_ns,
        ended_ns=result.received_ns,
        seconds=tuple(received.seconds),
        numbers=result.sequence.of_contract() if result.sequence else None,
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
        raise TimedOut("was still serving when its time was over") from error
    if status != 0:
        raise Crashed(f"{how_it_ended(status)} while it served")
    counted = results or seconds
    return Handed(
        messages=sum(each.messages for each in counted),
        payload_bytes=sum(each.bytes for each in counted),
        seconds=tuple(seconds),
        is_whole=bool(results),
    )
