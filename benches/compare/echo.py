"""
Echo speed compared with bare loops, and of two threads compared with one.

A bare loop, ``benches/src/bare_echo``, does no more than such a client must: it reads,
decrypts or decompresses what the row names, and sends the next message.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from .bench import BINARIES, BenchProgram, BenchSetup, Document
from .certificate import CLIENT_TLS, SERVER_TLS, renew_certificates
from .slices import SlicedClient, fastest_row, slices
from .table import ENGINE, Bar, Rows

MESSAGE = "T" * 20
LIMIT_S = 900.0
"""Time after which echoes without an end have failed."""

SLEEPING: Document = {"busy_poll_us": 0}
"""What a plan adds if the kernel's CPU time of the client is its metric."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EchoKind:
    """An echo that the engine and bare loops exchange with the engine's server."""

    name: str
    connections: Sequence[int]
    bar: Bar
    bare: Mapping[str, Sequence[str]]
    """The options of the bare loops, by their names."""

    server: Document = field(default_factory=dict)
    """What the server's plan adds."""

    client: Document = field(default_factory=dict)
    """What the engine's plan adds."""


PLAIN = EchoKind(
    name="echo",
    connections=(64, 1000, 10_000),
    bar=Bar(relation="≥", value=0.98),
    bare={"epoll": (), "io_uring": ("--uring",)},
)
KINDS = (
    PLAIN,
    EchoKind(
        name="echo with permessage-deflate",
        connections=(64, 1000),
        bar=Bar(relation="≥", value=0.9),
        bare={"zlib-rs": ("--deflate",)},
        server={"compression": {}},
        client={"compression": {}},
    ),
    EchoKind(
        name="echo over TLS 1.3",
        connections=(64, 1000),
        bar=Bar(relation="≥", value=0.95),
        bare={"rustls": ("--tls", CLIENT_TLS["ca_file"])},
        server={"tls": SERVER_TLS, "listen": "127.0.0.1:0"},
        client={"tls": CLIENT_TLS},
    ),
)

SLICES_PER_ROUND = {64: 1, 1000: 1, 10_000: 2}
"""Slices of a round by the number of connections: on many, they differ more."""

THREADS = 2
THREADS_CONNECTIONS = 1000
THREADS_BAR = Bar(relation="≥", value=0.9)


def echo_rows(bench: BenchSetup) -> Rows:
    """Measure the engine and bare loops against servers of the engine."""
    for kind in KINDS:
        if "tls" in kind.server:
            renew_certificates()
        for connections in kind.connections:
            beside = "bare loops" if len(kind.bare) > 1 else "a bare loop"
            what = f"{kind.name}, {connections:,} connections, a core, beside {beside}"
            names = (ENGINE, *kind.bare)
            clients = {name: client(bench, name, connections, kind) for name in names}
            found = slices(
                what, bench, clients, slices_per_round=SLICES_PER_ROUND[connections]
            )
            yield fastest_row(what, kind.bar, found)


def threads_rows(bench: BenchSetup) -> Rows:
    """
    Measure two threads beside one by the CPU time of an echo.

    The server needs a core, too, so that two threads never have two cores for
    themselves here. If they have, they are faster than one by twice this ratio.
    """
    what = f"echo in {THREADS} threads beside one, by CPU time"
    cpus = bench.host.client_cpus | bench.host.server_cpus
    plan = SLEEPING | {"connections": THREADS_CONNECTIONS}
    clients = {
        name: SlicedClient(
            connections=THREADS_CONNECTIONS,
            serve=partial(bench.serving, path="/echo"),
            start=partial(endless_echo, bench, plan | {"threads": threads}, cpus=cpus),
        )
        for name, threads in ((ENGINE, THREADS), ("one thread", 1))
    }
    yield fastest_row(what, THREADS_BAR, slices(what, bench, clients), by_cpu=True)


def client(
    bench: BenchSetup, name: str, connections: int, kind: EchoKind
) -> SlicedClient:
    """Return the engine or a bare loop, with a server of the engine."""
    if name == ENGINE:
        plan = kind.client | {"connections": connections}
        start = partial(endless_echo, bench, plan)
    else:
        start = partial(bare_program, bench, connections, kind.bare[name])
    serve = partial(bench.serving, kind.server, path="/echo")
    return SlicedClient(connections=connections, serve=serve, start=start)


def endless_echo(
    bench: BenchSetup,
    plan: Document,
    url: str,
    *,
    cpus: frozenset[int] | None = None,
) -> BenchProgram:
    """Start a closed loop of the engine that ends when it is killed."""
    phases = {"warm_up_s": 0, "window_s": LIMIT_S}
    workload = {"kind": "echo", "payload": {"text": MESSAGE}, "phases": phases}
    plan = plan | {"url": url, "workload": workload}
    return bench.loading(plan, cpus=cpus, limit_s=LIMIT_S)


def bare_program(
    bench: BenchSetup, connections: int, options: Sequence[str], url: str
) -> BenchProgram:
    """Start a bare loop on the client's core."""
    address = url.partition("://")[2].partition("/")[0]
    arguments = [BINARIES / "bare-echo", address, connections, *options]
    return bench.client(arguments, limit_s=LIMIT_S)
