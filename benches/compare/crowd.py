"""Many connections with an echo a minute: how fast they open, and their memory."""

import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autostrada.engine.plans import ConnectionLimits
from autostrada.errors import EngineError
from autostrada.machine.memory import available_bytes, resident_bytes
from autostrada.machine.ports import descriptors_max, outgoing_ports

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

ECHO_EVERY_S = 60
SCHEDULE = {"kind": "constant", "rate_per_s": 1 / ECHO_EVERY_S, "per": "connection"}

PLAIN_BYTES = 16 * 1024
"""Memory of a plain connection: two sockets in the kernel, and both engines."""

TLS_BYTES = 48 * 1024
"""Memory of a TLS connection: two sockets in the kernel, and both engines."""

PLAIN_BAR = Bar(relation="≤", value=1)
TLS_BAR = Bar(relation="≤", value=6)
OPENED_BAR = Bar(relation="≥", value=1500)
ZERO_BAR = Bar(relation="≤", value=0)


def plain_rows(bench: BenchSetup) -> Rows:
    """Measure plain connections."""
    connections = bench.plain_connections
    what = f"{connections:,} plain connections"
    if missing := shortage(connections, PLAIN_BYTES):
        yield Skipped(what=what, why=missing)
        return
    yield from crowd_rows(what, *measure(bench, connections), memory_bar=PLAIN_BAR)


def tls_rows(bench: BenchSetup) -> Rows:
    """Measure TLS connections."""
    connections = bench.tls_connections
    what = f"{connections:,} TLS 1.3 connections"
    if missing := shortage(connections, TLS_BYTES):
        yield Skipped(what=what, why=missing)
        return
    renew_certificates()
    tls = {"insecure": True, "version": "1.3"}
    few, every = measure(bench, connections, {"tls": SERVER_TLS}, {"tls": tls})
    yield from crowd_rows(what, few, every, memory_bar=TLS_BAR)


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


def measure(
    bench: BenchSetup,
    connections: int,
    server: Document | None = None,
    client: Document | None = None,
) -> tuple[CrowdMetrics, CrowdMetrics]:
    """
    Open few connections, and then all of them, from one client to one server.

    Both use all cores. ``server`` and ``client`` are what their plans add.
    """
    keys = connection_keys(connections)
    cpus = frozenset(os.sched_getaffinity(0))
    serving = (server or {}) | {"threads": keys["threads"]}

    def opened(connections: int, window_s: float) -> CrowdMetrics:
        metrics = CrowdMetrics(connections=connections)
        phases = {"opening_s": OPENING_S, "window_s": window_s}
        plan = (client or {}) | keys | {"connections": connections}
        plan["workload"] = {"kind": "echo", "schedule": SCHEDULE, "phases": phases}
        limit_s = 2 * OPENING_S + window_s
        with (
            bench.serving(serving, path="/echo", cpus=cpus) as url,
            bench.loading(plan | {"url": url}, cpus=cpus, limit_s=limit_s) as load,
        ):
            for line in load.lines():
                metrics.record_line(json.loads(line), resident_bytes([load.pid]))
        if not metrics.result:
            raise EngineError("the client ended without a result")
        return metrics

    few = min(FEW_CONNECTIONS, connections // 2)
    return opened(few, FEW_WINDOW_S), opened(connections, ECHO_EVERY_S)


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


def crowd_rows(
    what: str, few: CrowdMetrics, every: CrowdMetrics, *, memory_bar: Bar
) -> Iterator[BenchRow]:
    """Yield what was lost, how fast connections opened, and the memory of each."""
    yield BenchRow(what=f"{what}, lost", metric=every.lost, bar=ZERO_BAR)
    yield BenchRow(
        what=f"{what}, opened",
        metric=every.connections / every.connected_s,
        unit="per second",
        bar=OPENED_BAR,
        details=(f"all connected after {every.connected_s:.0f} s",),
    )
    added_bytes = every.resident_bytes - few.resident_bytes
    yield BenchRow(
        what=f"{what}, client memory each",
        metric=added_bytes / (every.connections - few.connections) / 1024,
        unit="KiB",
        bar=memory_bar,
        details=(
            f"{every.resident_bytes:,} bytes resident with {every.connections:,}, "
            f"{few.resident_bytes:,} with {few.connections:,}",
        ),
    )
    exchange = every.result["exchange"]
    due = exchange["sent"] + exchange["unsent"]
    yield BenchRow(
        what=f"{what}, unanswered messages",
        metric=due - exchange["echoed"],
        bar=ZERO_BAR,
        details=(f"{exchange['echoed']:,} of {due:,} due messages were echoed",),
    )
