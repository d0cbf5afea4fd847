"""Real processes: their output, their placement, and their end."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.unit.programs import python, read_all, shell, started

from autostrada.machine import process
from autostrada.machine.orphans import children_of
from autostrada.machine.process import (
    Command,
    LineTooLongError,
    on_cpus,
    prefer_others,
    run_to_end,
)

PASSED_S = 0.0
"""A deadline that has passed."""


def ended(*arguments, limit_s=30):
    """Run a program to its end; return its status and its output."""
    return run_to_end(Command(arguments=arguments, folder=Path("/")), limit_s=limit_s)


def test_lines_are_read_one_by_one_even_an_incomplete_last_one(deadline_s):
    with shell("printf 'one\\n\\ntwo\\nthree'") as running:
        assert read_all(running, deadline_s) == ["one", "", "two", "three"]
        assert running.read_line(deadline_s) is None
        assert running.wait(deadline_s) == 0


def test_a_process_that_prefers_others_does_not_interrupt_them():
    with shell("read go") as running:
        prefer_others(running.pid)
        assert os.sched_getscheduler(running.pid) == os.SCHED_BATCH


def can_raise_priority():
    """Return whether sessions are grouped here, and their priority can be changed."""
    enabled = Path("/proc/sys/kernel/sched_autogroup_enabled")
    return os.geteuid() == 0 and enabled.is_file() and enabled.read_text() == "1\n"


@pytest.mark.skipif(not can_raise_priority(), reason="only root may raise a priority")
@pytest.mark.parametrize(("is_measured", "nice"), [(True, "-20"), (False, "0")])
def test_measured_processes_have_priority(is_measured, nice, deadline_s):
    script = "read go; cat /proc/self/autogroup"
    with shell(script, is_measured=is_measured) as running:
        running.send("go\n")
        assert running.read_line(deadline_s).endswith(f"nice {nice}")


def test_a_line_is_assembled_from_pieces(deadline_s):
    with shell("printf o; read go; printf 'ne\\n'; read go") as running:
        with pytest.raises(TimeoutError):
            running.read_line(time.monotonic() + 0.05)
        running.send("go\n")
        assert running.read_line(deadline_s) == "one"


def test_invalid_utf_8_is_replaced(deadline_s):
    with shell("printf '\\377\\n'") as running:
        assert running.read_line(deadline_s) == "\ufffd"


def test_an_endless_line_is_refused_before_it_fills_the_memory(deadline_s):
    with shell("tr '\\0' x </dev/zero") as endless, pytest.raises(LineTooLongError):
        endless.read_line(deadline_s)


def test_a_line_of_the_maximum_length_is_read(deadline_s):
    with python(f"print('x' * {process.LINE_BYTES_MAX})") as running:
        assert len(running.read_line(deadline_s)) == process.LINE_BYTES_MAX


def test_reading_ends_at_the_deadline():
    with shell("read never") as running:
        with pytest.raises(TimeoutError):
            running.read_line(PASSED_S)
        with pytest.raises(TimeoutError):
            running.wait(PASSED_S)
        assert running.status() is None


def test_a_status_and_a_signal_are_distinguished(deadline_s):
    with shell("exit 3") as running:
        assert running.wait(deadline_s) == 3
    with shell("kill -SEGV $$") as running:
        assert running.wait(deadline_s) == -11
        assert running.status() == -11


def test_only_the_end_of_a_long_stderr_is_kept(deadline_s):
    flood = "yes nonsense | head -n 2000000 >&2; echo the end >&2; echo done"
    with shell(flood) as running:
        assert read_all(running, deadline_s) == ["done"]
        assert running.wait(deadline_s) == 0
        assert running.stderr_tail.endswith("nonsense\nthe end")
        assert len(running.stderr_tail) <= process.STDERR_TAIL_BYTES


def test_a_long_stdout_does_not_hide_stderr(deadline_s):
    with shell("echo why >&2; yes | head -n 100000") as running:
        assert len(read_all(running, deadline_s)) == 100_000
        running.wait(deadline_s)
        assert running.stderr_tail == "why"


def test_the_last_lines_of_a_killed_process_are_kept(deadline_s):
    script = "trap 'echo bye >&2; exit' TERM; echo ready; while :; do read x; done"
    with shell(script) as running:
        assert running.read_line(deadline_s) == "ready"
        running.end()
        assert running.stderr_tail == "bye"


@pytest.mark.parametrize("word", ["./nothing-of-this-name", "nothing-of-this-name"])
def test_a_missing_program_cannot_be_started(word):
    with pytest.raises(OSError, match="nothing-of-this-name"):
        started(word)


AFFINITY = "import os; print(*os.sched_getaffinity(0))"


def test_a_process_runs_on_its_cores_and_the_orchestrator_is_unchanged(deadline_s):
    before = os.sched_getaffinity(0)
    last = max(before)
    with python(AFFINITY, cpus=frozenset({last})) as running:
        assert os.sched_getaffinity(0) == before
        assert running.read_line(deadline_s) == str(last)


def test_cores_are_restored_after_an_error():
    before = os.sched_getaffinity(0)

    def fail_on_the_last_core():
        with on_cpus(frozenset({max(before)})):
            raise KeyError(os.sched_getaffinity(0))

    with pytest.raises(KeyError) as caught:
        fail_on_the_last_core()
    assert caught.value.args == ({max(before)},)
    assert os.sched_getaffinity(0) == before


def test_sending_to_an_ended_process_is_no_error(deadline_s):
    with started("true") as running:
        assert running.wait(deadline_s) == 0
        running.send("anybody?\n")
        assert running.status() == 0


def test_run_to_end_returns_the_status_and_all_output():
    status, output = ended("sh", "-c", "echo out; echo err >&2; exit 4")
    assert (status, output) == (4, "out\nerr")


def test_run_to_end_keeps_the_last_lines():
    _, output = ended("seq", "1000")
    assert output.splitlines()[-1] == "1000"
    assert len(output.splitlines()) <= 21


def test_run_to_end_survives_a_line_that_is_too_long():
    script = "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end; exit 5"
    status, output = ended("sh", "-c", script)
    assert (status, output.splitlines()[-1]) == (5, "end")


def test_run_to_end_ends_a_process_at_the_deadline():
    before = children_of(os.getpid())
    with pytest.raises(TimeoutError):
        ended("sleep", "600", limit_s=0.1)
    assert children_of(os.getpid()) == before


def test_children_are_found_including_zombies():
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert child.pid in children_of(os.getpid())
    child.wait()
    assert child.pid not in children_of(os.getpid())
