"""Bots: connections that send when it is due. Contract, section 6."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, NoReturn, TextIO

from .latency import Latencies
from .settings import BotSettings
from .variables import read_or_exit

if TYPE_CHECKING:
    from collections.abc import Callable

STAMP_LENGTH = len(f"{0:020} {0:020} ")


def due_ns(start_ns: int, every_ns: int, place: tuple[int, int], event: int) -> int:
    """Return when an event is due; the place is a connection's, of so many."""
    connection, connections = place
    return start_ns + connection * every_ns // connections + event * every_ns


def stamp(event: int, due_ns: int, payload: str) -> str:
    """Return the text of an event."""
    return f"{event:020} {due_ns:020} {payload}"


class Bot:
    """One connection's events. Its sender and its receiver may be two threads."""

    def __init__(self, bots: Bots, connection: int) -> None:
        self.begun = bots.begun
        self.clock = bots.clock
        # Is done when the last event is answered.
        self.over: Future[None] = Future()
        self.latencies = Latencies()
        self.wrong = 0
        self._bots = bots
        self._connection = connection
        # When the first event is due; None until the bots have begun.
        self._first_due_ns: int | None = None
        self._sent = 0
        # The number of the first event that is not answered.
        self._unanswered = 0

    def next_due_ns(self) -> int | None:
        """Return when the next event is due; None: there are no more."""
        due_ns = self._due_ns(self._sent)
        return due_ns if due_ns < self._bots.window_ns()[1] else None

    def next_event(self) -> str:
        """Return the text that is to be sent now."""
        event = self._sent
        self._sent += 1
        return stamp(event, self._due_ns(event), self._bots.payload)

    def answered(self, answer: str | bytes) -> None:
        """Judge an answer."""
        now_ns = self.clock()
        if isinstance(answer, bytes) or not answer[:20].isdecimal():
            self.wrong += 1
            return
        event = int(answer[:20])
        due_ns = self._due_ns(event)
        is_expected = self._unanswered <= event < self._sent
        if not is_expected or answer != stamp(event, due_ns, self._bots.payload):
            self.wrong += 1
            return
        self._unanswered = event + 1
        start_ns, end_ns = self._bots.window_ns()
        if start_ns <= due_ns < end_ns:
            self.latencies.record(now_ns - due_ns)
        if self.is_over:
            self.over.set_result(None)

    @property
    def is_over(self) -> bool:
        """Whether the last event is answered."""
        return self.next_due_ns() is None and self._unanswered == self._sent

    @property
    def drained_ns(self) -> int:
        """Until when answers are waited for."""
        return self._bots.window_ns()[1] + self._bots.drain_ns

    def sent_in_window(self) -> int:
        """Return how many were sent of those that were due within the window."""
        start_ns, end_ns = self._bots.window_ns()
        due = (self._due_ns(event) for event in range(self._sent))
        return sum(start_ns <= due_ns < end_ns for due_ns in due)

    def _due_ns(self, event: int) -> int:
        if self._first_due_ns is None:
            place = (self._connection, self._bots.connections)
            start_ns = self.begun.result()
            self._first_due_ns = due_ns(start_ns, self._bots.every_ns, place, 0)
        return self._first_due_ns + event * self._bots.every_ns


class Bots:
    """
    All connections' events, and the client's line.

    Call ``opened`` for each connection, then ``play`` (or ``play_on_thread``) with
    what it returns, and ``finish`` when all are closed; or ``fail``, from any thread,
    when one cannot be opened or ends early.
    """

    def __init__(
        self, settings: BotSettings, *, clock: Callable[[], int], output: TextIO
    ) -> None:
        self.url = settings.echo.url
        self.connections = settings.echo.connections
        self.payload = settings.echo.payload
        self.every_ns = settings.every_ns
        self.drain_ns = settings.drain_ns
        self.clock = clock
        # When all connections were open.
        self.begun: Future[int] = Future()
        self._warm_up_ns = settings.echo.warm_up_ns
        self._window_ns = settings.echo.window_ns
        self._output = output
        self._lock = threading.Lock()
        self._opened: list[Bot] = []

    @classmethod
    def from_environment(cls) -> Bots:
        """Make the bots the environment asks for."""
        settings = read_or_exit(BotSettings.read)
        return cls(settings, clock=time.monotonic_ns, output=sys.stdout)

    def opened(self) -> Bot:
        """Note that a connection is open, and return its bot."""
        with self._lock:
            bot = Bot(self, len(self._opened))
            self._opened.append(bot)
            if len(self._opened) == self.connections:
                self.begun.set_result(self.clock())
        return bot

    def window_ns(self) -> tuple[int, int]:
        """Return when the window begins and ends."""
        start_ns = self.begun.result() + self._warm_up_ns
        return start_ns, start_ns + self._window_ns

    def finish(self) -> None:
        """Print the result."""
        latencies = Latencies()
        for bot in self._opened:
            latencies.merge(bot.latencies)
        response_time_ns = latencies.to_json()
        result = {
            "event": "result",
            "connections": len(self._opened),
            "sent": sum(bot.sent_in_window() for bot in self._opened),
            "echoed": sum(response_time_ns.values()),
            "wrong": sum(bot.wrong for bot in self._opened),
            "window_ns": self._window_ns,
            "response_time_ns": response_time_ns,
        }
        line = json.dumps(result, separators=(",", ":"))
        print(line, file=self._output, flush=True)

    def fail(self, error: Exception) -> NoReturn:
        """Exit with the reason, in one line, why the bots cannot go on."""
        lines = str(error).strip().splitlines() or [type(error).__name__]
        print(f"cannot send to {self.url}: {lines[0]}", file=sys.stderr, flush=True)
        # Whatever the other threads wait for.
        os._exit(1)
