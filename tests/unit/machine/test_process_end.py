"""The end of processes: of a group, of orphans, and with the orchestrator."""

import subprocess
import sys

from tests.unit.programs import shell

from autostrada.machine import process

ORCHESTRATOR = """
import os, sys, time
from pathlib import Path
from autostrada.machine.orphans import adopt_orphans, children_of, end_orphans
from autostrada.machine.process import Command, Process
adopt_orphans()
deadline_s = time.monotonic() + 20
def start(script):
    arguments = [sys.executable, "-c", "import os, signal, sys, time\\n" + script]
    return Process(Command(arguments=arguments, folder=Path("/")))
"""

FORK = """
def fork(*, escapes):
    "Start a process that stays; return its number."
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        if escapes:
            os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.write(writing, b"!")
        signal.pause()
    os.read(reading, 1)
    return pid
"""


def test_the_whole_group_has_ended_when_its_block_ends(deadline_s, is_gone):
    with shell("sleep 600 & echo $!; wait") as running:
        child = int(running.read_line(deadline_s))
        assert running.has_group()
    assert is_gone(child)
    assert is_gone(running.pid)


def test_a_group_whose_leader_has_exited_is_ended(deadline_s, is_gone):
    with shell("sleep 600 >&- 2>&- & echo $!") as running:
        child = int(running.read_line(deadline_s))
        assert running.wait(deadline_s) == 0
        assert running.has_group()
        running.end()
    assert is_gone(child)


def test_a_process_that_ignores_sigterm_is_killed(deadline_s, is_gone, monkeypatch):
    monkeypatch.setattr(process, "TERMINATION_S", 0.1)
    with shell("trap '' TERM; echo ready; while :; do sleep 1; done") as running:
        assert running.read_line(deadline_s) == "ready"
        running.end()
        assert running.status() == -9
    assert is_gone(running.pid)


def test_ending_twice_has_no_further_effect(deadline_s):
    with shell("read never") as running:
        running.end()
        running.end()
        assert running.wait(deadline_s) == -15


def test_a_group_of_zombies_is_no_group(orchestrate):
    # The leader does not wait for its child, which becomes a zombie of the
    # orchestrator.
    printed = orchestrate(
        ORCHESTRATOR
        + """
child = '''
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
'''
with start(child) as running:
    running.wait(deadline_s)
    print(running.has_group(), end_orphans(keep=set()))
"""
    )
    assert printed == "False 0\n"


def test_an_escaped_orphan_is_ended_with_its_children(orchestrate, is_gone):
    printed = orchestrate(
        ORCHESTRATOR
        + f"FORK = {FORK!r}"
        + """
escaped = FORK + '''
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    child = fork(escapes=True)
    os.write(writing, f"{os.getpid()} {child}".encode())
    os.close(1)
    signal.pause()
os.close(writing)
print(os.read(reading, 99).decode(), flush=True)
os._exit(0)
'''
with start(escaped) as running:
    pids = running.read_line(deadline_s)
    running.end()
    print(end_orphans(keep=set()), end_orphans(keep=set()), pids)
"""
    )
    ended, again, *pids = map(int, printed.split())
    assert (ended, again, len(pids)) == (2, 0, 2)
    assert all(is_gone(pid) for pid in pids)


def test_a_kept_process_is_no_orphan(orchestrate):
    printed = orchestrate(
        ORCHESTRATOR
        + """
with start("signal.pause()") as running:
    print(end_orphans(keep={running.pid}), running.status())
    print(end_orphans(keep=set()))
"""
    )
    assert printed == "0 None\n1\n"


def test_an_orphan_of_a_kept_process_is_kept(orchestrate):
    printed = orchestrate(
        ORCHESTRATOR
        + f"FORK = {FORK!r}"
        + """
escaped = FORK + '''
reading, writing = os.pipe()
if os.fork() == 0:
    os.write(writing, str(fork(escapes=True)).encode())
    os._exit(0)
os.wait()
print(os.read(reading, 99).decode(), flush=True)
signal.pause()
'''
with start(escaped) as running:
    escaped = int(running.read_line(deadline_s))
    print(escaped in children_of(os.getpid()), end_orphans(keep={running.pid}))
    print(end_orphans(keep=set()))
"""
    )
    assert printed == "True 0\n2\n"


def test_the_kernel_ends_it_when_the_orchestrator_is_killed(is_gone):
    script = (
        ORCHESTRATOR
        + """
child = start("print(os.getpid(), flush=True); signal.pause()")
print(child.read_line(deadline_s), flush=True)
input()
"""
    )
    orchestrator = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with orchestrator:
        child = int(orchestrator.stdout.readline())
        orchestrator.kill()
    assert orchestrator.returncode == -9
    assert is_gone(child)
