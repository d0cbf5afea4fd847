"""Processes that the rows need: the engine as server and client, and other clients."""

import json
import os
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any, Self

from rich.console import Console

from autostrada.engine.messages import FORMAT
from autostrada.engine.plans import serve_plan
from autostrada.engine.process import (
    LINE_BYTES_MAX,
    load_arguments,
    read_event,
    send_document,
    serve_arguments,
)
from autostrada.errors import EngineError
from autostrada.machine.host import Host
from autostrada.machine.process import Command, Process

LIMIT_S = 60.0
SERVE_LIMIT_S = 2 * 3600.0
BINARIES = Path(os.environ.get("CARGO_TARGET_DIR", "target"), "release")
WARM_UP_S = 0.5

_ADDRESSES = (IPv4Address("127.1.0.1") + number for number in count())
"""A new address for each server, so that closed connections do not interfere."""

Document = dict[str, Any]
"""A plan, or a line of the engine: ``docs/format.md``."""


class BenchProgram(Process):
    """A running program and its output lines; it is killed at exit."""

    def __init__(self, command: Command, limit_s: float = LIMIT_S) -> None:
        """Start the program; it has failed if it takes longer than ``limit_s``."""
        self._name = Path(command.arguments[0]).name
        self._limit_s = limit_s
        self._deadline_s = time.monotonic() + limit_s
        self._drainer: Thread | None = None
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
    """Environment, sizes and number of rounds of the measurements."""

    engine: Path
    host: Host
    console: Console
    rounds: int
    window_s: float
    """Duration of a measurement of echoes."""

    plain_connections: int
    tls_connections: int
    seed: int
    contestants: Sequence[str]
    """Contestants for ``harness`` and ``same``; empty: those of the section."""

    peers: Path | None
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
            limit_s=SERVE_LIMIT_S,
        ) as server:
            send_document(server, plan | (further or {}))
            yield server, read_event(server, "ready")["url"]

    def loading(
        self,
        plan: Document,
        *,
        cpus: frozenset[int] | None = None,
        limit_s: float = LIMIT_S,
    ) -> BenchProgram:
        """Start the engine as a client, by default on the client's core."""
        client = self.client(load_arguments(self.engine), cpus=cpus, limit_s=limit_s)
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

    def echo(
        self, url: str, connections: int, further: Document | None = None
    ) -> Document:
        """Run a load of echoes, by default a closed loop; return its result."""
        phases = {"warm_up_s": WARM_UP_S, "window_s": self.window_s}
        workload = {"kind": "echo", "phases": phases} | (further or {})
        return self.load({"url": url, "connections": connections, "workload": workload})

    def run(self, *arguments: object, limit_s: float = LIMIT_S) -> str:
        """
        Run another client on the client's core; return its last line.

        Raises:
            EngineError: it fails, or takes too long.
        """
        with self.client(arguments, limit_s=limit_s) as program:
            *_, last = program.lines()
        return last

    def client(
        self,
        arguments: Sequence[object],
        environment: Mapping[str, str] | None = None,
        *,
        folder: Path | None = None,
        cpus: frozenset[int] | None = None,
        limit_s: float = LIMIT_S,
    ) -> BenchProgram:
        """Start a program, by default on the client's core."""
        command = Command(
            arguments=[str(each) for each in arguments],
            folder=folder or Path(),
            environment=environment or {},
            cpus=cpus or self.host.client_cpus,
            line_bytes_max=LINE_BYTES_MAX,
            is_measured=True,
        )
        return BenchProgram(command, limit_s)


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
