"""Processes that the rows need: the engine as server and client, and other clients."""

import json
import os
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
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


def _size(default: int | float, meaning: str) -> Any:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """
    Sizes and durations of the measurements, and the number of rounds.

    Each is an option of the command line.
    """

    rounds: int = _size(7, "number of rounds")
    window_s: float = _size(2.0, "duration of a measurement of echoes")
    warm_up_s: float = _size(0.5, "warm-up before it")
    receive_messages: int = _size(
        100_000_000, "messages received by the engine and by read()"
    )
    harness_messages: int = _size(
        1_000_000, "messages received by contestants in harness"
    )
    k6_messages: int = _size(1_000_000, "messages received by k6")
    plain_connections: int = _size(50_000, "idle connections in memory")
    tls_connections: int = _size(100_000, "connections in tls")
    tls_ticks: int = _size(10, "updates to each TLS connection in the window")
    crowd_connections: int = _size(1_000_000, "connections in million")
    observed_processes: int = _size(100, "idle processes in observe")
    observed_connections: int = _size(10_000, "connections of one process in observe")
    observed_window_s: float = _size(10.0, "duration of observing connections")


class BenchProgram(Process):
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
        self._drainer: Thread | None = None
        command = Command(
            arguments=arguments,
            folder=folder or Path(),
            environment=environment or {},
            cpus=cpus,
            line_bytes_max=LINE_BYTES_MAX,
            is_measured=True,
        )
        super().__init__(command)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Kill the program if it has not ended."""
        self.kill()
        if self._drainer is not None:
            # It must end before the pipes are closed.
            self._drainer.join()
        super().__exit__(*error)

    def lines(self) -> Iterator[str]:
        """
        Yield all lines of its stdout.

        Raises:
            EngineError: it fails, or takes too long.
        """
        try:
            while (line := self.read_line(self._deadline_s)) is not None:
                yield line
            status = self.wait(self._deadline_s)
        except TimeoutError as error:
            raise EngineError(
                f"{self._name} took more than {self._limit_s:.0f} s"
            ) from error
        if status != 0:
            raise EngineError(f"{self._name} ended with {status}: {self.stderr_tail}")

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
        self._drainer = Thread(target=self._discard_lines)
        self._drainer.start()

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
    """Contestants for ``harness`` and ``same``; empty: those of the section."""

    peers: Path | None = None
    """Folder of the other load generators, for ``generators``."""

    command: str = ""
    """Command that repeats the current measurements."""

    @contextmanager
    def serving(
        self,
        further: Document | None = None,
        *,
        path: str = "",
        cpus: frozenset[int] | None = None,
    ) -> Iterator[str]:
        """Run the engine as a server, by default on the server core; yield its URL."""
        with self.server(further, cpus=cpus) as (server, url):
            server.drain()
            yield f"{url}{path}"

    @contextmanager
    def server(
        self, further: Document | None = None, *, cpus: frozenset[int] | None = None
    ) -> Iterator[tuple[BenchProgram, str]]:
        """Run the engine as a server; yield its program and its URL."""
        plan = serve_plan(listen=f"{next(_ADDRESSES)}:0", congestion_control="reno")
        with self.client(
            serve_arguments(self.engine),
            cpus=cpus or self.host.server_cpus,
            limit_s=2 * 3600.0,
        ) as server:
            send_document(server, plan | (further or {}))
            ready = next(server.lines(), None)
            if ready is None:
                raise EngineError("the server ended before it was ready")
            yield server, Ready.model_validate_json(ready).url

    def loading(
        self,
        plan: Document,
        *,
        cpus: frozenset[int] | None = None,
        limit_s: float = LIMIT_S,
    ) -> BenchProgram:
        """Start the engine as a client, by default on the client's core."""
        arguments = load_arguments(self.engine)
        client = self.client(arguments, cpus=cpus, limit_s=limit_s)
        send_document(client, {"format": FORMAT} | plan)
        return client

    def load(self, plan: Document) -> Document:
        """
        Run the engine as a client; return its result.

        Raises:
            EngineError: it fails, or its result has failures.
        """
        with self.loading(plan) as client:
            *_, last = client.lines()
        return complete(json.loads(last))

    def run(self, *arguments: object) -> str:
        """
        Run another client on the client's core; return its last line.

        Raises:
            EngineError: it fails, or takes too long.
        """
        with self.client(list(map(str, arguments))) as program:
            *_, last = program.lines()
        return last

    def client(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        folder: Path | None = None,
        cpus: frozenset[int] | None = None,
        limit_s: float = LIMIT_S,
    ) -> BenchProgram:
        """Start a program, by default on the client's core."""
        return BenchProgram(
            arguments,
            cpus=cpus or self.host.client_cpus,
            environment=environment,
            folder=folder,
            limit_s=limit_s,
        )


def cpu_ns(pid: int) -> int:
    """
    Return the CPU time of a process, in nanoseconds.

    The clock id is Linux's encoding of the process id with 2 for scheduler time:
    ``clock_getcpuclockid(3)``.
    """
    return time.clock_gettime_ns(~pid << 3 | 2)


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
