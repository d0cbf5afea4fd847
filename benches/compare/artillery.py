"""
Comparison with Artillery, a load generator with scenarios in YAML.

Artillery has the same core, one worker thread, the same server, the same time and the
same work apart from response times, which it does not record: each virtual user has a
socket and repeats a step ``send`` with ``match``, which awaits the answer and compares
it. The speed without ``match``, where answers are ignored, is shown in the details.

Where there is a choice, it favors Artillery. Its start and the arrival of its virtual
users are not in the window. The message is JSON: Artillery parses each answer, and of
another text it would catch an exception. Each answer has a timer of 10 s, which by
default does not expire in the window.

Functions in JavaScript, which the scenario calls, count the messages of the window and
end the loops: Artillery's own counters have periods of 10 s, and the server does not
count echoes. The kernel gives the CPU time of all threads and child processes.
"""

import json
import shutil
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from rich.console import Console

from autostrada.errors import EngineError
from autostrada.machine.process import Command
from autostrada.stats.ratio import median_ratio

from .bench import LIMIT_S, BenchProgram, BenchSetup, Document, MessageCost
from .loads import closed_loop
from .peers import cost_of_events, install
from .table import ENGINE, Bar, Rows, Skipped, alternate, speed, speed_row

VERSION = "2.0.21"
FOLDER = Path(".build/artillery")
SCENARIOS = Path(__file__).parents[1] / "artillery"

CONNECTIONS = 64
BAR = Bar(relation="≥", value=5)
ARRIVALS_PER_S = 500
"""Connections that Artillery opens in a second; it can open more."""

ARTILLERY = "Artillery"
SENDING = "Artillery without match"


def artillery_rows(bench: BenchSetup) -> Rows:
    """Measure the engine and Artillery alternately."""
    what = f"echo, {CONNECTIONS} connections, a core, beside {ARTILLERY} {VERSION}"
    missing = build(bench.console)
    if missing is not None:
        yield Skipped(what=what, why=missing)
        return
    contenders = {
        ENGINE: partial(closed_loop, bench, CONNECTIONS),
        ARTILLERY: partial(artillery_echo, bench, "echo.yml"),
        SENDING: partial(artillery_echo, bench, "send.yml"),
    }
    costs = alternate(what, bench, contenders)
    by_cpu = {name: [each.cpu_ns for each in costs[name]] for name in costs}
    by_clock = [
        speed(f"{name}, by the clock", [each.wall_ns for each in costs[name]])
        for name in (ENGINE, ARTILLERY)
    ]
    ratio = median_ratio(by_cpu[SENDING], by_cpu[ENGINE])
    sending = (
        f"{speed(SENDING, by_cpu[SENDING])}; "
        f"{ratio.value:.2f} × ({ratio.low:.2f} to {ratio.high:.2f})"
    )
    yield speed_row(what, by_cpu, ARTILLERY, BAR, [*by_clock, sending])


def build(console: Console) -> str | None:
    """Install Artillery if it is not; return the reason if that is impossible."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            return f"{program} is missing: apt install nodejs npm"
    FOLDER.mkdir(parents=True, exist_ok=True)
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(FOLDER)]
    command = Command(
        arguments=["npm", "install", *options, f"artillery@{VERSION}"],
        folder=Path(),
    )
    return install(FOLDER / VERSION, command, console)


def artillery_echo(bench: BenchSetup, name: str) -> MessageCost:
    """Measure a scenario that exchanges messages."""
    sizes = bench.sizes
    variables = {"WARM_UP_S": str(sizes.warm_up_s), "WINDOW_S": str(sizes.window_s)}
    with (
        bench.serving() as url,
        scenario(bench, name, f"{url}/echo", CONNECTIONS, variables) as artillery,
    ):
        return cost_of_events(artillery, events(artillery.lines()))


def scenario(
    bench: BenchSetup,
    name: str,
    url: str,
    connections: int,
    variables: Mapping[str, str],
    limit_s: float = LIMIT_S,
) -> BenchProgram:
    """Start Artillery with a scenario, on the client's core."""
    return BenchProgram(
        arguments(name, url, connections),
        cpus=bench.host.client_cpus,
        environment={
            **variables,
            "CONNECTIONS": str(connections),
            "ARTILLERY_DISABLE_TELEMETRY": "true",
        },
        limit_s=limit_s,
    )


def arguments(name: str, url: str, connections: int) -> list[str]:
    """Return the command line of a scenario whose virtual users arrive evenly."""
    # Artillery runs a phase with a count, instead of a rate, in one worker thread.
    duration_s = -(-connections // ARRIVALS_PER_S)
    phases = [{"arrivalCount": connections, "duration": duration_s}]
    return [
        *(str(FOLDER / "node_modules/.bin/artillery"), "run", "--quiet"),
        *("--target", url),
        *("--overrides", json.dumps({"config": {"phases": phases}})),
        str(SCENARIOS / name),
    ]


def events(lines: Iterable[str]) -> Iterator[Document]:
    """
    Yield the events of a scenario's functions up to ``end``.

    Raises:
        EngineError: Artillery ends before; the message has its last lines.
    """
    others: deque[str] = deque(maxlen=5)
    for line in lines:
        if not line.startswith('{"event":'):
            others.append(line.strip())
            continue
        event: Document = json.loads(line)
        yield event
        if event["event"] == "end":
            return
    raise EngineError(f"Artillery ended early: {' '.join(others)}")
