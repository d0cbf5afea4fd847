"""``observe`` compared with pidstat and GNU time for the same process."""

import json
import os
import subprocess
import sys

import pytest
from peers.tool import tool

from autostrada.engine.process import find_engine

TOLERANCE = 0.2
TICK_S = 0.01
"""Resolution of pidstat and GNU time, in seconds."""

WORKER = """
import os, sys
held = bytearray(b"x") * 80_000_000
while os.times().user < 2:
    sum(range(10_000))
while os.times().system < 0.5:
    open("/proc/self/smaps").read()
print(os.getpid(), flush=True)
sys.stdin.readline()
"""
"""Uses user time, system time and memory, prints its PID, and then sleeps."""


@pytest.fixture
def worker():
    """Return a process that has used CPU time, run by GNU time."""
    time = tool("time", "time")
    arguments = [time, "--verbose", sys.executable, "-c", WORKER]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(arguments, text=True, **pipes) as process:
        yield process
        process.stdin.close()


def observed(pid):
    """Return the first sample of ``observe`` for a process."""
    plan = {"format": 2, "processes": {"worker": pid}, "sockets": False, "host": False}
    done = subprocess.run(
        [find_engine(), "observe"],
        input=json.dumps(plan),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[0])["processes"]["worker"]


def pidstat(pid, *arguments):
    """Return pidstat's values for a process since its start, by column."""
    done = subprocess.run(
        [tool("pidstat", "sysstat"), "-h", "-p", str(pid), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LC_ALL": "C", "S_TIME_FORMAT": "ISO"},
    )
    heading, metrics = done.stdout.splitlines()[-2:]
    return dict(zip(heading.split()[1:], metrics.split(), strict=True))


def in_time(report, name):
    """Return the value in the named line of GNU time's report."""
    [line] = [line for line in report.splitlines() if line.strip().startswith(name)]
    return float(line.rpartition(": ")[2])


def test_cpu_time_and_memory_agree_with_pidstat_and_time(worker):
    pid = int(worker.stdout.readline())
    sample = observed(pid)
    used, held = pidstat(pid, "-T", "CHILD"), pidstat(pid, "-r")
    _, report = worker.communicate("\n")
    for metric, seconds in (
        ("user_ns", (float(used["usr-ms"]) / 1e3, in_time(report, "User time"))),
        ("system_ns", (float(used["system-ms"]) / 1e3, in_time(report, "System time"))),
    ):
        expected = pytest.approx(sample[metric] / 1e9, rel=TOLERANCE, abs=2 * TICK_S)
        assert seconds == (expected, expected), metric
    assert int(held["RSS"]) * 1024 == pytest.approx(
        sample["resident_bytes"], rel=TOLERANCE
    )
    peak_bytes = in_time(report, "Maximum resident set size") * 1024
    assert peak_bytes == pytest.approx(sample["peak_resident_bytes"], rel=TOLERANCE)
    total_ns = sample["user_ns"] + sample["system_ns"]
    assert sample["cpu_ns"] == pytest.approx(total_ns, rel=TOLERANCE)
