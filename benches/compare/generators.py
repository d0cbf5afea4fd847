"""
Echoes beside those of other load generators, against uWebSockets in C++.

Only the engine compares each answer with its message and records response times from
when a message was due.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.errors import EngineError
from autostrada.runner.endpoints import BuiltProgram

from .bench import BenchProgram, BenchSetup, Document
from .certificate import CLIENT_TLS, SERVER_TLS, renew_certificates
from .echo import LIMIT_S, MESSAGE, endless_echo
from .programs import build, echo_server
from .slices import SlicedClient, fastest_row, slices
from .table import ENGINE, Bar, Rows, Skipped

BAR = Bar(relation="≥", value=1, low=0.97)
SLICES_PER_ROUND = 3

PEERS = {
    "gcannon": Path("gcannon/gcannon"),
    "load_test": Path("uWebSockets/benchmarks/load_test"),
}
"""Programs in the folder of peers; their source is what stands before the first /."""

PLAIN = ("gcannon", "load_test")
OVER_TLS = ("load_test",)
ECHOES = (
    ("echo", 64, PLAIN),
    ("echo", 1000, PLAIN),
    # load_test opens one connection after the other, which takes minutes.
    ("echo", 10_000, ("gcannon",)),
    ("echo over TLS 1.3", 64, OVER_TLS),
    ("echo over TLS 1.3", 1000, OVER_TLS),
)
"""What is exchanged, on how many connections, and by which peers."""


def generator_rows(bench: BenchSetup) -> Rows:
    """Measure the engine and the peers in a folder in turn."""
    if missing := lacking(bench.peers):
        yield Skipped(what="echo beside load generators", why=missing)
        return
    server = build(uwebsockets(), "server", bench.console.print)
    for kind, connections, peers in ECHOES:
        what = f"{kind}, {connections:,} connections, a core, beside load generators"
        if peers is OVER_TLS:
            renew_certificates()
        clients = {
            name: SlicedClient(
                connections=connections,
                serve=partial(serving, bench, server, peers is OVER_TLS),
                start=partial(started, bench, name, connections),
            )
            for name in (ENGINE, *peers)
        }
        try:
            found = slices(what, bench, clients, slices_per_round=SLICES_PER_ROUND)
        except EngineError as error:
            yield Skipped(what=what, why=f"failed: {error}")
            continue
        versions = {name: version(bench.peers, name) for name in peers}
        yield fastest_row(what, BAR, found, versions)


def lacking(peers: Path | None) -> str:
    """Return what is missing; empty if nothing is."""
    if peers is None:
        return "make bench PEERS=folder names the folder of the other generators"
    for path in PEERS.values():
        if not (peers / path).exists():
            return f"{peers / path} is missing: benches/README.md says how it is built"
    return ""


def version(peers: Path | None, name: str) -> str:
    """Return the commit from which a peer was built."""
    folder = (peers or Path()) / PEERS[name].parts[0]
    command = ["git", "-C", str(folder), "describe", "--tags", "--always"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    return told.stdout.strip()


def uwebsockets() -> Contestant:
    """Return the contestant with uWebSockets in C++."""
    return next(
        each
        for each in find_catalog().contestants().values()
        if each.manifest.library == "uWebSockets" and each.manifest.language == "cpp"
    )


@contextmanager
def serving(
    bench: BenchSetup, server: BuiltProgram, is_encrypted: bool
) -> Iterator[str]:
    """Run a contestant's server; yield the URL of its echo."""
    if is_encrypted:
        certificate, key = SERVER_TLS.values()
        variables = {"TLS_CERT": certificate, "TLS_KEY": key}
        server = replace(server, environment={**server.environment, **variables})
    with echo_server(bench, server) as (_, url):
        yield url.replace("ws://", "wss://") if is_encrypted else url


def started(bench: BenchSetup, name: str, connections: int, url: str) -> BenchProgram:
    """Start a generator on the client's core."""
    scheme, _, address = url.partition("://")
    is_encrypted = scheme == "wss"
    if name == ENGINE:
        plan: Document = {"connections": connections}
        if is_encrypted:
            plan["tls"] = CLIENT_TLS
        return endless_echo(bench, plan, url)
    options: tuple[object, ...]
    if name == "gcannon":
        options = (f"http://{address}", "--ws", "--ws-msg", MESSAGE, "-c", connections)
        options += ("-t", 1, "-p", 1, "-d", f"{LIMIT_S:.0f}")
    else:
        host, _, port = address.partition("/")[0].partition(":")
        options = (connections, host, port, int(is_encrypted), 0, len(MESSAGE))
    program = (bench.peers or Path()) / PEERS[name]
    return bench.client([program, *options], limit_s=LIMIT_S)
