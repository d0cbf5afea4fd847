"""Limits of CPU time and memory: set, held, shared, refused and removed."""

import os
import subprocess
import sys

import pytest
from tests.unit.obstacle import needs
from tests.unit.programs import python

from autostrada.errors import UsageError
from autostrada.machine.limited_cgroup import LimitedCgroup, Limits, new_limited_cgroup

MIB = 1024**2
KILLED = -9
SOME = Limits(cpu_share_max=0.5, memory_bytes_max=100 * MIB)
GROWS = """
held = []
while True:
    held.append(b"x" * (1 << 20))
    print(len(held) << 20, flush=True)
"""


needs_limits = needs(lambda: new_limited_cgroup(SOME))


def test_limits_are_written_as_the_kernel_expects():
    assert SOME.settings(2) == [
        ("cpu", "cpu.weight.nice", "-20"),
        ("memory", "memory.max", "104857600"),
        ("memory", "memory.swap.max", "0"),
    ]
    assert SOME.settings(1) == [
        ("cpu", "cpu.cfs_period_us", "10000"),
        ("cpu", "cpu.shares", "88761"),
        ("memory", "memory.limit_in_bytes", "104857600"),
        ("memory", "memory.memsw.limit_in_bytes", "104857600"),
        ("memory", "memory.kmem.tcp.limit_in_bytes", "104857600"),
    ]
    assert SOME.cpu_time(1) == ("cpu", "cpu.cfs_quota_us", "5000")
    assert Limits(cpu_share_max=0.02).cpu_time(2) == ("cpu", "cpu.max", "1000 50000")
    assert Limits(cpu_share_max=2).cpu_time(2) == ("cpu", "cpu.max", "20000 10000")
    assert Limits().settings(1) == Limits().settings(2) == []
    assert SOME.text == "50% of one core and 104857600 bytes of memory"


def test_without_limits_there_is_no_cgroup():
    for limits in (None, Limits()):
        with new_limited_cgroup(limits) as made:
            assert made is None


@needs_limits
def test_processes_share_the_limit_of_memory(deadline_s):
    waits = "held = b'x' * (200 << 20); print(flush=True); input()"
    limits = Limits(memory_bytes_max=400 * MIB)
    with (
        new_limited_cgroup(limits) as made,
        python(waits, limits=made, is_measured=True) as first,
    ):
        first.read_line(deadline_s)
        with python(GROWS, limits=made, is_measured=True) as second:
            size = 0
            # The kernel may end either of them.
            while not made.has_exceeded_memory():
                size = int(second.read_line(deadline_s))
            assert size < 220 * MIB


@needs_limits
def test_socket_buffers_and_kernel_memory_count(deadline_s):
    # Both ends of each connection are here, and nothing is read.
    fills = """
import socket
server = socket.create_server(("127.0.0.1", 0))
held = []
while True:
    client = socket.create_connection(server.getsockname())
    client.setblocking(False)
    held.append((client, server.accept()))
    try:
        while True:
            client.send(bytes(1 << 16))
    except BlockingIOError:
        pass
    print(len(held), flush=True)
"""
    with new_limited_cgroup(Limits(memory_bytes_max=64 * MIB)) as made:
        with python(fills, limits=made, is_measured=True) as process:
            while not made.has_exceeded_memory():
                assert process.read_line(deadline_s) is not None
        assert process.resident_bytes() < 40 * MIB


@needs_limits
def test_the_cgroups_are_removed_with_their_members(is_gone, deadline_s):
    with new_limited_cgroup(SOME) as made:
        folders = [each.folder for each in made._distinct()]
        with made.joined():
            left = subprocess.Popen(["sleep", "600"])
        assert all(
            str(left.pid) in (folder / "cgroup.procs").read_text().split()
            for folder in folders
        )
    assert left.wait() == KILLED
    assert not any(folder.exists() for folder in folders)


@needs_limits
def test_limits_of_a_killed_orchestrator_are_removed_by_the_next(is_gone):
    script = (
        "import subprocess, sys\n"
        "from autostrada.machine.limited_cgroup import LimitedCgroup, Limits\n"
        "made = LimitedCgroup(Limits(cpu_share_max=0.5, memory_bytes_max=10**9))\n"
        "with made.joined():\n"
        "    left = subprocess.Popen(['sleep', '600'], stdout=-3)\n"
        "print(left.pid, *[each.folder for each in made._distinct()], flush=True)\n"
        "input()\n"
    )
    arguments = [sys.executable, "-c", script]
    with subprocess.Popen(arguments, stdin=-1, stdout=-1, text=True) as orchestrator:
        left, *folders = orchestrator.stdout.readline().split()
        with new_limited_cgroup(SOME):
            assert all(map(os.path.isdir, folders)), "their orchestrator is alive"
        orchestrator.kill()
    with new_limited_cgroup(SOME):
        assert not any(map(os.path.isdir, folders))
    assert is_gone(int(left))


def test_a_controller_that_does_not_exist_is_named(monkeypatch):
    monkeypatch.setattr(
        "autostrada.machine.limited_cgroup.own_folder", lambda _="": None
    )
    with pytest.raises(UsageError, match="no cgroups are mounted here; run autostrada"):
        LimitedCgroup(SOME)
