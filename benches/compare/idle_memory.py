"""
Memory of idle connections of the engine, k6 and Artillery, to the same server.

The metric is the whole memory, which is what a machine must have. The details show the
memory of each connection as well: the difference to a run with few connections. It is
too low for a program that collects garbage, because the memory of its start is free for
connections. It favors the others that the highest reading of the engine and the lowest
of theirs counts, and that k6 has one processor and collects no metrics.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autostrada.errors import AutostradaError, EngineError
from autostrada.machine.memory import descendants_of, resident_bytes

from . import artillery, k6
from .bench import BenchProgram, BenchSetup, Document
from .crowd import Crowd, CrowdMetrics, idle_crowd, memory_each
from .limits import PLAIN_BYTES, ConnectionResources
from .peers import open_files
from .table import ENGINE, Bar, BenchRow, Rows, Skipped

FEW_CONNECTIONS = 10
"""Connections of the small run."""

HELD_S = 5
LIMIT_S = 300.0
OPENED_PER_S = 1000
"""Connections that k6 opens in a second; it can open more."""

BAR = Bar(relation="≥", value=20)

VIRTUAL_USER_BYTES = 512 * 1024
"""More than a virtual user of k6 with a socket needs, at both ends."""

SOCKET_BYTES = 128 * 1024
"""More than a further socket in JavaScript needs, at both ends."""

Metrics = tuple[CrowdMetrics, CrowdMetrics]
"""Of few connections, and of all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Peer:
    """Another load generator, which opens connections and holds them."""

    name: str
    missing: str | None
    """Why it cannot run here; ``None`` if it can."""

    bytes_each: int
    start: Callable[[str, int], BenchProgram]
    """Starts it with a URL and a number of connections."""

    events: Callable[[Iterable[str]], Iterable[Document]]
    """Parses its lines: each event has the number of ``connections`` that opened."""

    def shortage(self, machine: ConnectionResources, connections: int) -> str | None:
        """Describe what it lacks here, or return ``None``."""
        return (
            self.missing
            or machine.shortage(connections, self.bytes_each)
            or machine.client_shortage(connections)
        )


def idle_memory_rows(bench: BenchSetup) -> Rows:
    """Measure the engine, then each of the others."""
    connections = bench.sizes.idle_connections
    what = f"memory of {connections:,} idle connections"
    machine = ConnectionResources.this()
    if missing := machine.shortage(connections, PLAIN_BYTES):
        yield Skipped(what=what, why=missing)
        return
    crowd = idle_crowd(bench, machine, connections)
    ours = both(partial(engine_held, crowd), connections)
    for peer in peers(bench):
        name = f"{what}, {peer.name} beside {ENGINE}"
        if missing := peer.shortage(machine, connections):
            yield Skipped(what=name, why=missing)
            continue
        threads = machine.threads(connections)
        try:
            theirs = both(partial(peer_held, bench, peer, threads), connections)
        except AutostradaError as error:
            yield Skipped(what=name, why=f"failed: {error}")
            continue
        yield memory_row(name, ours, theirs, peer.name)


def both(held: Callable[[int], CrowdMetrics], connections: int) -> Metrics:
    """Measure few connections, and all."""
    return held(FEW_CONNECTIONS), held(connections)


def peers(bench: BenchSetup) -> Iterator[Peer]:
    """Install the other load generators, and yield them."""
    for api, bytes_each in zip(
        k6.APIS, (VIRTUAL_USER_BYTES, SOCKET_BYTES), strict=True
    ):
        yield Peer(
            name=f"{api} {k6.VERSION}",
            missing=k6.build(bench.console),
            bytes_each=bytes_each,
            start=partial(start_k6, bench, f"idle_{Path(api).name}.js"),
            events=k6.events,
        )
    yield Peer(
        name=f"{artillery.ARTILLERY} {artillery.VERSION}",
        missing=artillery.build(bench.console),
        bytes_each=SOCKET_BYTES,
        start=partial(start_artillery, bench),
        events=artillery.events,
    )


def start_k6(bench: BenchSetup, name: str, url: str, connections: int) -> BenchProgram:
    """Start a script of k6 that opens connections and holds them."""
    variables = {
        "URL": url,
        "CONNECTIONS": str(connections),
        "OPENED_PER_S": str(OPENED_PER_S),
    }
    flags = (k6.WITHOUT_METRICS,)
    return k6.script(bench, name, variables, flags=flags, limit_s=LIMIT_S)


def start_artillery(bench: BenchSetup, url: str, connections: int) -> BenchProgram:
    """Start a scenario of Artillery that opens connections and holds them."""
    return artillery.scenario(bench, "idle.yml", url, connections, {}, LIMIT_S)


def engine_held(crowd: Crowd, connections: int) -> CrowdMetrics:
    """Hold connections with the engine; return the highest memory."""
    metrics = crowd.measure(connections, HELD_S)
    if metrics.lost:
        raise EngineError(f"{metrics.lost:,} connections were lost")
    return metrics


def peer_held(
    bench: BenchSetup, peer: Peer, threads: int, connections: int
) -> CrowdMetrics:
    """Hold connections with another program; return the lowest memory."""
    with (
        bench.serving({"threads": threads}) as url,
        peer.start(f"{url}/echo", connections) as program,
    ):
        await_opened(peer.events(program.lines()), connections)
        lowest = min(readings(program.pid))
        if open_files(program.pid) < connections:
            raise EngineError("connections were lost")
    return CrowdMetrics(connections=connections, resident_bytes=lowest)


def await_opened(events: Iterable[Document], connections: int) -> None:
    """
    Read events until all connections are open.

    Raises:
        EngineError: there are no more events.
    """
    opened = 0
    for event in events:
        opened += event["connections"]
        if opened >= connections:
            return
    raise EngineError(f"{opened:,} of {connections:,} connections were opened")


def readings(pid: int) -> Iterator[int]:
    """Yield the resident memory of a process and its descendants, once a second."""
    for _ in range(HELD_S):
        time.sleep(1)
        yield resident_bytes(descendants_of(pid))


def memory_row(what: str, ours: Metrics, theirs: Metrics, name: str) -> BenchRow:
    """Return the row of their memory as a multiple of the engine's."""
    return BenchRow(
        what=what,
        metric=theirs[1].resident_bytes / ours[1].resident_bytes,
        unit="×",
        bar=BAR,
        details=(shown(ENGINE, ours), shown(name, theirs)),
    )


def shown(name: str, metrics: Metrics) -> str:
    """Format the memory of a connection, and the whole memory."""
    whole = ", ".join(
        f"{each.resident_bytes / 2**20:,.1f} MiB with {each.connections:,}"
        for each in metrics
    )
    return f"{name}: {memory_each(*metrics) / 1024:,.2f} KiB per connection; {whole}"
