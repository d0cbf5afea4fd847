"""The guardian: what it kills when the orchestrator is killed, and what it does not."""

import os
import subprocess
import sys

import pytest

from autostrada.machine.cgroup import has_cgroups
from autostrada.machine.guardian import Guardian

# A server that has stopped, with a descendant; both ignore signals. Other children of
# the orchestrator, with and without another program, are alive when it is killed.
ORCHESTRATOR = """
import os, signal, subprocess, sys, time
from pathlib import Path
from autostrada.machine import process
from autostrada.machine.guardian import GUARDIAN
has_cgroup = sys.argv[1] == "cgroup"
if not has_cgroup:
    process.new_cgroup = lambda within: None
server = '''
import os, signal, sys
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
descendant = os.fork()
if descendant:
    print(os.getpid(), descendant, flush=True)
elif sys.argv[1] == "cgroup":
    os.setsid()
while True:
    signal.pause()
'''
command = process.Command(
    arguments=[sys.executable, "-c", server, sys.argv[1]],
    folder=Path("/"),
    is_measured=True,
)
running = process.Process(command)
pids = running.read_line(time.monotonic() + 300)
running.stop()
others = [subprocess.Popen(["sleep", "600"], close_fds=False, stdout=-3).pid, os.fork()]
if others[1] == 0:
    os.close(1)
    signal.pause()
print(pids, *GUARDIAN.pids, *others, flush=True)
signal.pause()
"""


@pytest.mark.parametrize("kind", ["cgroup", "group"])
def test_nothing_is_left_of_a_killed_orchestrator(kind, is_gone):
    if kind == "cgroup" and not has_cgroups():
        pytest.skip("no cgroup may be made here")
    arguments = [sys.executable, "-c", ORCHESTRATOR, kind]
    with subprocess.Popen(arguments, stdout=-1, text=True) as orchestrator:
        server, descendant, shell, *others = map(
            int, orchestrator.stdout.readline().split()
        )
        assert os.getsid(shell) == shell
        orchestrator.kill()
    assert all(is_gone(pid) for pid in (server, descendant, shell))
    for pid in others:
        os.kill(pid, 9)


@pytest.fixture
def guardian():
    made = Guardian()
    yield made
    made.close()


@pytest.fixture
def group():
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as leader:
        yield leader
        leader.kill()


def test_targets_are_killed_when_it_closes(guardian, group):
    guardian.add("/not/a cgroup")
    guardian.add(str(group.pid))
    assert guardian.pids
    guardian.close()
    assert group.wait() == -9
    assert not guardian.pids


def test_what_has_ended_is_not_killed(guardian, group):
    guardian.add("/not/a cgroup")
    guardian.add(str(group.pid))
    guardian.remove("/not/a cgroup")
    guardian.remove(str(group.pid))
    guardian.close()
    assert group.poll() is None


def test_another_shell_replaces_one_that_was_killed(guardian, group, is_gone):
    guardian.add(str(group.pid))
    (shell,) = guardian.pids
    os.kill(shell, 9)
    assert is_gone(shell)
    guardian.add("/not/a cgroup")
    assert shell not in guardian.pids
    guardian.close()
    assert group.wait() == -9


def test_orphans_are_ended_but_not_the_guardian(orchestrate):
    printed = orchestrate(
        """
from pathlib import Path
from autostrada.machine.guardian import GUARDIAN
from autostrada.machine.orphans import *
from autostrada.machine.process import *
adopt_orphans()
command = Command(arguments=["sleep", "600"], folder=Path("/"), is_measured=True)
with Process(command) as running:
    print(end_orphans(keep={running.pid}), children_of(os.getpid()) - {running.pid})
print(GUARDIAN.pids)
"""
    )
    ended, _, left = printed.partition(" ")
    children, known = left.splitlines()
    assert ended == "0"
    assert f"frozenset({children})" == known
