"""
Echoes beside those of other load generators, in slices of a quarter of a second.

Each generator keeps one message of 20 bytes in flight on each connection to a server of
its own, of uWebSockets in C++. All are connected, and one at a time runs, for a slice,
while the others are stopped (SIGSTOP). What slows down the machine for longer than a
round therefore slows down all of them. The kernel of the servers counts: the bytes that
they have sent, divided by those of an echo. Only the engine compares each answer with
its message and records response times from when a message was due.

Each round has one slice of each generator, in another order. Servers and generators are
started again several times, because one start can be luckier than another.
"""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.progress import track

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.engine.messages import FORMAT
from autostrada.engine.process import load_arguments
from autostrada.errors import EngineError
from autostrada.machine.process import on_cpus

from .bench import BenchProgram, BenchSetup
from .servers import build_server, echo_server
from .table import ENGINE, Bar, BenchRow, Rows, Skipped, paired_ratio, ratio_row

CONNECTIONS = (64, 1000, 10_000)
MESSAGE = "T" * 20
ECHO_BYTES = 2 + len(MESSAGE)
"""Bytes that the server sends for an echo; what it receives has a mask as well."""

STARTS = 4
ROUNDS_PER_START = 10
SLICE_S = 0.25
LIMIT_S = 600.0

OPEN_LIMIT_S = 240.0
"""Time in which a generator opens its connections: load_test opens them one by one."""

BAR = Bar(relation="≥", value=1)

PEERS = {
    "gcannon": Path("gcannon/gcannon"),
    "load_test": Path("uWebSockets/benchmarks/load_test"),
}
"""Programs in the folder of peers; their source is what stands before the first /."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One slice of a generator."""

    rate_per_s: float
    cpu_ns: float
    """CPU time of an echo, in nanoseconds."""


class Generator:
    """A running generator, which is stopped, and the port of its server."""

    def __init__(self, program: BenchProgram, port: int) -> None:
        self._program = program
        self._port = port

    def stop(self) -> None:
        """Stop it until the next slice."""
        os.kill(self._program.pid, signal.SIGSTOP)

    def slice(self) -> Sample:
        """
        Let it run for a slice.

        Raises:
            EngineError: it has ended, or exchanged nothing.
        """
        sent_bytes, cpu_ns = sum(sent(self._port)), cpu_time_ns(self._program.pid)
        began_ns = time.monotonic_ns()
        os.kill(self._program.pid, signal.SIGCONT)
        time.sleep(SLICE_S)
        self.stop()
        lasted_ns = time.monotonic_ns() - began_ns
        echoes = (sum(sent(self._port)) - sent_bytes) / ECHO_BYTES
        if echoes <= 0:
            raise EngineError("a load generator exchanged nothing")
        cpu_ns = cpu_time_ns(self._program.pid) - cpu_ns
        return Sample(echoes / lasted_ns * 1e9, cpu_ns / echoes)


def generator_rows(bench: BenchSetup) -> Rows:
    """Measure the engine and the peers in a folder in turn."""
    for connections in CONNECTIONS:
        what = f"echo, {connections:,} connections, a core, beside load generators"
        if missing := lacking(bench.peers):
            yield Skipped(what=what, why=missing)
            continue
        try:
            yield generator_row(what, bench, samples(what, bench, connections))
        except EngineError as error:
            yield Skipped(what=what, why=f"failed: {error}")


def lacking(peers: Path | None) -> str:
    """Return what is missing; empty if nothing is."""
    if peers is None:
        return "make bench PEERS=folder names the folder of the other generators"
    for path in PEERS.values():
        if not (peers / path).exists():
            return f"{peers / path} is missing: benches/README.md says how it is built"
    if shutil.which("ss") is None:
        return "ss is missing: apt install iproute2"
    return ""


def generator_row(
    what: str, bench: BenchSetup, found: Mapping[str, Sequence[Sample]]
) -> BenchRow:
    """Compare the engine with the faster one of the peers."""
    rates = {name: [each.rate_per_s for each in found[name]] for name in found}
    fastest = max(PEERS, key=lambda name: median(rates[name]))
    ratio = paired_ratio(rates[ENGINE], rates[fastest])
    details = [f"the faster one is {fastest}"]
    for name in found:
        cpu_ns = median(each.cpu_ns for each in found[name])
        text = f"{median(rates[name]):,.0f} messages/s, {cpu_ns / 1e3:.2f} µs each"
        if name == ENGINE:
            details.append(f"{name}: {text}")
            continue
        beside = paired_ratio(rates[ENGINE], rates[name])
        details.append(
            f"{name} {version(bench.peers, name)}: {text}; "
            f"{ENGINE} {beside.value:.3f} × ({beside.low:.3f} to {beside.high:.3f})"
        )
    return ratio_row(what, ratio, BAR, details)


