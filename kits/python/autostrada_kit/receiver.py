"""Counts what a client receives, prints its lines: contract, sections 3, 4 and 7."""

from __future__ import annotations

import functools
import json
import math
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from .feed import WrongMessageError
from .latency import Latencies
from .sequence import VERDICTS, Sequence
from .settings import Settings
from .variables import read_or_exit

if TYPE_CHECKING:
    from collections.abc import Callable

    from .feed import FeedFormat

SECOND_NS = 1_000_000_000

Event = dict[str, Any]


class Connection:
    """What one connection has received."""

    __slots__ = ("_clock", "_wanted", "bytes", "messages", "received_ns")

    def __init__(self, wanted: float, clock: Callable[[], int]) -> None:
        self._wanted = wanted
        self._clock = clock
        self.messages = 0
        self.bytes = 0
        # When the last message wanted came. The others are not timed: asking
        # the clock costs as much as all the rest of the counting.
        self.received_ns: int | None = None

    def received(self, message: str | bytes) -> bool:
        """Count one message, and say whether that is all that was wanted."""
        size = len(message) if message.isascii() else _count_bytes(message)
        messages = self.messages + 1
        if messages >= self._wanted:
            return self._receive_last(size)
        # No call between these two: CPython changes threads only at calls and
        # loops, so the reporter never sees a message without its bytes.
        self.messages = messages
        self.bytes += size
        return False

    def _receive_last(self, size: int) -> bool:
        # A library may deliver more while the connection closes. That is not
        # counted.
        if self.received_ns is None:
            self.received_ns = self._clock()
            self.messages += 1
            self.bytes += size
        return True


class CheckedConnection(Connection):
    """What one connection has received of a feed."""

    __slots__ = ("_feed", "latencies", "sequence", "wrong")

    def __init__(
        self, wanted: float, clock: Callable[[], int], feed: FeedFormat
    ) -> None:
        super().__init__(wanted, clock)
        self._feed = feed
        self.sequence = Sequence()
        self.latencies = Latencies()
        self.wrong = 0

    def received(self, message: str | bytes) -> bool:
        """Check and count one message, and say whether that is all."""
        if self.received_ns is None:
            try:
                self._check(message)
            except WrongMessageError:
                self.wrong += 1
        return super().received(message)

    def _check(self, message: str | bytes) -> None:
        number, time_ns = self._feed.decode(message)
        if time_ns is not None:
            latency_ns = self._clock() - time_ns
            if latency_ns < 0:
                raise WrongMessageError
            self.latencies.record(latency_ns)
        if number is not None:
            self.sequence.check(number)


