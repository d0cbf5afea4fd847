"""Counts a client's messages and prints its result: contract, section 3."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, NoReturn

from .variables import read_choice, read_count, read_or_exit, read_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from autostrada_feeds import Receiver

    from .variables import Environment

CONTINUE, REPLY, CLOSE = range(3)
"""What a client does after a message: receive the next one, send it back, or close."""


class Connection:
    """The messages of one connection."""

    __slots__ = ("_expected", "messages", "received_ns")

    def __init__(self, expected: float) -> None:
        self._expected = expected
        self.messages = 0
        # Time at which the last expected message arrived. Other messages are not timed:
        # reading the clock costs more than counting.
        self.received_ns: int | None = None

    def counted(self, _message: object) -> int:
        """Count one message; return what to do then."""
        self.messages += 1
        if self.messages < self._expected:
            return CONTINUE
        if self.received_ns is None:
            self.received_ns = time.monotonic_ns()
            return CLOSE
        self.messages -= 1
        return CONTINUE

    def replied(self, _message: object) -> int:
        """Count one message that is sent back."""
        self.messages += 1
        return REPLY


class Client:
    """
    Count the messages of all connections of a client and print the result.

    Call ``opened`` for each connection, the returned function with each message, and
    ``finish`` when all connections have ended. Call ``fail`` if nothing can be
    received.
    """

    def __init__(self, environment: Environment) -> None:
        """Read a client's variables; raise a SettingsError that names a wrong one."""
        self.url = read_url(environment)
        self.connections = read_count(environment, "CONNECTIONS", "1")
        self.deflate = bool(read_choice(environment, "COMPRESSION", ("", "deflate")))
        # Messages of each connection; infinite: until the server closes.
        self._expected = (
            read_count(environment, "MESSAGES")
            if "MESSAGES" in environment
            else math.inf
        )
        verb = read_choice(environment, "VERB", ("count", "reply"))
        self._is_replying = verb == "reply"
        self._opened: list[Connection] = []
        self._opened_ns = 0
        self._lock = threading.Lock()

    @classmethod
    def from_environment(cls) -> Client | Receiver:
        """Create the client that the environment describes; with FEED, a receiver."""
        if "FEED" in os.environ:
            from autostrada_feeds import Receiver

            return Receiver.from_environment()
        return read_or_exit(cls)

    def opened(self) -> Callable[[object], int]:
        """
        Register an open connection and return its counting function.

        Call the function with each message. It returns what to do then: ``REPLY``,
        ``CLOSE``, or 0 to continue.
        """
        opened_ns = time.monotonic_ns()
        connection = Connection(self._expected)
        with self._lock:
            if not self._opened:
                self._opened_ns = opened_ns
            self._opened.append(connection)
        return connection.replied if self._is_replying else connection.counted

    def finish(self) -> None:
        """
        Print the result.

        If messages are missing, ``received_ns`` is the time of this call.
        """
        now_ns = time.monotonic_ns()
        instants = [each.received_ns or now_ns for each in self._opened]
        result = {
            "event": "result",
            "connections": len(self._opened),
            "messages": sum(each.messages for each in self._opened),
            "opened_ns": self._opened_ns,
            "received_ns": max(instants, default=now_ns),
        }
        print(json.dumps(result, separators=(",", ":")), flush=True)

    def fail(self, error: Exception) -> NoReturn:
        """Exit with a one-line reason why nothing can be received."""
        exit_with(self.url, error)


def exit_with(url: str, error: Exception) -> NoReturn:
    """Exit with a one-line reason why nothing can be received from an address."""
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    sys.exit(f"cannot receive from {url}: {reason}")
