"""Processes that the rows need: the engine as server and client, and other clients."""

import json
import os
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any, Self

from rich.console import Console

from autostrada.engine.messages import FORMAT, Ready, ServeResult
from autostrada.engine.plans import serve_plan
from autostrada.engine.process import (
    LINE_BYTES_MAX,
    load_arguments,
    send_document,
    serve_arguments,
)
from autostrada.errors import EngineError
from autostrada.machine.host import Host
from autostrada.machine.process import Command, Process

LIMIT_S = 60.0
BINARIES = Path(os.environ.get("CARGO_TARGET_DIR", "target"), "release")

_ADDRESSES = (IPv4Address("127.1.0.1") + number for number in count())
"""A new address for each server, so that closed connections do not interfere."""

Document = dict[str, Any]
"""A plan, or a line of the engine: ``docs/format.md``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Sizes and durations of the measurements, and the number of rounds."""

    rounds: int
    window_s: float
    warm_up_s: float
    receive_messages: int
    harness_messages: int
    k6_messages: int
    plain_connections: int
    tls_connections: int
    tls_ticks: int
    crowd_connections: int
    observed_processes: int
    observed_connections: int
    observed_window_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageCost:
    """Cost of one message: elapsed time and the client's CPU time."""

    wall_ns: float
    cpu_ns: float


class BenchProgram:
    """A running program and its output lines; it is killed at exit."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        cpus: frozenset[int] | None = None,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        limit_s: float = LIMIT_S,
    ) -> None:
        """Start the program; it has failed if it takes longer than ``limit_s``."""
        self._name = Path(arguments[0]).name
        self._limit_s = limit_s
        self._deadline_s = time.monotonic() + limit_s
        command = Command(
            arguments=arguments,
            folder=folder or Path(),
            environment=environment or {},
            cpus=cpus,
            line_bytes_max=LINE_BYTES_MAX,
            is_measured=True,
        )
        self._stack = ExitStack()
        self._process = self._stack.enter_context(Process(command))

    def __enter__(self) -> Self:
        """Return the program."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the program if it has not ended."""
        self._process.kill()
        self._stack.close()

    @property
    def pid(self) -> int:
        """Id of its process and of its process group."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it is no longer running."""
        return self._process.status() is not None

    def send(self, document: Document) -> None:
        """Write a document to its stdin as a line."""
        send_document(self._process, document)

    def lines(self) -> Iterator[str]:
        """
        Yield all lines of its stdout.

        Raises:
            EngineError: it fails, or takes too long.
        """
        try:
            while (line := self._process.read_line(self._deadline_s)) is not None:
                yield line
            status = self._process.wait(self._deadline_s)
        except TimeoutError as error:
            raise EngineError(
                f"{self._name} took more than {self._limit_s:.0f} s"
            ) from error
        if status != 0:
            raise EngineError(
                f"{self._name} ended with {status}: {self._process.stderr_tail}"
            )

    def serve_result(self) -> ServeResult:
        """
        Return the result of a server of one connection, after its end.

        Raises:
            EngineError: it fails, takes too long, or prints no result.
        """
        # The line of the last second may follow the result.
        lines = [each for each in self.lines() if json.loads(each)["event"] == "result"]
        if not lines:
            raise EngineError(f"{self._name} printed no result")
        return ServeResult.model_validate_json(lines[-1])

    def drain(self) -> None:
        """Discard further output, so that the program never blocks on writing."""
        drainer = Thread(target=self._discard_lines)
        drainer.start()
        # The thread must end before the pipe is closed.
        self._stack.callback(drainer.join)

    def _discard_lines(self) -> None:
        # A server ends only because it is killed.
        with suppress(EngineError):
            deque(self.lines(), maxlen=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchSetup:
    """Environment and sizes of the measurements."""

    engine: Path
    host: Host
    sizes: Sizes
    console: Console
    contestants: Sequence[str] = ()
    """Contestants for ``harness`` and ``pushes``; empty: those of the section."""

    peers: Path | None = None
    """Folder of the other load generators, for ``generators``."""

    command: str = ""
    """Command that repeats the current measurements."""

    @contextmanager
    def serving(
        self, further: Document | None = None, *, cpus: frozenset[int] | None = None
    ) -> Iterator[str]:
        """Run the engine as a server, by default on the server core; yield its URL."""
        with self.server(further, cpus=cpus) as (server, url):
            server.drain()
            yield url

    @contextmanager
    def server(
        self, further: Document | None = None, *, cpus: frozenset[int] | None = None
    ) -> Iterator[tuple[BenchProgram, str]]:
        """Run the engine as a server; yield its program and its URL."""
        plan = serve_plan(listen=f"{next(_ADDRESSES)}:0", congestion_control="reno")
        arguments = serve_arguments(self.engine)
        limit_s = 2 * 3600.0
        with BenchProgram(
            arguments, cpus=cpus or self.host.server_cpus, limit_s=limit_s
        ) as server:
            server.send(plan | (further or {}))
            ready = next(server.lines(), None)
            if ready is None:
                raise EngineError("the server ended before it was ready")
            yield server, Ready.model_validate_json(ready).url

    @contextmanager
    def loading(
        self,
        plan: Document,
        *,
        cpus: frozenset[int] | None = None,
        limit_s: float = LIMIT_S,
    ) -> Iterator[BenchProgram]:
        """Run the engine as a client, by default on the client's core."""
        arguments = load_arguments(self.engine)
        with BenchProgram(
            arguments, cpus=cpus or self.host.client_cpus, limit_s=limit_s
        ) as client:
            client.send({"format": FORMAT} | plan)
            yield client

    def load(self, plan: Document) -> Document:
        """
        Run the engine as a client; return its result.

        Raises:
            EngineError: it fails, or its result has failures.
        """
        with self.loading(plan) as client:
            *_, last = client.lines()
        return complete(json.loads(last))

    def run(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        folder: Path | None = None,
    ) -> list[str]:
        """
        Run another client on the client's core; return its lines.

        Raises:
            EngineError: it fails, or takes too long.
        """
        with self.client(arguments, environment, folder=folder) as program:
            return list(program.lines())

    def client(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        folder: Path | None = None,
    ) -> BenchProgram:
        """Start another client on the client's core."""
        return BenchProgram(
            arguments,
            cpus=self.host.client_cpus,
            environment=environment,
            folder=folder,
        )


def complete(result: Document) -> Document:
    """
    Return a result of ``load`` that is complete.

    Raises:
        EngineError: the result has failures, or the load ended early.
    """
    if result["failures"] or result["ended"] != "complete":
        why = result["failures"] or result["ended"]
        raise EngineError(f"the plan was not completed: {why}")
    return result
