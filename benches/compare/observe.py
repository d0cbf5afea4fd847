"""Cost of observing many idle processes, and many connections of one process."""

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
from autostrada.engine.process import observe_arguments
from autostrada.errors import EngineError
from autostrada.machine.process import find_setpriv
from autostrada.stats.interval import median_interval
from autostrada.stats.ratio import median_ratio

from .bench import BINARIES, BenchProgram, BenchSetup, Document
from .crowd import CONNECT_PENDING_MAX, OPENING_S
from .limits import PLAIN_BYTES, ConnectionResources
from .table import ENGINE, Bar, BenchRow, Rows, Skipped, alternate, ratio_row

EVERY_MS = 100
OWNER = "owner"
BARE = "bare system calls"
IDLE_BAR = Bar(relation="≤", value=2.5)
CONNECTIONS_BAR = Bar(relation="≤", value=1.5)

BUSY_PER_S = 1000
"""Echoes on all connections together, so that their owner runs between two samples."""


def observe_rows(bench: BenchSetup) -> Rows:
    """Compare the CPU time of a sample with that of the system calls that it needs."""
    yield _idle_row(bench)
    yield _connections_row(bench)


def _idle_row(bench: BenchSetup) -> BenchRow:
    count = bench.sizes.observed_processes
    what = f"CPU time of a sample of {count:,} idle processes"
    with idle_processes(count) as pids:
        processes = {f"idle {pid}": pid for pid in pids}
        return _compared(bench, what, processes, bench.sizes.window_s, IDLE_BAR)


def _connections_row(bench: BenchSetup) -> BenchRow | Skipped:
    connections = bench.sizes.observed_connections
    what = f"CPU time of a sample of {connections:,} connections"
    machine = ConnectionResources.this()
    if missing := machine.shortage(connections, PLAIN_BYTES):
        return Skipped(what=what, why=missing)
    window_s = bench.sizes.observed_window_s
    with _owner(bench, machine, connections) as pid:
        return _compared(bench, what, {OWNER: pid}, window_s, CONNECTIONS_BAR)


def _compared(
    bench: BenchSetup, what: str, processes: dict[str, int], window_s: float, bar: Bar
) -> BenchRow:
    """Measure the observer and the bare system calls of its samples alternately."""
    model = _observe(bench, processes, window_s)
    contenders = {
        ENGINE: partial(_observed_ns, bench, processes, window_s),
        BARE: partial(_bare_ns, bench, model, list(processes.values())),
    }
    samples = alternate(what, bench, contenders)
    costs = {name: median_interval(each).median for name, each in samples.items()}
    details = [f"{name}: {cost / 1e3:,.0f} µs a sample" for name, cost in costs.items()]
    share = 100 * costs[ENGINE] / (EVERY_MS * 1e6)
    details.append(f"every {EVERY_MS} ms, {share:.2f} % of a core")
    details += [sampled_sockets(model.samples)] if OWNER in processes else []
    ratio = median_ratio(samples[ENGINE], samples[BARE])
    return ratio_row(what, ratio, bar, details)


@contextmanager
def idle_processes(count: int) -> Iterator[list[int]]:
    """Run ``count`` idle processes; yield their process ids."""
    arguments = [find_setpriv(), "--pdeathsig", "KILL", "--", "sleep", "3600"]
    processes = [Popen(arguments) for _ in range(count)]
    try:
        yield [process.pid for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextmanager
def _owner(
    bench: BenchSetup, machine: ConnectionResources, connections: int
) -> Iterator[int]:
    """Run a client with open connections to a server; yield the client's process id."""
    threads = machine.threads(connections)
    cpus = frozenset(os.sched_getaffinity(0))
    phases = {"opening_s": OPENING_S, "window_s": 2 * OPENING_S}
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
class ObserverCost:
    """The samples of an observer, and the CPU time of all except the first."""

    samples: Sequence[Document]
    cpu_ns: int
    line_bytes: int = 0
    """Length of the last line."""

    @property
    def sample_ns(self) -> float:
        """
        CPU time per sample, in nanoseconds.

        Raises:
            EngineError: there are fewer than two samples.
        """
        if len(self.samples) < 2:
            raise EngineError("the observer ended too early")
        return self.cpu_ns / (len(self.samples) - 1)


def _observe(
    bench: BenchSetup, processes: dict[str, int], window_s: float
) -> ObserverCost:
    """Observe processes for ``window_s`` seconds."""
    arguments = observe_arguments(bench.engine)
    with BenchProgram(
        arguments, cpus=bench.host.client_cpus, limit_s=4 * window_s
    ) as observer:
        observer.send(observe_plan(processes=processes, every_ms=EVERY_MS))
        lines = observer.lines()
        # The first sample opens files that stay open.
        first = list(islice(lines, 2))[1:]
        before_ns = _cpu_ns(observer.pid)
        printed = [*first, *islice(lines, round(window_s * 1000 / EVERY_MS))]
        cpu_ns = _cpu_ns(observer.pid) - before_ns
    return ObserverCost(list(map(json.loads, printed)), cpu_ns, len(printed[-1]))


def _observed_ns(
    bench: BenchSetup, processes: dict[str, int], window_s: float
) -> float:
    """Return the observer's CPU time per sample, in nanoseconds."""
    return _observe(bench, processes, window_s).sample_ns


def _bare_ns(bench: BenchSetup, model: ObserverCost, pids: list[int]) -> float:
    """Make the system calls of as many samples; return the CPU time per sample."""
    count = len(model.samples)
    snapshots = [each["sockets"] for each in model.samples if each.get("sockets")]
    sockets = (
        sum(each["sampled"] for each in snapshots[-1].values()) if snapshots else 0
    )
    snapshot_every = round(count / len(snapshots)) if snapshots else 1
    numbers = [EVERY_MS, count, model.line_bytes, sockets, snapshot_every, *pids]
    arguments = [str(BINARIES / "bare-observe"), *map(str, numbers)]
    limit_s = 4 * count * EVERY_MS / 1000
    with BenchProgram(
        arguments, cpus=bench.host.client_cpus, limit_s=limit_s
    ) as program:
        *_, last = program.lines()
    return int(last) / count


def _cpu_ns(pid: int) -> int:
    """
    Return the CPU time of a process, in nanoseconds.

    The clock id is Linux's encoding of the process id with 2 for scheduler time:
    ``clock_getcpuclockid(3)``.
    """
    return time.clock_gettime_ns(~pid << 3 | 2)


def sampled_sockets(samples: Sequence[Document]) -> str:
    """Describe how many samples have sockets, and the sampled connections."""
    found = [sample["sockets"][OWNER] for sample in samples if "sockets" in sample]
    if not found:
        return "no sample has sockets"
    last = found[-1]
    return (
        f"{len(found):,} of {len(samples):,} samples have sockets, "
        f"{last['sampled']:,} of {last['connections']:,}"
    )
