"""
Clients of echo servers, compared in slices of a quarter of a second or more.

Each client keeps one message in flight on each connection to a server of its own. All
are connected, and one at a time runs, for a slice, while the others are stopped
(SIGSTOP). What slows down the machine for longer than a round therefore slows down all
of them. The kernel of the server counts the answers: the segments with data that it has
sent, which are one for each answer while one message is in flight.

Each round has one slice of each client or, for a narrower interval, several. The order
differs. Servers and clients are started again several times, because one start can be
luckier than another.
"""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import reduce
from itertools import cycle, islice
from operator import add
from statistics import median
from typing import TypeVar

from rich.progress import track

from autostrada.errors import EngineError
from autostrada.machine.process import on_cpus

from .bench import BenchProgram, BenchSetup, cpu_ns
from .table import ENGINE, Bar, BenchRow, paired_ratio, ratio_row, times

STARTS = 4
ROUNDS_PER_START = 10
SLICE_S = 0.25
SLICE_S_PER_CONNECTION = 5e-5
OPEN_LIMIT_S = 60.0
"""Time in which a client opens its connections."""

ANSWERS_MIN = 10
"""Answers on a connection once it exchanges messages."""

Name = TypeVar("Name")


@dataclass(frozen=True, kw_only=True, slots=True)
class SlicedClient:
    """How to start a client and its server."""

    connections: int
    serve: Callable[[], AbstractContextManager[str]]
    """Runs a server; yields the URL of its echo."""

    start: Callable[[str], BenchProgram]
    """Starts the client with that URL."""

    @property
    def slice_s(self) -> float:
        """Time of a slice, in which each connection has several answers."""
        return max(SLICE_S, self.connections * SLICE_S_PER_CONNECTION)


@dataclass(frozen=True, slots=True)
class Slice:
    """What a client exchanged in one slice, or in all of a round."""

    echoes: int
    lasted_ns: int
    busy_ns: int
    """CPU time of the client."""

    def __add__(self, other: "Slice") -> "Slice":
        """Return both together."""
        return Slice(
            self.echoes + other.echoes,
            self.lasted_ns + other.lasted_ns,
            self.busy_ns + other.busy_ns,
        )

    @property
    def rate_per_s(self) -> float:
        """Echoes per second."""
        return self.echoes / self.lasted_ns * 1e9

    @property
    def cpu_ns(self) -> float:
        """CPU time of an echo, in nanoseconds."""
        return self.busy_ns / self.echoes


class StoppedClient:
    """A client with open connections, which is stopped, and the port of its server."""

    def __init__(self, program: BenchProgram, client: SlicedClient, port: int) -> None:
        self._program = program
        self._client = client
        self._port = port

    def slice(self) -> Slice:
        """
        Let it run for a slice.

        Raises:
            EngineError: it has ended, or exchanged nothing.
        """
        before, busy_ns = sum(answers(self._port)), cpu_ns(self._program.pid)
        lasted_ns = self._run(self._client.slice_s)
        echoes = sum(answers(self._port)) - before
        if echoes <= 0:
            raise EngineError("a client exchanged nothing")
        return Slice(echoes, lasted_ns, cpu_ns(self._program.pid) - busy_ns)

    def await_exchange(self, name: str) -> None:
        """
        Let it run until messages have been answered on each connection.

        Raises:
            EngineError: it has ended, or that takes too long.
        """
        connections = self._client.connections
        ends_s = time.monotonic() + OPEN_LIMIT_S
        while True:
            self._run(SLICE_S)
            found = sorted(answers(self._port))
            if len(found) >= connections and found[-connections] >= ANSWERS_MIN:
                return
            if self._program.status() is not None or time.monotonic() > ends_s:
                raise EngineError(
                    f"{name} has {len(found):,} of {connections:,} connections open, "
                    f"and not all of them exchange messages"
                )

    def _run(self, time_s: float) -> int:
        """Let it run for a time; return how long it ran, in nanoseconds."""
        began_ns = time.monotonic_ns()
        os.kill(self._program.pid, signal.SIGCONT)
        time.sleep(time_s)
        # Measured processes have precedence: while they need both cores, ss would wait.
        os.kill(self._program.pid, signal.SIGSTOP)
        return time.monotonic_ns() - began_ns


def slices(
    what: str,
    bench: BenchSetup,
    clients: Mapping[Name, SlicedClient],
    *,
    slices_per_round: int = 1,
) -> dict[Name, list[Slice]]:
    """
    Measure all clients; return what each exchanged in each round.

    Raises:
        EngineError: a client or a server fails, or ``ss`` is missing.
    """
    if shutil.which("ss") is None:
        raise EngineError("ss is missing: apt install iproute2")
    names = list(clients)
    found: dict[Name, list[Slice]] = {name: [] for name in names}
    orders = in_order(names)
    with on_cpus(bench.host.server_cpus):
        for _ in track(range(STARTS), what, transient=True, console=bench.console):
            with connected(clients) as stopped:
                for _ in range(ROUNDS_PER_START):
                    parts = [
                        {name: stopped[name].slice() for name in order}
                        for order in islice(orders, slices_per_round)
                    ]
                    for name in names:
                        found[name].append(reduce(add, [each[name] for each in parts]))
    return found


def in_order(names: Sequence[Name]) -> Iterator[list[Name]]:
    """Yield the names in orders with each as often before as after each other."""
    for step in cycle((1, -1)):
        for first in range(len(names)):
            yield [*names[first:], *names[:first]][::step]


@contextmanager
def connected(
    clients: Mapping[Name, SlicedClient],
) -> Iterator[dict[Name, StoppedClient]]:
    """Start the clients one after the other; each is stopped once it exchanges."""
    stopped = {}
    with ExitStack() as stack:
        for name, client in clients.items():
            url = stack.enter_context(client.serve())
            program = stack.enter_context(client.start(url))
            program.drain()
            stopped[name] = StoppedClient(program, client, port_of(url))
            stopped[name].await_exchange(str(name))
        yield stopped


def port_of(url: str) -> int:
    """Return the port of a URL with a port and a path."""
    return int(url.rpartition(":")[2].partition("/")[0])


def answers(port: int) -> list[int]:
    """Return the segments with data that a server has sent on each connection."""
    command = ["ss", "-tinH", "state", "established", f"( sport = :{port} )"]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(each) for each in re.findall(r"data_segs_out:(\d+)", told.stdout)]


def fastest_row(
    what: str,
    bar: Bar,
    found: Mapping[str, list[Slice]],
    versions: Mapping[str, str] | None = None,
) -> BenchRow:
    """Compare the engine's speed with that of the fastest other client."""
    rates = {name: [each.rate_per_s for each in found[name]] for name in found}
    costs = {name: [each.cpu_ns for each in found[name]] for name in found}
    others = [name for name in found if name != ENGINE]
    fastest = max(others, key=lambda name: median(rates[name]))
    details = [f"the fastest other one is {fastest}"] if len(others) > 1 else []
    for name in found:
        shown = f"{name} {(versions or {}).get(name, '')}".rstrip()
        rate, cpu_us = median(rates[name]), median(costs[name]) / 1e3
        text = f"{shown}: {rate:,.0f} messages/s, {cpu_us:.2f} µs of CPU time each"
        if name != ENGINE:
            by_clock = paired_ratio(rates[ENGINE], rates[name])
            by_cpu = paired_ratio(costs[name], costs[ENGINE])
            text += f"; {ENGINE} {times(by_clock)}, by CPU time {times(by_cpu)}"
        details.append(text)
    return ratio_row(what, paired_ratio(rates[ENGINE], rates[fastest]), bar, details)
