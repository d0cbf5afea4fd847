"""
Echoes beside those of other load generators, against uWebSockets in C++.

Only the engine compares each answer with its message and records response times from
when a message was due.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.errors import EngineError

from .bare import ProgramCommand
from .bench import BenchProgram, BenchSetup
from .loads import LIMIT_S, MESSAGE, endless_echo
from .servers import build_server, echo_server
from .slices import SlicedClient, fastest_row, slices
from .table import ENGINE, Bar, Rows, Skipped

CONNECTIONS = (64, 1000, 10_000)
BAR = Bar(relation="≥", value=1, low=0.97)

PEERS = {
    "gcannon": Path("gcannon/gcannon"),
    "load_test": Path("uWebSockets/benchmarks/load_test"),
}
"""Programs in the folder of peers; their source is what stands before the first /."""


def generator_rows(bench: BenchSetup) -> Rows:
    """Measure the engine and the peers in a folder in turn."""
    for connections in CONNECTIONS:
        what = f"echo, {connections:,} connections, a core, beside load generators"
        if missing := lacking(bench.peers):
            yield Skipped(what=what, why=missing)
            continue
        server = build_server(uwebsockets(), bench.console.print)
        clients = {
            name: SlicedClient(
                connections=connections,
                serve=partial(serving, bench, server),
                start=partial(started, bench, name, connections),
            )
            for name in (ENGINE, *PEERS)
        }
        try:
            found = slices(what, bench, clients)
        except EngineError as error:
            yield Skipped(what=what, why=f"failed: {error}")
            continue
        versions = {name: version(bench.peers, name) for name in PEERS}
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
def serving(bench: BenchSetup, server: ProgramCommand) -> Iterator[str]:
    """Run a contestant's server; yield the URL of its echo."""
    with echo_server(bench, server) as (_, url):
        yield url


def started(bench: BenchSetup, name: str, connections: int, url: str) -> BenchProgram:
    """Start a generator on the client's core."""
    if name == ENGINE:
        return endless_echo(bench, {"connections": connections}, url)
    arguments = [str((bench.peers or Path()) / PEERS[name])]
    if name == "gcannon":
        arguments += [url.replace("ws://", "http://"), "--ws", "--ws-msg", MESSAGE]
        arguments += ["-c", str(connections), "-t", "1", "-p", "1"]
        arguments += ["-d", f"{LIMIT_S:.0f}"]
    else:
        host, _, rest = url.removeprefix("ws://").partition(":")
        port = rest.partition("/")[0]
        arguments += [str(connections), host, port, "0", "0", str(len(MESSAGE))]
    return BenchProgram(arguments, cpus=bench.host.client_cpus, limit_s=LIMIT_S)
