"""
Comparison with k6, a load generator with scripts in JavaScript.

k6 has the same core, one processor (``GOMAXPROCS``), the same server, the same time
and the same work: it compares each echo and records its response time in a metric.
The speed of k6 when it only counts, without summary and thresholds and therefore
without collecting metrics, is shown in the details. Each of its two APIs has a row
and is used in its faster way: with ``k6/ws`` each socket has a virtual user, with
``k6/websockets`` one virtual user has all sockets.

Speeds are messages per second of CPU time. Only the engine's receive speed is per
elapsed second, although the engine often waits for the server: this favors k6.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.console import Console

from autostrada.errors import EngineError
from autostrada.machine.process import Command, run_to_end

from .bench import LIMIT_S, BenchProgram, BenchSetup, cpu_ns
from .echo import LIMIT_S as LOAD_LIMIT_S
from .echo import PLAIN, SLEEPING
from .echo import client as echo_client
from .receive import engine_ns
from .slices import SlicedClient, slices
from .table import (
    ENGINE,
    Bar,
    Rows,
    Skipped,
    alternate,
    paired_ratio,
    ratio_row,
    speed,
    speed_row,
)

VERSION = "v1.8.1"
FOLDER = Path(".build/k6")
SCRIPTS = Path(__file__).parents[1] / "k6"
APIS = ("k6/ws", "k6/websockets")
"""Modules of k6 with WebSocket APIs."""

CONNECTIONS = 64
ECHO_BAR = Bar(relation="≥", value=5)
RECEIVE_BAR = Bar(relation="≥", value=100)
FLAGS = (
    *("--quiet", "--no-usage-report", "--no-thresholds"),
    *("--log-output=stdout", "--log-format=raw"),
)
WITHOUT_METRICS = "--summary-mode=disabled"
INSTALL_LIMIT_S = 1800.0


def k6_rows(bench: BenchSetup) -> Rows:
    """Measure the engine and both APIs of k6 alternately."""
    echo = f"echo, {CONNECTIONS} connections, a core, k6 {VERSION}"
    receive = f"receive, a core, k6 {VERSION}"
    missing = build(bench.console)
    if missing is not None:
        yield Skipped(what=echo, why=missing)
        yield Skipped(what=receive, why=missing)
        return
    yield from echo_rows(echo, bench)
    received = {ENGINE: partial(engine_ns, bench)} | {
        api: partial(k6_receive_ns, bench, api) for api in APIS
    }
    samples = alternate(receive, bench, received)
    for api in APIS:
        yield speed_row(f"{receive}, beside {api}", samples, api, RECEIVE_BAR)


def echo_rows(what: str, bench: BenchSetup) -> Rows:
    """Measure echoes of the engine and of both APIs, in slices."""
    kind = replace(PLAIN, client=SLEEPING)
    clients = {ENGINE: echo_client(bench, ENGINE, CONNECTIONS, kind)}
    for api in APIS:
        for name, checks in ((api, True), (counting(api), False)):
            clients[name] = SlicedClient(
                connections=CONNECTIONS,
                serve=partial(bench.serving, path="/echo"),
                start=partial(endless_script, bench, api, checks),
            )
    found = slices(what, bench, clients)
    costs = {name: [each.cpu_ns for each in found[name]] for name in found}
    for api in APIS:
        only = counting(api)
        ratio = paired_ratio(costs[only], costs[ENGINE])
        details = [speed(name, costs[name]) for name in (ENGINE, api, only)]
        details[-1] += f"; {ratio.value:.2f} × ({ratio.low:.2f} to {ratio.high:.2f})"
        beside = paired_ratio(costs[api], costs[ENGINE])
        yield ratio_row(f"{what}, beside {api}", beside, ECHO_BAR, details)


def endless_script(bench: BenchSetup, api: str, checks: bool, url: str) -> BenchProgram:
    """Start k6's closed loop; without ``checks`` it only counts."""
    variables = {
        "URL": url,
        "CONNECTIONS": str(CONNECTIONS),
        "WORK": "check" if checks else "count",
    }
    flags = () if checks else (WITHOUT_METRICS,)
    name = f"echo_{Path(api).name}.js"
    return script(bench, name, variables, flags=flags, limit_s=LOAD_LIMIT_S)


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


def counting(api: str) -> str:
    """Return the name of an API whose script only counts."""
    return f"{api} that only counts"


def k6_receive_ns(bench: BenchSetup, api: str) -> float:
    """Return k6's CPU time per received message, in nanoseconds."""
    messages = bench.sizes.k6_messages
    with bench.serving() as url:
        variables = {"URL": f"{url}/{messages}", "MESSAGES": str(messages)}
        name = f"receive_{Path(api).name}.js"
        with script(bench, name, variables, flags=(WITHOUT_METRICS,)) as k6:
            await_line(k6, "begin")
            before_ns = cpu_ns(k6.pid)
            await_line(k6, "end")
            return (cpu_ns(k6.pid) - before_ns) / messages


def script(
    bench: BenchSetup,
    name: str,
    variables: Mapping[str, str],
    *,
    flags: Sequence[str] = (),
    limit_s: float = LIMIT_S,
) -> BenchProgram:
    """Start k6 with a script, on the client's core and with one processor."""
    return bench.client(
        [str(FOLDER / "k6"), "run", *FLAGS, *flags, str(SCRIPTS / name)],
        {**variables, "GOMAXPROCS": "1"},
        limit_s=limit_s,
    )


def await_line(k6: BenchProgram, expected: str) -> None:
    """
    Read the next line of a script.

    Raises:
        EngineError: it is a message of k6 itself, which reports only failures.
    """
    line = next(k6.lines(), None)
    if line != expected:
        raise EngineError(f"k6 says {line!r}")
