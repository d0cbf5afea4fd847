"""What it costs to observe: many idle processes, and many connections of one."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from subprocess import Popen

from autostrada.engine.plans import observe_plan
from autostrada.engine.process import observe_words
from autostrada.errors import EngineError
from autostrada.machine.process import find_setpriv
from autostrada.stats.interval import median_interval

from .bench import Bench, Document, Program
from .crowd import CONNECT_PENDING_MAX, OPENING_S
from .limits import PLAIN_BYTES, Machine
from .table import ENGINE, Bar, Row, Rows, Skipped, alternate

EVERY_MS = 100
OWNER = "owner"
SHARE_BAR = Bar(relation="<", value=1)

BUSY_PER_S = 1000
"""Echoes on all connections together: their owner has run before each look."""


def observe_rows(bench: Bench) -> Rows:
    """Measure the share of a core that the engine needs to observe."""
    yield _idle_row(bench)
    yield _connections_row(bench)


def _idle_row(bench: Bench) -> Row:
    count = bench.sizes.observed_processes
    what = f"CPU time of observing {count:,} idle processes every {EVERY_MS} ms"
    with sleepers(count) as pids:
        processes = {f"idle {pid}": pid for pid in pids}
        measure = partial(_idle_share, bench, processes)
        samples = alternate(what, bench, {ENGINE: measure})
    percent = median_interval([100 * share for share in samples[ENGINE]])
    return Row(
        what=what,
        figure=percent.median,
        bounds=(percent.low, percent.high),
        unit="% of a core",
        bar=SHARE_BAR,
    )


def _idle_share(bench: Bench, processes: dict[str, int]) -> float:
    return _observe(bench, processes, bench.sizes.window_s).share


def _connections_row(bench: Bench) -> Row | Skipped:
    connections = bench.sizes.observed_connections
    what = f"CPU time of observing {connections:,} connections every {EVERY_MS} ms"
    machine = Machine.this()
    if missing := machine.shortage(connections, PLAIN_BYTES):
        return Skipped(what=what, why=missing)
    with _owner(bench, machine, connections) as pid:
        # What is dear is done once in many looks: one long window, not many short ones.
        observed = _observe(bench, {OWNER: pid}, bench.sizes.observed_window_s)
    return Row(
        what=what,
        figure=100 * observed.share,
        unit="% of a core",
        bar=SHARE_BAR,
        details=(socket_looks(observed.looks),),
    )


@contextmanager
def sleepers(count: int) -> Iterator[list[int]]:
    """Run so many processes that do nothing."""
    words = [find_setpriv(), "--pdeathsig", "KILL", "--", "sleep", "3600"]
    processes = [Popen(words) for _ in range(count)]
    try:
        yield [process.pid for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextmanager
def _owner(bench: Bench, machine: Machine, connections: int) -> Iterator[int]:
    """Run a client with so many connections, both ends of which are here."""
    threads = machine.threads(connections)
    cpus = frozenset(os.sched_getaffinity(0))
    phases = {"opening_s": OPENING_S, "window_s": OPENING_S}
    schedule = {"kind": "constant", "rate_per_s": BUSY_PER_S}
    with bench.serving({"threads": threads}, cpus=cpus) as url:
        plan = {
            "url": f"{url}/echo",
            "workload": {"kind": "echo", "schedule": schedule, "phases": phases},
            "connections": connections,
            "connect_pending_max": CONNECT_PENDING_MAX,
            "threads": threads,
            "source_addresses": machine.sources(connections),
        }
        with bench.loading(plan, cpus=cpus, limit_s=3 * OPENING_S) as client:
            opened = 0
            for line in map(json.loads, client.lines()):
                opened += line.get("opened", 0)
                if opened >= connections:
                    break
            client.drain()
            yield client.pid


@dataclass(frozen=True, slots=True)
class Observed:
    """What an observer saw, and the CPU time that it took from its first look on."""

    looks: Sequence[Document]
    cpu_ns: int

    @property
    def share(self) -> float:
        """
        The share of a core that the observer used from its first look to its last.

        Raises:
            EngineError: there are no two of them.
        """
        if len(self.looks) < 2:
            raise EngineError("observing ended before its time")
        passed_ns: int = self.looks[-1]["at_ns"] - self.looks[0]["at_ns"]
        return self.cpu_ns / passed_ns


def _observe(bench: Bench, processes: dict[str, int], window_s: float) -> Observed:
    """Observe processes for a while."""
    words = observe_words(bench.engine)
    with Program(words, cpus=bench.host.client_cpus, limit_s=4 * window_s) as observer:
        observer.send(observe_plan(processes=processes, every_ms=EVERY_MS))
        lines = map(json.loads, observer.lines())
        # The first look opens what stays open.
        first = list(islice(lines, 2))[1:]
        before_ns = _cpu_ns(observer.pid)
        looks = [*first, *islice(lines, round(window_s * 1000 / EVERY_MS))]
        return Observed(looks, _cpu_ns(observer.pid) - before_ns)


def _cpu_ns(pid: int) -> int:
    """
    Return the CPU time of a process so far.

    Its clock has the number that Linux gives it, with its 2 for time by the scheduler:
    ``clock_getcpuclockid(3)``.
    """
    return time.clock_gettime_ns(~pid << 3 | 2)


def socket_looks(looks: Sequence[Document]) -> str:
    """Say how many looks were at sockets, and at how many of them."""
    found = [look["sockets"][OWNER] for look in looks if "sockets" in look]
    if not found:
        return "no look was at sockets"
    last = found[-1]
    return (
        f"{len(found):,} of {len(looks):,} looks were at sockets, "
        f"at {last['sampled']:,} of {last['connections']:,}"
    )
