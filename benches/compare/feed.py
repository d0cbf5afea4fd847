"""A feed to many connections, received by the engine and by a loop that only reads."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from autostrada.errors import EngineError
from autostrada.machine.memory import cpu_ns

from .bench import BenchProgram, BenchSetup
from .echo import SLEEPING, bare_program, endless
from .table import ENGINE, Bar, Rows, alternate, paired_ratio, ratio_row, spread

ROUNDS = 20
CONNECTIONS = 10_000
EVERY_MS = 100
PATH = "/feed"
FEED = {"kind": "stocks", "encoding": "json", "every_ms": EVERY_MS}
"""Each message has its number and its instant."""

FEED_S = 120.0
BAR = Bar(relation="≥", value=0.8)


def feed_rows(bench: BenchSetup) -> Rows:
    """
    Measure the CPU time of a received message at a fixed rate.

    The engine checks the number of each message and records its delivery time. Sending
    a message costs more than receiving it, so that the server would decide the rate.
    """
    rate_per_s = CONNECTIONS * 1000 // EVERY_MS
    what = f"feed, {CONNECTIONS:,} connections, {rate_per_s:,}/s, beside bare reads"
    plan = SLEEPING | {
        "connections": CONNECTIONS,
        "workload": {"kind": "receive", "feed": FEED},
    }
    reading = ("--receive", PATH)
    starts = {
        ENGINE: partial(endless, bench, plan),
        "bare reads": partial(bare_program, bench, CONNECTIONS, reading),
    }
    contenders = {
        name: partial(message_ns, bench, name, start) for name, start in starts.items()
    }
    found = alternate(what, bench, contenders, rounds=ROUNDS)
    details = [
        f"{name}: {spread([each / 1e3 for each in found[name]], '.2f')} µs of CPU time "
        "a message"
        for name in found
    ]
    ratio = paired_ratio(found["bare reads"], found[ENGINE])
    yield ratio_row(what, ratio, BAR, details)


def message_ns(
    bench: BenchSetup, name: str, start: Callable[[str], BenchProgram]
) -> float:
    """Return a client's CPU time of a message, in nanoseconds."""
    feed = FEED | {"seconds": FEED_S, "subscribers": CONNECTIONS}
    with bench.serving({"feed": feed}, path=PATH) as url, start(url) as program:
        program.drain()
        await_feed(name, program)
        messages, used_ns = segments_sent(), cpu_ns([program.pid])
        time.sleep(bench.window_s)
        used_ns = cpu_ns([program.pid]) - used_ns
        messages = segments_sent() - messages
        if program.status() is not None or not messages:
            raise EngineError(f"{name} receives no feed")
    return used_ns / messages


def await_feed(name: str, program: BenchProgram) -> None:
    """
    Wait for the first messages, which are sent when all connections are open.

    Raises:
        EngineError: the client has ended, or that takes too long.
    """
    ends_s = time.monotonic() + FEED_S / 2
    while True:
        sent = segments_sent()
        time.sleep(2 * EVERY_MS / 1000)
        if segments_sent() - sent >= CONNECTIONS:
            return
        if program.status() is not None or time.monotonic() > ends_s:
            raise EngineError(f"{name} does not open {CONNECTIONS:,} connections")


def segments_sent() -> int:
    """Return the segments with data that were ever sent here: only the feed sends."""
    lines = Path("/proc/net/netstat").read_text(encoding="utf-8").splitlines()
    names, values = (each.split() for each in lines if each.startswith("TcpExt:"))
    return int(dict(zip(names, values, strict=True))["TCPOrigDataSent"])
