"""
Clients of echo servers, compared in slices of a quarter of a second or more.

Each client keeps one message in flight on each connection to a server of its own. All
are connected, and one at a time runs, for a slice, while the others are stopped
(SIGSTOP). What slows down the machine for longer than a round therefore slows down all
of them. The kernel of the server counts the answers: the segments with data that it has
sent, which are one for each answer while one message is in flight.

Each round has one slice of each client or, for a narrower interval, several, in turn as
the trials of a start (``runner/turns.py``). Servers and clients are started again
several times, because one start can be luckier than another.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import reduce
from operator import add
from statistics import median
from typing import TypeVar

from rich.progress import track

from autostrada.errors import EngineError
from autostrada.machine.memory import cpu_ns
from autostrada.machine.process import on_cpus
from autostrada.runner.turns import TurnTaking, in_turn

from .bench import BenchProgram, BenchSetup
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
    turns = ROUNDS_PER_START * slices_per_round
    with on_cpus(bench.host.server_cpus):
        for start in track(range(STARTS), what, transient=True, console=bench.console):
            running = [
                _turns(str(name), client, turns) for name, client in clients.items()
            ]
            for position, taken, _ in in_turn([running], random.Random(start)):
                found[names[position]] += [
                    reduce(add, taken[first : first + slices_per_round])
                    for first in range(0, turns, slices_per_round)
                ]
    return found


def _turns(name: str, client: SlicedClient, turns: int) -> TurnTaking[list[Slice]]:
    """
    Start a client and its server; yield before each of its turns; return its slices.

    Between its turns the client is stopped.

    Raises:
        EngineError: it has ended, or exchanged nothing.
    """
    with client.serve() as url, client.start(url) as program:
        program.drain()
        port = _port_of(url)
        _await_exchange(name, client, program, port)
        taken: list[Slice] = []
        while len(taken) < turns:
            if (yield):
                continue
            before, busy_ns = sum(answers(port)), cpu_ns([program.pid])
            lasted_ns = _run(program, client.slice_s)
            echoes = sum(answers(port)) - before
            if echoes <= 0:
                raise EngineError(f"{name} exchanged nothing")
            taken.append(Slice(echoes, lasted_ns, cpu_ns([program.pid]) - busy_ns))
        return taken


def _await_exchange(
    name: str, client: SlicedClient, program: BenchProgram, port: int
) -> None:
    """
    Let a client run until messages have been answered on each connection.

    Raises:
        EngineError: it has ended, or that takes too long.
    """
    ends_s = time.monotonic() + OPEN_LIMIT_S
    while True:
        _run(program, SLICE_S)
        found = sorted(answers(port))
        connections = client.connections
        if len(found) >= connections and found[-connections] >= ANSWERS_MIN:
            return
        if program.status() is not None or time.monotonic() > ends_s:
            raise EngineError(
                f"{name} has {len(found):,} of {connections:,} connections open, and "
                f"not all of them exchange messages"
            )


def _run(program: BenchProgram, time_s: float) -> int:
    """Let a client run for a time; return how long it ran, in nanoseconds."""
    began_ns = time.monotonic_ns()
    os.kill(program.pid, signal.SIGCONT)
    time.sleep(time_s)
    # Measured processes have precedence: while they need both cores, ss would wait.
    os.kill(program.pid, signal.SIGSTOP)
    return time.monotonic_ns() - began_ns


def _port_of(url: str) -> int:
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
    *,
    by_cpu: bool = False,
) -> BenchRow:
    """
    Compare the engine's speed with that of the fastest other client.

    With ``by_cpu`` the speed is that of the client's CPU time.
    """
    rates = {name: [each.rate_per_s for each in found[name]] for name in found}
    costs = {name: [each.cpu_ns for each in found[name]] for name in found}
    per_cpu = {name: [1 / cost for cost in costs[name]] for name in costs}
    speeds = per_cpu if by_cpu else rates
    others = [name for name in found if name != ENGINE]
    fastest = max(others, key=lambda name: median(speeds[name]))
    details = [f"the fastest other one is {fastest}"] if len(others) > 1 else []
    for name in found:
        shown = f"{name} {(versions or {}).get(name, '')}".rstrip()
        rate, cpu_us = median(rates[name]), median(costs[name]) / 1e3
        text = f"{shown}: {rate:,.0f} messages/s, {cpu_us:.2f} µs of CPU time each"
        if name != ENGINE:
            by_clock = paired_ratio(rates[ENGINE], rates[name])
            by_cost = paired_ratio(costs[name], costs[ENGINE])
            text += f"; {ENGINE} {times(by_clock)}, by CPU time {times(by_cost)}"
        details.append(text)
    return ratio_row(what, paired_ratio(speeds[ENGINE], speeds[fastest]), bar, details)
