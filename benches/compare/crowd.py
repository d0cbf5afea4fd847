"""Many connections: memory, 100,000 TLS connections, 1,000,000 plain connections."""

import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autostrada.engine.plans import ConnectionLimits
from autostrada.errors import EngineError
from autostrada.machine.memory import available_bytes, resident_bytes
from autostrada.machine.ports import descriptors_max, outgoing_ports
from autostrada.stats.buckets import Buckets

from .bench import BenchSetup, Document
from .certificate import SERVER_TLS, renew_certificates
from .table import Bar, BenchRow, Rows, Skipped

FEW_CONNECTIONS = 1000
"""Connections of the small run, whose memory is subtracted."""

FEW_WINDOW_S = 5
OPENING_S = 300
CONNECT_PENDING_MAX = 3000
"""Below the default queue length of a listening socket, 4096."""

UNEVEN_PART = 20
"""One of this many connections is the most that a thread has above the mean."""

TLS_INTERVAL_S = 2
FEED = {"kind": "stocks", "encoding": "json", "every_ms": TLS_INTERVAL_S * 1000}
ECHO_EVERY_S = 60

PLAIN_BYTES = 16 * 1024
"""Memory of a plain connection: two sockets in the kernel, and both engines."""

TLS_BYTES = 48 * 1024
"""Memory of a TLS connection: two sockets in the kernel, and both engines."""

PLAIN_BAR = Bar(relation="≤", value=1)
TLS_BAR = Bar(relation="≤", value=6)
CONNECTED_BAR = Bar(relation="≤", value=66)
ZERO_BAR = Bar(relation="=", value=0)
TICK_BAR = Bar(relation="<", value=TLS_INTERVAL_S)


@dataclass(slots=True)
class CrowdMetrics:
    """Metrics of a crowd, from the client's lines and its process."""

    connections: int
    result: Document = field(default_factory=dict)
    connected_s: float = math.inf
    """Time until all connections were open; infinite if they were not."""
    resident_bytes: int = 0
    """Maximum resident memory of the client while all connections were open."""
    _opened: int = 0

    def record_line(self, line: Document, resident: int) -> None:
        """Process a line and the client's current resident memory."""
        if line["event"] == "result":
            self.result = line
        if line["event"] != "second":
            return
        self._opened += line["opened"]
        if self._opened >= self.connections:
            self.connected_s = min(self.connected_s, line["second"] + 1)
            self.resident_bytes = max(self.resident_bytes, resident)

    @property
    def lost(self) -> int:
        """Number of connections that did not open, plus all failures."""
        unopened = self.connections - int(self.result["connections"])
        failed: int = sum(row["count"] for row in self.result["failures"])
        return unopened + failed


