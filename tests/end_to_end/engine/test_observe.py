"""``observe`` beside what others say of the same process: pidstat and GNU time."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from autostrada.engine.process import find_engine

TOLERANCE = 0.02
TICK_S = 0.01
"""In which pidstat and time tell each of two times."""

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
"""Uses CPU time of both kinds and memory, says who it is, and then does nothing."""


def tool(name, package):
    """Return where a program is; skip by name where it is missing, but not in CI."""
    found = shutil.which(name)
    if found is None:
        remedy = f"{name} is missing: apt install {package}"
        if os.environ.get("CI"):
            pytest.fail(remedy)
        pytest.skip(remedy)
    return found


@pytest.fixture
def worker():
    """Return a process that has worked, below GNU time, which tells of it then."""
    time = tool("time", "time")
    words = [time, "--verbose", sys.executable, "-c", WORKER]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(words, text=True, **pipes) as process:
        yield process
        process.stdin.close()


def observed(pid):
    """Return the first look of ``observe`` at a process."""
    plan = {"format": 2, "processes": {"worker": pid}, "sockets": False, "host": False}
    done = subprocess.run(
        [find_engine(), "observe"],
        input=json.dumps(plan),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[0])["processes"]["worker"]


def pidstat(pid, *words):
    """Return what pidstat says of a process since its start, by column."""
    done = subprocess.run(
        [tool("pidstat", "sysstat"), "-h", "-p", str(pid), *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LC_ALL": "C", "S_TIME_FORMAT": "ISO"},
    )
    heading, figures = done.stdout.splitlines()[-2:]
    return dict(zip(heading.split()[1:], figures.split(), strict=True))


def in_time(report, name):
    """Return what GNU time says in its line of a name."""
    [line] = [line for line in report.splitlines() if line.strip().startswith(name)]
    return float(line.rpartition(": ")[2])


def test_cpu_time_and_memory_are_those_of_pidstat_and_time(worker):
    pid = int(worker.stdout.readline())
    seen = observed(pid)
    used, held = pidstat(pid, "-T", "CHILD"), pidstat(pid, "-r")
    _, report = worker.communicate("\n")
    for figure, seconds in (
        ("user_ns", (float(used["usr-ms"]) / 1e3, in_time(report, "User time"))),
        ("system_ns", (float(used["system-ms"]) / 1e3, in_time(report, "System time"))),
    ):
        expected = pytest.approx(seen[figure] / 1e9, rel=TOLERANCE, abs=2 * TICK_S)
        assert seconds == (expected, expected), figure
    assert int(held["RSS"]) * 1024 == pytest.approx(
        seen["resident_bytes"], rel=TOLERANCE
    )
    peak_bytes = in_time(report, "Maximum resident set size") * 1024
    assert peak_bytes == pytest.approx(seen["peak_resident_bytes"], rel=TOLERANCE)
    total_ns = seen["user_ns"] + seen["system_ns"]
    assert seen["cpu_ns"] == pytest.approx(total_ns, rel=TOLERANCE)
