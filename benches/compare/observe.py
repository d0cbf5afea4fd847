"""What it costs to observe many idle processes."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice

from autostrada.errors import EngineError
from autostrada.machine.process import find_setpriv
from autostrada.runner.engine import FORMAT
from autostrada.stats.interval import median_interval

from .bench import Bench, Document, Program
from .table import ENGINE, Bar, Row, Rows, alternate

EVERY_MS = 100
OBSERVER = "observer"
SHARE_BAR = Bar(relation="<", value=1)


def observe_rows(bench: Bench) -> Rows:
    """Measure the share of a core that the engine needs to observe idle processes."""
    count = bench.sizes.observed_processes
    what = f"CPU time of observing {count:,} idle processes every {EVERY_MS} ms"
    with sleepers(count) as pids:
        samples = alternate(what, bench, {ENGINE: partial(_share, bench, pids)})
    percent = median_interval([100 * share for share in samples[ENGINE]])
    yield Row(
        what=what,
        figure=percent.median,
        bounds=(percent.low, percent.high),
        unit="% of a core",
        bar=SHARE_BAR,
    )


@contextmanager
def sleepers(count: int) -> Iterator[list[int]]:
    """Run so many processes that do nothing."""
    words = [find_setpriv(), "--pdeathsig", "KILL", "--", "sleep", "3600"]
    processes = [subprocess.Popen(words) for _ in range(count)]
    try:
        yield [process.pid for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _share(bench: Bench, pids: list[int]) -> float:
    """Observe them for a window; the observer also observes itself."""
    words = [str(bench.engine), "observe"]
    with Program(words, cpus=bench.host.client_cpus) as observer:
        processes = {f"idle {pid}": pid for pid in pids} | {OBSERVER: observer.pid}
        observer.send({"format": FORMAT, "processes": processes, "every_ms": EVERY_MS})
        looks = round(bench.sizes.window_s * 1000 / EVERY_MS)
        lines = map(json.loads, observer.lines())
        own = (line for line in lines if line["process"] == OBSERVER)
        # The first look opens what stays open.
        _, *counted = islice(own, looks + 2)
    return share(counted)


def share(samples: list[Document]) -> float:
    """
    Return the share of a core that a process used from its first sample to its last.

    Raises:
        EngineError: there are no two of them.
    """
    if len(samples) < 2:
        raise EngineError("observing ended before its time")
    first, last = samples[0], samples[-1]
    used_ns: int = last["cpu_ns"] - first["cpu_ns"]
    passed_ns: int = last["at_ns"] - first["at_ns"]
    return used_ns / passed_ns