class Receiver:
    """
    A client's counts and lines.

    Call ``opened`` for each connection, what it returns for each message, and
    ``finish`` when all connections are closed; or ``fail`` when one cannot be
    opened.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        to_line: Callable[[Event], str],
        clock: Callable[[], int],
        output: TextIO,
    ) -> None:
        self.url = settings.url
        self.connections = settings.connections
        self._feed = settings.feed
        self._wanted = math.inf if settings.messages is None else settings.messages
        self._to_line = to_line
        self._clock = clock
        self._output = output
        self._opened: list[Connection] = []
        self._opened_ns = 0
        # What the lines printed so far say.
        self._seconds = self._messages = self._bytes = 0
        # Held while lines are printed, so that none follows the result.
        self._lock = threading.Lock()
        self._is_open = threading.Event()
        self._is_finished = threading.Event()

    @classmethod
    def from_environment(cls) -> Receiver:
        """Make the receiver the environment asks for; it prints each second."""
        settings = read_or_exit(Settings.read)
        to_line = to_json_line
        if settings.lines == "autoroute":
            name = Path(sys.argv[0]).resolve().parent.name
            to_line = functools.partial(to_autoroute_line, name)
        receiver = cls(
            settings, to_line=to_line, clock=time.monotonic_ns, output=sys.stdout
        )
        threading.Thread(target=receiver._report, daemon=True).start()
        return receiver

    def opened(self) -> Callable[[str | bytes], bool]:
        """
        Note that a connection is open, and return the function that counts.

        Call that one with each message. It returns True when the connection
        has received what was wanted and must be closed.
        """
        opened_ns = self._clock()
        connection = (
            CheckedConnection(self._wanted, self._clock, self._feed)
            if self._feed
            else Connection(self._wanted, self._clock)
        )
        with self._lock:
            if not self._opened:
                self._opened_ns = opened_ns
            self._opened.append(connection)
        self._is_open.set()
        return connection.received

    def tick(self) -> int | None:
        """
        Print the seconds that have ended.

        Returns the nanoseconds to the end of the next one, or None when all
        messages are there: no second is printed after the last message.
        """
        with self._lock:
            if self._is_finished.is_set():
                return None
            now_ns = self._clock()
            received_ns = self._all_received_ns()
            self._print_seconds(now_ns if received_ns is None else received_ns)
            return self._next_end_ns() - now_ns if received_ns is None else None

    def finish(self) -> None:
        """
        Print the result. Nothing is printed after it.

        Where messages are missing, ``received_ns`` is the instant of this call.
        """
        assert self._opened, "a result needs an opened connection"
        with self._lock:
            now_ns = self._clock()
            received_ns = self._all_received_ns() or now_ns
            self._print_seconds(received_ns)
            messages, size = self._count()
            self._print(
                event="result",
                connections=len(self._opened),
                messages=messages,
                bytes=size,
                opened_ns=self._opened_ns,
                received_ns=received_ns,
                **(_sum_up(self._feed, self._opened) if self._feed else {}),
            )
            self._is_finished.set()
        wanted = self._wanted * self.connections
        if messages < wanted < math.inf:
            print(f"received {messages} of {wanted} messages", file=sys.stderr)

    def fail(self, error: Exception) -> NoReturn:
        """Exit with the reason, in one line, why there is nothing to count."""
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        sys.exit(f"cannot receive from {self.url}: {reason}")

    def _report(self) -> None:
        self._is_open.wait()
        while True:
            left_ns = self.tick()
            if left_ns is None or self._is_finished.wait(left_ns / SECOND_NS):
                return

    def _all_received_ns(self) -> int | None:
        """Return when the last message came, or None while messages are missing."""
        instants = [connection.received_ns for connection in self._opened]
        complete = [instant for instant in instants if instant is not None]
        return max(complete) if len(complete) == self.connections else None

    def _next_end_ns(self) -> int:
        return self._opened_ns + (self._seconds + 1) * SECOND_NS

    def _print_seconds(self, until_ns: int) -> None:
        # After a stall of several seconds the first of them gets all that
        # came: which came when is not known.
        while until_ns >= self._next_end_ns():
            messages, size = self._count()
            self._print(
                event="second",
                second=self._seconds,
                messages=messages - self._messages,
                bytes=size - self._bytes,
            )
            self._seconds += 1
            self._messages, self._bytes = messages, size

    def _count(self) -> tuple[int, int]:
        messages = size = 0
        for connection in self._opened:
            # Read without a call in between, as they are written.
            counted, counted_bytes = connection.messages, connection.bytes
            messages += counted
            size += counted_bytes
        return messages, size

    def _print(self, **event: Any) -> None:
        print(self._to_line(event), file=self._output, flush=True)


def _sum_up(feed: FeedFormat, connections: list[Any]) -> dict[str, Any]:
    """Return what the result says of a feed."""
    latencies = Latencies()
    for connection in connections:
        latencies.merge(connection.latencies)
    sequence = {
        verdict: sum(each.sequence.counts[verdict] for each in connections)
        for verdict in VERDICTS
    }
    return {
        "wrong": sum(each.wrong for each in connections),
        "sequence": sequence if feed.has_number else None,
        "latency_ns": latencies.to_json() if feed.has_instant else None,
    }


def to_json_line(event: Event) -> str:
    """Return the line of the contract's section 3."""
    return json.dumps(event, separators=(",", ":"))


def to_autoroute_line(name: str, event: Event) -> str:
    """Return the line of the contract's section 4."""
    if event["event"] == "second":
        return f"messages received per second: {event['messages']}"
    duration_ns = event["received_ns"] - event["opened_ns"]
    return f"AUTOROUTE {name} :: {(duration_ns + 500_000) // 1_000_000} ms"


def _count_bytes(message: str | bytes) -> int:
    return len(message.encode() if isinstance(message, str) else message)