def version(peers: Path | None, name: str) -> str:
    """Return the commit from which a peer was built."""
    folder = (peers or Path()) / PEERS[name].parts[0]
    command = ["git", "-C", str(folder), "describe", "--tags", "--always"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    return told.stdout.strip()


def samples(what: str, bench: BenchSetup, connections: int) -> dict[str, list[Sample]]:
    """Measure all generators; return their slices, one for each round."""
    names = [ENGINE, *PEERS]
    found: dict[str, list[Sample]] = {name: [] for name in names}
    with on_cpus(bench.host.server_cpus):
        for _ in track(range(STARTS), what, transient=True, console=bench.console):
            with connected(bench, names, connections) as generators:
                for number in range(ROUNDS_PER_START):
                    first = number % len(names)
                    order = names[first:] + names[:first]
                    for name in order[:: -1 if number % 2 else 1]:
                        found[name].append(generators[name].slice())
    return found


@contextmanager
def connected(
    bench: BenchSetup, names: Sequence[str], connections: int
) -> Iterator[dict[str, Generator]]:
    """Start the generators one after the other; each is stopped once it exchanges."""
    server = build_server(uwebsockets(), bench.console.print)
    generators = {}
    with ExitStack() as stack:
        for name in names:
            _, url = stack.enter_context(echo_server(bench, server))
            port = int(url.rpartition(":")[2].partition("/")[0])
            program = stack.enter_context(started(bench, name, url, port, connections))
            generators[name] = Generator(program, port)
            await_exchange(name, port, connections)
            generators[name].stop()
        yield generators


def uwebsockets() -> Contestant:
    """Return the contestant with uWebSockets in C++."""
    return next(
        each
        for each in find_catalog().contestants().values()
        if each.manifest.library == "uWebSockets" and each.manifest.language == "cpp"
    )


def started(
    bench: BenchSetup, name: str, url: str, port: int, connections: int
) -> BenchProgram:
    """Start a generator on the client's core."""
    if name == ENGINE:
        arguments = list(load_arguments(bench.engine))
    else:
        arguments = [str((bench.peers or Path()) / PEERS[name])]
    if name == "gcannon":
        arguments += [url.replace("ws://", "http://"), "--ws", "--ws-msg", MESSAGE]
        arguments += ["-c", str(connections), "-t", "1", "-p", "1"]
        arguments += ["-d", f"{LIMIT_S:.0f}"]
    elif name != ENGINE:
        host = url.removeprefix("ws://").partition(":")[0]
        options = [connections, host, port, 0, 0, len(MESSAGE)]
        arguments += map(str, options)
    cpus = bench.host.client_cpus
    program = BenchProgram(arguments, cpus=cpus, limit_s=LIMIT_S)
    if name == ENGINE:
        workload = {"kind": "echo", "payload": {"text": MESSAGE}}
        phases = {"warm_up_s": 0, "window_s": LIMIT_S}
        plan = {"format": FORMAT, "url": url, "connections": connections}
        program.send(plan | {"workload": workload | {"phases": phases}})
    program.drain()
    return program


def await_exchange(name: str, port: int, connections: int) -> None:
    """
    Wait until a message has been answered on each connection.

    Raises:
        EngineError: that takes too long.
    """
    ends_s = time.monotonic() + OPEN_LIMIT_S
    while True:
        # The answer to the opening request has fewer bytes than so many echoes.
        found = sorted(sent(port))
        if len(found) >= connections and found[-connections] >= 10 * ECHO_BYTES:
            return
        if time.monotonic() > ends_s:
            raise EngineError(
                f"{name} has {len(found):,} of {connections:,} connections open, and "
                f"not all of them exchange messages"
            )
        time.sleep(SLICE_S)


def sent(port: int) -> list[int]:
    """Return the bytes that a server has sent on each of its connections."""
    command = ["ss", "-tinH", "state", "established", f"( sport = :{port} )"]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(each) for each in re.findall(r"bytes_sent:(\d+)", told.stdout)]


def cpu_time_ns(pid: int) -> int:
    """Return the CPU time of a process with all of its threads."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((each / "schedstat").read_text().split()[0]) for each in threads)
