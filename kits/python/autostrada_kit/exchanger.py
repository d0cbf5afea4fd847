"""Counts a client's echoes and prints its result line: contract, section 5."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, NoReturn, TextIO

from .settings import EchoSettings
from .variables import read_or_exit

if TYPE_CHECKING:
    from collections.abc import Callable


class Exchange:
    """The echoes of one connection. One thread or task at a time may use it."""

    __slots__ = ("_exchanger", "_payload", "echoed", "wrong")

    def __init__(self, exchanger: Exchanger) -> None:
        self._exchanger = exchanger
        self._payload = exchanger.payload
        self.echoed = 0
        self.wrong = 0

    def answered(self, answer: str | bytes) -> bool:
        """Count one answer. Return True to send the next message, False to close."""
        is_counted, is_ongoing = self._exchanger.phase()
        if answer != self._payload:
            self.wrong += 1
        elif is_counted:
            self.echoed += 1
        return is_ongoing


class Exchanger:
    """
    Count the echoes of all connections of a client and print the result line.

    Call ``opened`` for each connection, the returned function for each answer, and
    ``finish`` when all connections are closed. Call ``fail``, from any thread, if a
    connection cannot be opened or ends early.
    """

    def __init__(
        self, settings: EchoSettings, *, clock: Callable[[], int], output: TextIO
    ) -> None:
        self.url = settings.url
        self.connections = settings.connections
        self.payload = settings.payload
        self._warm_up_ns = settings.warm_up_ns
        self._window_ns = settings.window_ns
        self._clock = clock
        self._output = output
        self._lock = threading.Lock()
        self._opened: list[Exchange] = []
        # Start of the window, in nanoseconds; None until the last connection is open.
        self._begins_ns: int | None = None

    @classmethod
    def from_environment(cls) -> Exchanger:
        """Create the exchanger that the environment variables describe."""
        settings = read_or_exit(EchoSettings.read)
        return cls(settings, clock=time.monotonic_ns, output=sys.stdout)

    def opened(self) -> Callable[[str | bytes], bool]:
        """
        Register an open connection and return its counting function.

        Call the function with each answer. It returns True to send the next message,
        and False to close the connection.
        """
        exchange = Exchange(self)
        with self._lock:
            self._opened.append(exchange)
            if len(self._opened) == self.connections:
                self._begins_ns = self._clock() + self._warm_up_ns
        return exchange.answered

    def phase(self) -> tuple[bool, bool]:
        """Return whether an answer counts now, and whether the exchange continues."""
        if self._begins_ns is None:
            return False, True
        # Reading the clock is cheap compared with an echo.
        elapsed_ns = self._clock() - self._begins_ns
        is_ongoing = elapsed_ns < self._window_ns
        return is_ongoing and elapsed_ns >= 0, is_ongoing

    def finish(self) -> None:
        """Print the result line."""
        result = {
            "event": "result",
            "connections": len(self._opened),
            "echoed": sum(exchange.echoed for exchange in self._opened),
            "wrong": sum(exchange.wrong for exchange in self._opened),
            "window_ns": self._window_ns,
        }
        line = json.dumps(result, separators=(",", ":"))
        print(line, file=self._output, flush=True)

    def fail(self, error: Exception) -> NoReturn:
        """Exit with a one-line reason why the exchange is impossible."""
        lines = str(error).strip().splitlines() or [type(error).__name__]
        print(f"cannot exchange with {self.url}: {lines[0]}", file=sys.stderr)
        sys.stderr.flush()
        # Ends the process even if other threads are blocked.
        os._exit(1)
