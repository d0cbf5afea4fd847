"""Counts a client's messages and prints its result: contract, section 3."""

from __future__ import annotations

import json
import math
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TextIO

from .variables import read_choice, read_count, read_or_exit, read_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from .variables import Environment

CONTINUE, REPLY, CLOSE = range(3)
"""What a client does after a message: receive the next one, send it back, or close."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientSettings:
    """Settings of a client."""

    url: str
    connections: int = 1
    messages: float = math.inf
    """Messages of each connection; infinite: until the server closes."""

    is_replying: bool = False
    deflate: bool = False

    @classmethod
    def read(cls, environment: Environment) -> ClientSettings:
        """Read a client's variables; raise a SettingsError that names a wrong one."""
        return cls(
            url=read_url(environment),
            connections=read_count(environment, "CONNECTIONS", "1"),
            messages=read_count(environment, "MESSAGES")
            if "MESSAGES" in environment
            else math.inf,
            is_replying=read_choice(environment, "VERB", ("count", "reply")) == "reply",
            deflate=bool(read_choice(environment, "COMPRESSION", ("", "deflate"))),
        )


class Connection:
    """The messages of one connection."""

    __slots__ = ("_clock", "_expected", "messages", "received_ns")

    def __init__(self, expected: float, clock: Callable[[], int]) -> None:
        self._expected = expected
        self._clock = clock
        self.messages = 0
        # Time at which the last expected message arrived. Other messages are not timed:
        # reading the clock costs more than counting.
        self.received_ns: int | None = None

    def counted(self) -> int:
        """Count one message; return what to do then."""
        self.messages += 1
        if self.messages < self._expected:
            return CONTINUE
        if self.received_ns is None:
            self.received_ns = self._clock()
            return CLOSE
        self.messages -= 1
        return CONTINUE

    def replied(self) -> int:
        """Count one message that is sent back."""
        self.messages += 1
        return REPLY


class Client:
    """
    Count the messages of all connections of a client and print the result.

    Call ``opened`` for each connection, the returned function for each message, and
    ``finish`` when all connections have ended. Call ``fail`` if nothing can be
    received.
    """

    def __init__(
        self, settings: ClientSettings, *, clock: Callable[[], int], output: TextIO
    ) -> None:
        self.url = settings.url
        self.connections = settings.connections
        self.deflate = settings.deflate
        self._expected = settings.messages
        self._is_replying = settings.is_replying
        self._clock = clock
        self._output = output
        self._opened: list[Connection] = []
        self._opened_ns = 0
        self._lock = threading.Lock()

    @classmethod
    def from_environment(cls) -> Client:
        """Create the client that the environment variables describe."""
        settings = read_or_exit(ClientSettings.read)
        return cls(settings, clock=time.monotonic_ns, output=sys.stdout)

    def opened(self) -> Callable[[], int]:
        """
        Register an open connection and return its counting function.

        Call the function for each message. It returns what to do then: ``REPLY``,
        ``CLOSE``, or 0 to continue.
        """
        opened_ns = self._clock()
        connection = Connection(self._expected, self._clock)
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
        now_ns = self._clock()
        instants = [each.received_ns or now_ns for each in self._opened]
        result = {
            "event": "result",
            "connections": len(self._opened),
            "messages": sum(each.messages for each in self._opened),
            "opened_ns": self._opened_ns,
            "received_ns": max(instants, default=now_ns),
        }
        line = json.dumps(result, separators=(",", ":"))
        print(line, file=self._output, flush=True)

    def fail(self, error: Exception) -> NoReturn:
        """Exit with a one-line reason why nothing can be received."""
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        sys.exit(f"cannot receive from {self.url}: {reason}")
