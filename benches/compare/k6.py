"""
Comparison with k6, a load generator with scripts in JavaScript.

k6 has the same core, one processor (``GOMAXPROCS``), the same server, the same time
and the same work: it compares each echo and records its response time in a metric.
Each of its two APIs is used in its faster way: with ``k6/ws`` each socket has a virtual
user, with ``k6/websockets`` one virtual user has all sockets.

Speeds are messages per second of CPU time. Only the engine's receive speed is per
elapsed second, although the engine often waits for the server: this favors k6.
"""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

from rich.console import Console

from autostrada.errors import EngineError
from autostrada.machine.memory import cpu_ns
from autostrada.machine.process import Command, run_to_end

from .bench import LIMIT_S, BenchProgram, BenchSetup
from .echo import LIMIT_S as LOAD_LIMIT_S
from .echo import PLAIN, SLEEPING
from .echo import client as echo_client
from .receive import engine_ns
from .slices import SlicedClient, fastest_row, slices
from .table import ENGINE, Bar, Rows, Skipped, alternate, speed_row

VERSION = "v1.8.1"
FOLDER = Path(".build/k6")
SCRIPTS = Path(__file__).parents[1] / "k6"
APIS = ("k6/ws", "k6/websockets")
"""Modules of k6 with WebSocket APIs."""

CONNECTIONS = 64
MESSAGES = 1_000_000
ECHO_BAR = Bar(relation="≥", value=5)
RECEIVE_BAR = Bar(relation="≥", value=100)
FLAGS = (
    *("--quiet", "--no-usage-report", "--no-thresholds"),
    *("--log-output=stdout", "--log-format=raw"),
)
WITHOUT_METRICS = "--summary-mode=disabled"
INSTALL_LIMIT_S = 1800.0


def k6_rows(bench: BenchSetup) -> Rows:
    """Measure echoes of the engine and both APIs of k6 in slices, and receiving."""
    echo = f"echo, {CONNECTIONS} connections, a core, by CPU time, k6 {VERSION}"
    receive = f"receive, a core, k6 {VERSION}"
    missing = build(bench.console)
    if missing is not None:
        yield Skipped(what=echo, why=missing)
        yield Skipped(what=receive, why=missing)
        return
    kind = replace(PLAIN, client=SLEEPING)
    clients = {ENGINE: echo_client(bench, ENGINE, CONNECTIONS, kind)} | {
        api: SlicedClient(
            connections=CONNECTIONS,
            serve=partial(bench.serving, path="/echo"),
            start=partial(endless_echo, bench, api),
        )
        for api in APIS
    }
    yield fastest_row(echo, ECHO_BAR, slices(echo, bench, clients), by_cpu=True)
    contenders = {ENGINE: partial(engine_ns, bench)} | {
        api: partial(receive_ns, bench, api) for api in APIS
    }
    samples = alternate(receive, bench, contenders)
    fastest = min(APIS, key=lambda api: median(samples[api]))
    yield speed_row(f"{receive}, beside {fastest}", samples, fastest, RECEIVE_BAR)


def build(console: Console) -> str | None:
    """Build k6 if it is not built; return the reason if that is impossible."""
    marker = FOLDER / VERSION
    if marker.exists():
        return None
    if shutil.which("go") is None:
        return "Go is missing: https://go.dev/dl, and put its bin folder on the PATH"
    command = Command(
        arguments=["go", "install", f"go.k6.io/k6@{VERSION}"],
        folder=Path(),
        environment={"GOBIN": str(FOLDER.absolute())},
    )
    console.print(f"installing k6 {VERSION}")
    try:
        status, output = run_to_end(command, limit_s=INSTALL_LIMIT_S)
    except TimeoutError:
        return f"go install took more than {INSTALL_LIMIT_S:.0f} s"
    if status != 0:
        return f"go install failed: {output}"
    marker.touch()
    return None


def endless_echo(bench: BenchSetup, api: str, url: str) -> BenchProgram:
    """Start k6's closed loop."""
    script, variables = f"echo_{Path(api).name}.js", {"CONNECTIONS": f"{CONNECTIONS}"}
    return run(bench, script, {"URL": url} | variables, limit_s=LOAD_LIMIT_S)


def receive_ns(bench: BenchSetup, api: str) -> float:
    """Return k6's CPU time per received message, in nanoseconds."""
    script, flags = f"receive_{Path(api).name}.js", (WITHOUT_METRICS,)
    with bench.serving() as url:
        variables = {"URL": f"{url}/{MESSAGES}", "MESSAGES": f"{MESSAGES}"}
        with run(bench, script, variables, flags) as k6:
            await_line(k6, "begin")
            before_ns = cpu_ns([k6.pid])
            await_line(k6, "end")
            return (cpu_ns([k6.pid]) - before_ns) / MESSAGES


def run(
    bench: BenchSetup,
    script: str,
    variables: dict[str, str],
    flags: tuple[str, ...] = (),
    limit_s: float = LIMIT_S,
) -> BenchProgram:
    """Start k6 with a script, on the client's core and with one processor."""
    arguments = [FOLDER / "k6", "run", *FLAGS, *flags, SCRIPTS / script]
    return bench.client(arguments, variables | {"GOMAXPROCS": "1"}, limit_s=limit_s)


def await_line(k6: BenchProgram, expected: str) -> None:
    """
    Read the next line of a script.

    Raises:
        EngineError: it is a message of k6 itself, which reports only failures.
    """
    line = next(k6.lines(), None)
    if line != expected:
        raise EngineError(f"k6 says {line!r}")
