"""``load`` with options beside the same plan on stdin, and how soon it connects."""

import json
import socket
import sys
import time
from functools import partial
from pathlib import Path

from autostrada.stats.interval import median_interval

from .bench import BenchSetup, MessageCost
from .echo import cost, exchange
from .table import ENGINE, Bar, BenchRow, Rows, alternate, speed_row

CONNECTIONS = (64, 1000)
SPEED_BAR = Bar(relation="≥", value=0.97)
PLAN = "a plan on stdin"
LIMIT_S = 20.0

START_BARS_MS = {"autostrada-engine": 50, "autostrada": 500}
"""Most time that each program may take until it connects."""


def command_line_rows(bench: BenchSetup) -> Rows:
    """Measure echoes by options and by a plan, and the start of both programs."""
    for connections in CONNECTIONS:
        contenders = {
            ENGINE: partial(by_options, bench, connections),
            PLAN: partial(by_plan, bench, connections),
        }
        what = f"echo by options, {connections:,} connections, beside {PLAN}"
        echoes = alternate(what, bench, contenders)
        samples = {name: [e.wall_ns for e in each] for name, each in echoes.items()}
        yield speed_row(what, samples, PLAN, SPEED_BAR)
    programs = {
        "autostrada-engine": bench.engine,
        "autostrada": Path(sys.executable).with_name("autostrada"),
    }
    starts = {name: partial(start_ms, bench, path) for name, path in programs.items()}
    for name, times_ms in alternate("start of load", bench, starts).items():
        interval = median_interval(times_ms)
        yield BenchRow(
            what=f"{name} load, until it connects",
            metric=interval.median,
            bounds=(interval.low, interval.high),
            bar=Bar(relation="≤", value=START_BARS_MS[name]),
            unit="ms",
        )


def by_options(bench: BenchSetup, connections: int) -> MessageCost:
    """Measure the closed loop of ``load`` with options."""
    sizes = bench.sizes
    with bench.serving() as url:
        arguments = [str(bench.engine), "load", f"{url}/echo", "-c", str(connections)]
        arguments += ["-d", f"{sizes.window_s}s", "--warm-up", f"{sizes.warm_up_s}s"]
        *_, last = bench.run([*arguments, "--json", "-"])
    return cost(json.loads(last))


def by_plan(bench: BenchSetup, connections: int) -> MessageCost:
    """Measure the same closed loop by a plan."""
    return cost(
        exchange(bench, connections, {"kind": "echo", "reply": {"kind": "next"}})
    )


def start_ms(bench: BenchSetup, program: Path) -> float:
    """Return the time from the start of ``load`` to its first connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(LIMIT_S)
        port = listener.getsockname()[1]
        begun_s = time.monotonic()
        with bench.client([str(program), "load", f"ws://127.0.0.1:{port}"]):
            connection, _ = listener.accept()
            took_s = time.monotonic() - begun_s
            connection.close()
    return 1e3 * took_s
