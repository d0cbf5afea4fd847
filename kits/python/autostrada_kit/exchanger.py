"""Counts the echoes of a client and prints its line: contract, section 5."""

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
    """What has come back on one connection. One thread or task uses it."""

    __slots__ = ("_exchanger", "_payload", "echoed", "wrong")

    def __init__(self, exchanger: Exchanger) -> None:
        self._exchanger = exchanger
        self._payload = exchanger.payload
        self.echoed = 0
        self.wrong = 0

    def answered(self, answer: str | bytes) -> bool:
        """Count one answer; return True to send again, False to close."""
        is_counted, goes_on = self._exchanger.phase()
        if answer != self._payload:
            self.wrong += 1
        elif is_counted:
            self.echoed += 1
        return goes_on


class Exchanger:
    """
    A client's echoes, and its line.

    Call ``opened`` for each connection, what it returns for each answer, and
    ``finish`` when all connections are closed; or ``fail``, from any thread,
    when one cannot be opened or ends early.
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
        # When the window begins; None until the last connection is open.
        self._begins_ns: int | None = None

    @classmethod
    def from_environment(cls) -> Exchanger:
        """Make the exchanger the environment asks for."""
        settings = read_or_exit(EchoSettings.read)
        return cls(settings, clock=time.monotonic_ns, output=sys.stdout)

    def opened(self) -> Callable[[str | bytes], bool]:
        """
        Note that a connection is open, and return the function that counts.

        Call that one with each answer. It returns True when the connection
        must send again, and False when it must be closed.
        """
        exchange = Exchange(self)
        with self._lock:
            self._opened.append(exchange)
            if len(self._opened) == self.connections:
                self._begins_ns = self._clock() + self._warm_up_ns
        return exchange.answered

    def phase(self) -> tuple[bool, bool]:
        """Return whether what comes now is counted, and whether it goes on."""
        if self._begins_ns is None:
            return False, True
        # Asking the clock costs little beside an echo.
        elapsed_ns = self._clock() - self._begins_ns
        goes_on = elapsed_ns < self._window_ns
        return goes_on and elapsed_ns >= 0, goes_on

    def finish(self) -> None:
        """Print the result."""
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
        """Exit with the reason, in one line, why there is no exchange."""
        lines = str(error).strip().splitlines() or [type(error).__name__]
        print(f"cannot exchange with {self.url}: {lines[0]}", file=sys.stderr)
        sys.stderr.flush()
        # Whatever the other threads wait for.
        os._exit(1)
