"""Cost of observing many idle processes, and many connections of one process."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice

from autostrada.engine.plans import observe_plan
from autostrada.engine.process import observe_arguments, send_document
from autostrada.errors import EngineError
from autostrada.machine.memory import cpu_ns
from autostrada.stats.ratio import median_ratio

from .bench import BINARIES, BenchSetup, Document
from .crowd import OPENING_S, PLAIN_BYTES, connection_keys, shortage
from .table import ENGINE, Bar, BenchRow, Rows, Skipped, alternate, ratio_row, spread

EVERY_MS = 100
IDLE_PROCESSES = 100
CONNECTIONS = 10_000
CONNECTIONS_WINDOW_S = 10.0
OWNER = "owner"
BARE = "bare system calls"
IDLE_BAR = Bar(relation="≤", value=2.5)
CONNECTIONS_BAR = Bar(relation="≤", value=1.5)

BUSY_PER_S = 1000
"""Echoes on all connections together, so that their owner runs between two samples."""

Processes = Mapping[str, int]
"""The IDs of processes, by name."""


def observe_rows(bench: BenchSetup) -> Rows:
    """Compare the CPU time of a sample with that of the system calls that it needs."""
    what = f"CPU time of a sample of {IDLE_PROCESSES:,} idle processes"
    with ExitStack() as stack:
        sleepers = (bench.client(["sleep", "3600"]) for _ in range(IDLE_PROCESSES))
        pids = [stack.enter_context(each).pid for each in sleepers]
        processes = {f"idle {pid}": pid for pid in pids}
        yield _compared(bench, what, processes, bench.window_s, IDLE_BAR)
    what = f"CPU time of a sample of {CONNECTIONS:,} connections"
    if missing := shortage(CONNECTIONS, PLAIN_BYTES):
        yield Skipped(what=what, why=missing)
        return
    with _owner(bench) as pid:
        yield _compared(
            bench, what, {OWNER: pid}, CONNECTIONS_WINDOW_S, CONNECTIONS_BAR
        )


def _compared(
    bench: BenchSetup, what: str, processes: Processes, window_s: float, bar: Bar
) -> BenchRow:
    """Measure the observer and the bare system calls of its samples alternately."""
    model, _ = _observe(bench, processes, window_s)
    contenders: dict[str, Callable[[], float]] = {
        ENGINE: lambda: _observe(bench, processes, window_s)[1],
        BARE: lambda: _bare_ns(bench, model, [*processes.values()]),
    }
    costs_ns = alternate(what, bench, contenders)
    details = [
        f"{name}: {spread([each / 1e3 for each in costs_ns[name]])} µs a sample"
        for name in costs_ns
    ]
    shares = [cost_ns / (EVERY_MS * 1e4) for cost_ns in costs_ns[ENGINE]]
    details.append(f"every {EVERY_MS} ms, {spread(shares, '.2f')} % of a core")
    if OWNER in processes:
        details.append(sampled_sockets(model))
    return ratio_row(what, median_ratio(*costs_ns.values()), bar, details)


@contextmanager
def _owner(bench: BenchSetup) -> Iterator[int]:
    """Run a client with open connections to a server; yield the client's process id."""
    keys = connection_keys(CONNECTIONS)
    cpus = frozenset(os.sched_getaffinity(0))
    phases = {"opening_s": OPENING_S, "window_s": 2 * OPENING_S}
    schedule = {"kind": "constant", "rate_per_s": BUSY_PER_S}
    threads = {"threads": keys["threads"]}
    with bench.serving(threads, path="/echo", cpus=cpus) as url:
        plan = keys | {
            "url": url,
            "workload": {"kind": "echo", "schedule": schedule, "phases": phases},
            "connections": CONNECTIONS,
        }
        with bench.loading(plan, cpus=cpus, limit_s=3 * OPENING_S) as client:
            opened = 0
            for line in map(json.loads, client.lines()):
                opened += line.get("opened", 0)
                if opened >= CONNECTIONS:
                    break
            client.drain()
            yield client.pid


def _observe(
    bench: BenchSetup, processes: Processes, window_s: float
) -> tuple[Sequence[str], float]:
    """
    Observe processes for some time; return the samples, as they were printed.

    The second value is the CPU time per sample, in nanoseconds, without the first one,
    which opens files that stay open.
    """
    arguments = observe_arguments(bench.engine)
    with bench.client(arguments, limit_s=4 * window_s) as observer:
        plan = observe_plan(processes=processes, every_ms=EVERY_MS)
        send_document(observer, plan)
        lines = observer.lines()
        first = list(islice(lines, 2))[1:]
        before_ns = cpu_ns([observer.pid])
        further = list(islice(lines, round(window_s * 1000 / EVERY_MS)))
        used_ns = cpu_ns([observer.pid]) - before_ns
    if not further:
        raise EngineError("the observer ended too early")
    return [*first, *further], used_ns / len(further)


def _bare_ns(bench: BenchSetup, model: Sequence[str], pids: Sequence[int]) -> float:
    """Make the system calls of as many samples; return the CPU time per sample."""
    snapshots = _snapshots(model)
    sockets = 0
    if snapshots:
        sockets = sum(each["sampled"] for each in snapshots[-1].values())
    snapshot_every = round(len(model) / max(1, len(snapshots)))
    numbers = (EVERY_MS, len(model), len(model[-1]), sockets, snapshot_every, *pids)
    limit_s = 4 * len(model) * EVERY_MS / 1000
    last = bench.run(BINARIES / "bare-observe", *numbers, limit_s=limit_s)
    return int(last) / len(model)


def _snapshots(samples: Sequence[str]) -> list[Document]:
    """Return the sockets of the samples that have any."""
    documents = map(json.loads, samples)
    return [each["sockets"] for each in documents if each.get("sockets")]


def sampled_sockets(samples: Sequence[str]) -> str:
    """Describe how many samples have sockets, and the sampled connections."""
    found = _snapshots(samples)
    if not found:
        return "no sample has sockets"
    last = found[-1][OWNER]
    return (
        f"{len(found):,} of {len(samples):,} samples have sockets, "
        f"{last['sampled']:,} of {last['connections']:,}"
    )
