"""Cost of observing many idle processes, and many connections of one process."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice

from autostrada.engine.plans import observe_plan
from autostrada.engine.process import observe_arguments, send_document
from autostrada.errors import EngineError
from autostrada.stats.interval import median_interval
from autostrada.stats.ratio import median_ratio

from .bench import BINARIES, BenchSetup, Document, cpu_ns
from .crowd import OPENING_S, PLAIN_BYTES, connection_keys, shortage
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
    with ExitStack() as stack:
        sleepers = (bench.client(["sleep", "3600"]) for _ in range(count))
        pids = [stack.enter_context(each).pid for each in sleepers]
        processes = {f"idle {pid}": pid for pid in pids}
        return _compared(bench, what, processes, bench.sizes.window_s, IDLE_BAR)


def _connections_row(bench: BenchSetup) -> BenchRow | Skipped:
    connections = bench.sizes.observed_connections
    what = f"CPU time of a sample of {connections:,} connections"
    if missing := shortage(connections, PLAIN_BYTES):
        return Skipped(what=what, why=missing)
    window_s = bench.sizes.observed_window_s
    with _owner(bench, connections) as pid:
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
def _owner(bench: BenchSetup, connections: int) -> Iterator[int]:
    """Run a client with open connections to a server; yield the client's process id."""
    keys = connection_keys(connections)
    cpus = frozenset(os.sched_getaffinity(0))
    phases = {"opening_s": OPENING_S, "window_s": 2 * OPENING_S}
    schedule = {"kind": "constant", "rate_per_s": BUSY_PER_S}
    threads = {"threads": keys["threads"]}
    with bench.serving(threads, path="/echo", cpus=cpus) as url:
        plan = keys | {
            "url": url,
            "workload": {"kind": "echo", "schedule": schedule, "phases": phases},
            "connections": connections,
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
    with bench.client(arguments, limit_s=4 * window_s) as observer:
        plan = observe_plan(processes=processes, every_ms=EVERY_MS)
        send_document(observer, plan)
        lines = observer.lines()
        # The first sample opens files that stay open.
        first = list(islice(lines, 2))[1:]
        before_ns = cpu_ns(observer.pid)
        printed = [*first, *islice(lines, round(window_s * 1000 / EVERY_MS))]
        used_ns = cpu_ns(observer.pid) - before_ns
    return ObserverCost(list(map(json.loads, printed)), used_ns, len(printed[-1]))


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
    with bench.client(arguments, limit_s=limit_s) as program:
        *_, last = program.lines()
    return int(last) / count


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
