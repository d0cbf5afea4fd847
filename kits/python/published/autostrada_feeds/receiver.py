"""Checks a client's messages and prints its lines: docs/published.md, section 2."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from autostrada_kit.client import CLOSE, CONTINUE, exit_with
from autostrada_kit.variables import read_or_exit

from .feed import WrongMessageError
from .latency import round_latency
from .sequence import VERDICTS, Sequence
from .settings import ReceiverSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from .feed import FeedFormat

SECOND_NS = 1_000_000_000


class Connection:
    """The messages of a feed on one connection."""

    def __init__(
        self, expected: float, clock: Callable[[], int], feed: FeedFormat
    ) -> None:
        self._expected = expected
        self._clock = clock
        self._feed = feed
        self.messages = 0
        self.bytes = 0
        self.wrong = 0
        self.sequence = Sequence()
        self.latencies: Counter[int] = Counter()
        self.first_ns: int | None = None
        # Time at which the last expected message arrived.
        self.received_ns: int | None = None

    def received(self, message: str | bytes) -> int:
        """Check and count one message; return what to do then."""
        if self.first_ns is None:
            self.first_ns = self._clock()
        if self.received_ns is not None:
            return CONTINUE  # More may arrive while the connection closes.
        self.bytes += len(message) if message.isascii() else _count_bytes(message)
        try:
            self._check(message)
        except WrongMessageError:
            self.wrong += 1
        self.messages += 1
        if self.messages < self._expected:
            return CONTINUE
        self.received_ns = self._clock()
        return CLOSE

    def _check(self, message: str | bytes) -> None:
        number, time_ns = self._feed.decode(message)
        if time_ns is not None:
            latency_ns = self._clock() - time_ns
            if latency_ns < 0:
                raise WrongMessageError
            self.latencies[round_latency(latency_ns)] += 1
        if number is not None:
            self.sequence.check(number)


class Receiver:
    """
    Add up the messages of all connections of a client and print the lines.

    Call ``opened`` for each connection, the returned function for each message, and
    ``finish`` when all connections are closed. Call ``fail`` if a connection cannot be
    opened.
    """

    deflate = False
    """Whether it offers compression: clients of feeds do not."""

    def __init__(
        self,
        settings: ReceiverSettings,
        *,
        clock: Callable[[], int],
        output: TextIO,
    ) -> None:
        self.url = settings.url
        self.connections = settings.connections
        self.feed = settings.feed
        self.expected = math.inf if settings.messages is None else settings.messages
        self._duration_ns = settings.duration_ns
        self._clock = clock
        self._output = output
        self._opened: list[Connection] = []
        self._opened_ns = 0
        # State at the last printed line.
        self._seconds = 0
        self._printed = {"messages": 0, "bytes": 0}
        # Held while printing, so that no line follows the result.
        self._lock = threading.Lock()
        self._is_open = threading.Event()
        self._is_finished = threading.Event()

    @classmethod
    def from_environment(cls) -> Receiver:
        """Create the receiver that the environment describes; start its ticker."""
        settings = read_or_exit(ReceiverSettings.read)
        receiver = cls(settings, clock=time.monotonic_ns, output=sys.stdout)
        threading.Thread(target=receiver._report, daemon=True).start()
        return receiver

    def opened(self) -> Callable[[str | bytes], int]:
        """
        Register an open connection and return its counting function.

        Call the function with each message. It returns ``CLOSE`` once all expected
        messages have arrived, and 0 to continue.
        """
        connection = Connection(self.expected, self._clock, self.feed)
        opened_ns = self._clock()
        with self._lock:
            if not self._opened:
                self._opened_ns = opened_ns
            self._opened.append(connection)
        self._is_open.set()
        return connection.received

    def tick(self) -> int | None:
        """
        Print a line for each second that has ended.

        Return the nanoseconds until the next second or the duration of a client ends,
        or None once all messages have arrived: no second is printed after the last
        message.
        """
        with self._lock:
            if self._is_finished.is_set():
                return None
            now_ns = self._clock()
            received_ns = self._all_received_ns()
            self._print_seconds(now_ns if received_ns is None else received_ns)
            if received_ns is not None:
                return None
            left_ns = min(self._next_end_ns(), self._over_ns()) - now_ns
            return max(0, int(left_ns))

    def is_over(self) -> bool:
        """Whether the duration of a client that receives for a limited time is over."""
        return self._clock() >= self._over_ns()

    def finish(self, *, is_cut_off: bool = False) -> None:
        """
        Print the result. Nothing is printed after it.

        If messages are missing, ``received_ns`` is the time of this call.
        """
        assert self._opened, "a result needs an opened connection"
        with self._lock:
            if self._is_finished.is_set():
                return
            now_ns = self._clock()
            received_ns = self._all_received_ns() or now_ns
            self._print_seconds(received_ns)
            counts = self._count()
            self._print(
                event="result",
                connections=len(self._opened),
                **counts,
                opened_ns=self._opened_ns,
                received_ns=received_ns,
                **_sum_up(self.feed, self._opened),
                cut_off=is_cut_off,
            )
            self._is_finished.set()
        expected = self.expected * self.connections
        if counts["messages"] < expected < math.inf:
            print(
                f"received {counts['messages']} of {expected} messages", file=sys.stderr
            )

    def fail(self, error: Exception) -> NoReturn:
        """Exit with a one-line reason why nothing can be received."""
        exit_with(self.url, error)

    def _report(self) -> None:
        self._is_open.wait()
        while True:
            left_ns = self.tick()
            if left_ns is None or self._is_finished.wait(left_ns / SECOND_NS):
                return
            if self.is_over():
                self.finish(is_cut_off=True)
                # Closing would wait for everything that the server has buffered.
                os._exit(0)

    def _all_received_ns(self) -> int | None:
        """Return the time of the last message, or None while messages are missing."""
        instants = [connection.received_ns for connection in self._opened]
        complete = [instant for instant in instants if instant is not None]
        return max(complete) if len(complete) == self.connections else None

    def _over_ns(self) -> float:
        """Return when a client with a duration ends: counted from its first message."""
        if self._duration_ns is None:
            return math.inf
        instants = [each.first_ns for each in self._opened if each.first_ns is not None]
        return min(instants) + self._duration_ns if instants else math.inf

    def _next_end_ns(self) -> int:
        return self._opened_ns + (self._seconds + 1) * SECOND_NS

    def _print_seconds(self, until_ns: int) -> None:
        # After a stall of several seconds, the first of them is credited with all
        # messages: their times of arrival are unknown.
        while until_ns >= self._next_end_ns():
            counts = self._count()
            arrived = {key: counts[key] - self._printed[key] for key in counts}
            self._print(event="second", second=self._seconds, **arrived)
            self._seconds += 1
            self._printed = counts

    def _count(self) -> dict[str, int]:
        return {
            "messages": sum(each.messages for each in self._opened),
            "bytes": sum(each.bytes for each in self._opened),
        }

    def _print(self, **event: Any) -> None:
        line = json.dumps(event, separators=(",", ":"))
        print(line, file=self._output, flush=True)


def _sum_up(feed: FeedFormat, connections: list[Connection]) -> dict[str, Any]:
    """Return what the checks of all connections have found."""
    latencies: Counter[int] = Counter()
    for connection in connections:
        # A copy, because another thread may be counting.
        latencies.update(connection.latencies.copy())
    sequence = {
        verdict: sum(each.sequence.counts[verdict] for each in connections)
        for verdict in VERDICTS
    }
    return {
        "wrong": sum(each.wrong for each in connections),
        "sequence": sequence if feed.has_number else None,
        "latency_ns": {str(each): latencies[each] for each in sorted(latencies)}
        if feed.has_instant
        else None,
    }


def _count_bytes(message: str | bytes) -> int:
    return len(message.encode() if isinstance(message, str) else message)