@dataclass(frozen=True, kw_only=True, slots=True)
class Crowd:
    """Many connections from one client to one server, both on all cores."""

    bench: BenchSetup
    connections: int
    server: Document
    """The server's plan without the threads."""
    window_s: float
    workload: Callable[[int, Document], Document]
    """Returns the client's workload for a number of connections and phases."""
    path: str
    client: Document = field(default_factory=dict)
    """The client's plan without workload, threads, addresses and connections."""

    def measure(self, connections: int, window_s: float) -> CrowdMetrics:
        """Open ``connections``, with the threads for all; return the metrics."""
        keys = connection_keys(self.connections)
        cpus = frozenset(os.sched_getaffinity(0))
        phases = {"opening_s": OPENING_S, "window_s": window_s}
        metrics = CrowdMetrics(connections=connections)
        server = self.server | {"threads": keys["threads"]}
        if "feed" in server:
            server["feed"] = server["feed"] | {"subscribers": connections}
        with self.bench.serving(server, path=self.path, cpus=cpus) as url:
            plan = self.client | keys
            plan |= {
                "url": url,
                "workload": self.workload(connections, phases),
                "connections": connections,
            }
            limit_s = 2 * OPENING_S + window_s
            with self.bench.loading(plan, cpus=cpus, limit_s=limit_s) as client:
                for line in client.lines():
                    metrics.record_line(json.loads(line), resident_bytes([client.pid]))
        if not metrics.result:
            raise EngineError("the client ended without a result")
        return metrics

    def rows(self, what: str, memory_bar: Bar) -> Iterator[BenchRow]:
        """Measure few and all connections; yield the rows that every crowd has."""
        few = self.measure(min(FEW_CONNECTIONS, self.connections // 2), FEW_WINDOW_S)
        every = self.measure(self.connections, self.window_s)
        yield BenchRow(what=f"{what}, lost", metric=every.lost, bar=ZERO_BAR)
        bytes_each = memory_each(few, every)
        yield BenchRow(
            what=f"{what}, client memory each",
            metric=bytes_each / 1024,
            unit="KiB",
            bar=memory_bar,
            details=(
                f"{every.resident_bytes:,} bytes resident with {every.connections:,}, "
                f"{few.resident_bytes:,} with {few.connections:,}",
                f"all connected after {every.connected_s:.0f} s",
            ),
        )
        if "feed" in self.server:
            yield from feed_rows(what, every)
        if every.result["exchange"] is not None:
            yield unanswered_row(what, every.result)


def connection_keys(connections: int) -> Document:
    """Return the keys of a client's plan that many connections need."""
    limits = ConnectionLimits(
        descriptors=descriptors_max(), outgoing_ports=outgoing_ports()
    )
    # The kernel divides connections unevenly among the threads of a server.
    keys = limits.load_keys(connections + connections // UNEVEN_PART)
    return keys | {"connect_pending_max": CONNECT_PENDING_MAX}


def shortage(connections: int, bytes_each: int) -> str | None:
    """
    Describe the memory or open files that both ends lack, or return ``None``.

    The engine itself refuses more connections than it has descriptors or ports for.
    """
    needed, available = connections * bytes_each, available_bytes()
    if available < needed:
        return (
            f"{needed / 2**30:.1f} GiB of memory are needed, "
            f"{available / 2**30:.1f} available (MemAvailable)"
        )
    opened, _, files_max = Path("/proc/sys/fs/file-nr").read_text().split()
    files = int(files_max) - int(opened)
    if files < 2 * connections:
        return (
            f"{2 * connections:,} open files are needed, {files:,} allowed "
            f"(sysctl fs.file-max)"
        )
    return None


def memory_rows(bench: BenchSetup) -> Rows:
    """Measure the memory of idle plain connections."""
    connections = bench.sizes.plain_connections
    what = f"{connections:,} plain connections, idle"
    if missing := shortage(connections, PLAIN_BYTES):
        yield Skipped(what=what, why=missing)
        return
    yield from Crowd(
        bench=bench,
        connections=connections,
        server={},
        window_s=FEW_WINDOW_S,
        workload=lambda _, phases: {"kind": "connect", "phases": phases},
        path="/echo",
    ).rows(what, PLAIN_BAR)


def tls_rows(bench: BenchSetup) -> Rows:
    """Measure TLS connections that all receive an update every two seconds."""
    connections, ticks = bench.sizes.tls_connections, bench.sizes.tls_ticks
    what = f"{connections:,} TLS 1.3 connections"
    if missing := shortage(connections, TLS_BYTES):
        yield Skipped(what=what, why=missing)
        return
    renew_certificates()
    # The feed is longer than the window, so that it does not end the connections.
    feed = FEED | {"messages": ticks + OPENING_S}
    yield from Crowd(
        bench=bench,
        connections=connections,
        server={"tls": SERVER_TLS, "feed": feed},
        window_s=ticks * TLS_INTERVAL_S,
        workload=lambda _, phases: {"kind": "receive", "feed": FEED, "phases": phases},
        path="/feed",
        client={"tls": {"insecure": True, "version": "1.3"}},
    ).rows(what, TLS_BAR)


def million_rows(bench: BenchSetup) -> Rows:
    """Measure plain connections with one echo per minute each."""
    connections = bench.sizes.crowd_connections
    what = f"{connections:,} plain connections"
    if missing := shortage(connections, PLAIN_BYTES):
        yield Skipped(what=what, why=missing)
        return
    yield from Crowd(
        bench=bench,
        connections=connections,
        server={},
        window_s=ECHO_EVERY_S,
        workload=one_echo_per_minute,
        path="/echo",
    ).rows(what, PLAIN_BAR)


def one_echo_per_minute(connections: int, phases: Document) -> Document:
    """Return the workload that sends one message per minute on each connection."""
    schedule = {"kind": "constant", "rate_per_s": connections / ECHO_EVERY_S}
    return {"kind": "echo", "schedule": schedule, "phases": phases}


def memory_each(few: CrowdMetrics, many: CrowdMetrics) -> float:
    """Return the client's bytes per additional connection."""
    further = many.connections - few.connections
    return (many.resident_bytes - few.resident_bytes) / further


def feed_rows(what: str, metrics: CrowdMetrics) -> Iterator[BenchRow]:
    """Yield the connection time, lost updates, and the slowest update."""
    yield BenchRow(
        what=f"{what}, connected within",
        metric=metrics.connected_s,
        unit="s",
        bar=CONNECTED_BAR,
    )
    regularity = metrics.result["regularity"]
    judged, on_time = regularity["judged"], regularity["on_time"]
    yield BenchRow(
        what=f"{what}, lost updates",
        metric=regularity["backlog"],
        bar=ZERO_BAR,
        details=(
            f"{on_time:,} of {judged:,} were on time ({on_time / max(1, judged):.3%})",
        ),
    )
    delivery = Buckets(metrics.result["delivery_time_ns"] or ())
    if not delivery.count:
        raise EngineError(f"{what}: no update was received")
    yield BenchRow(
        what=f"{what}, slowest update",
        metric=delivery.longest_ns / 1e9,
        unit="s",
        bar=TICK_BAR,
        details=(f"p99 {delivery.quantile_ns(0.99) / 1e9:.2f} s",),
    )


def unanswered_row(what: str, result: Document) -> BenchRow:
    """Return a row with the number of due messages that were not echoed."""
    exchange = result["exchange"]
    due = exchange["sent"] + exchange["unsent"]
    return BenchRow(
        what=f"{what}, unanswered messages",
        metric=due - exchange["echoed"],
        bar=ZERO_BAR,
        details=(f"{exchange['echoed']:,} of {due:,} due messages were echoed",),
    )
