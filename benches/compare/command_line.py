"""``load`` with options beside the same plan on stdin, and how soon it connects."""

import socket
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from autostrada.stats.interval import median_interval

from .bench import BenchProgram, BenchSetup
from .echo import LIMIT_S as LOAD_LIMIT_S
from .echo import MESSAGE, PLAIN
from .echo import client as echo_client
from .slices import fastest_row, slices
from .table import ENGINE, Bar, BenchRow, Rows, alternate

CONNECTIONS = (64, 1000)
SPEED_BAR = Bar(relation="≥", value=0.97)
PLAN = "a plan on stdin"
LIMIT_S = 20.0

START_BARS_MS = {"autostrada-engine": 50, "autostrada": 500}
"""Most time that each program may take until it connects."""


def command_line_rows(bench: BenchSetup) -> Rows:
    """Measure echoes by options and by a plan, and the start of both programs."""
    for connections in CONNECTIONS:
        what = f"echo by options, {connections:,} connections, beside {PLAN}"
        by_plan = echo_client(bench, ENGINE, connections, PLAIN)
        by_options = replace(by_plan, start=partial(endless_load, bench, connections))
        found = slices(what, bench, {ENGINE: by_options, PLAN: by_plan})
        yield fastest_row(what, SPEED_BAR, found)
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


def endless_load(bench: BenchSetup, connections: int, url: str) -> BenchProgram:
    """Start the closed loop of ``load`` with options."""
    arguments = [str(bench.engine), "load", url, "-c", str(connections)]
    arguments += ["-d", f"{LOAD_LIMIT_S:.0f}s", "--warm-up", "0s", "--json", "-"]
    arguments += ["--message", MESSAGE]
    return bench.client(arguments, limit_s=LOAD_LIMIT_S)


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
