"""A cgroup for measured processes: they end with it, and it is removed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.programs import python, read_all, started

from autostrada.machine import cgroup as cgroup_module
from autostrada.machine.cgroup import Cgroup, has_cgroups, new_cgroup
from autostrada.machine.process import Command, Process

needs_cgroups = pytest.mark.skipif(
    not has_cgroups(), reason="no cgroup may be made here"
)

# Leaves its process group and session, and prints its PID.
ESCAPED = """
import os, signal
if os.fork() == 0:
    os.setsid()
    print(os.getpid(), flush=True)
    signal.pause()
signal.pause()
"""


@pytest.fixture
def cgroup():
    made = new_cgroup()
    yield made
    if made.folder.exists():
        made.end()


def own_place():
    return Path("/proc/self/cgroup").read_text()


def wait(process):
    process.wait()
    return process.returncode


@needs_cgroups
def test_its_processes_stay_in_it_and_the_orchestrator_does_not(cgroup):
    before = own_place()
    with cgroup.joined():
        process = subprocess.Popen(["sleep", "600"])
    assert own_place() == before
    assert (cgroup.folder / "cgroup.procs").read_text() == f"{process.pid}\n"
    cgroup.end()
    assert wait(process) == -signal.SIGKILL
    assert not cgroup.folder.exists()


@needs_cgroups
def test_a_process_that_left_its_group_is_ended(deadline_s, is_gone):
    with python(ESCAPED, is_measured=True) as running:
        escaped = int(running.read_line(deadline_s))
        running.end()
        os.kill(escaped, 0)
    assert is_gone(escaped)


@needs_cgroups
def test_only_measured_processes_have_a_cgroup(deadline_s):
    def place(*, is_measured):
        with started("cat", "/proc/self/cgroup", is_measured=is_measured) as running:
            return "\n".join(read_all(running, deadline_s))

    assert f"autostrada-{os.getpid()}-" in place(is_measured=True)
    assert "autostrada-" not in place(is_measured=False)


@needs_cgroups
def test_a_program_that_cannot_be_started_leaves_no_cgroup(tmp_path):
    parent = cgroup_module.own_folder()
    program = tmp_path / "program"
    program.write_text("")
    program.chmod(0o755)
    own = f"autostrada-{os.getpid()}-*"
    before = sorted(parent.glob(own))
    with pytest.raises(OSError, match="nowhere"):
        Process(
            Command(
                arguments=[str(program)], folder=tmp_path / "nowhere", is_measured=True
            )
        )
    assert sorted(parent.glob(own)) == before


@needs_cgroups
def test_cgroups_of_a_killed_orchestrator_are_removed_by_the_next(is_gone):
    script = (
        "import subprocess\n"
        "from autostrada.machine.cgroup import new_cgroup\n"
        "made = new_cgroup()\n"
        "with made.joined():\n"
        "    left = subprocess.Popen(['sleep', '600'], stdout=-3)\n"
        "print(left.pid, made.folder, flush=True)\n"
        "input()\n"
    )
    look = "from autostrada.machine.cgroup import has_cgroups; print(has_cgroups())"

    def begin_a_run():
        arguments = [sys.executable, "-c", look]
        return subprocess.run(arguments, stdout=-1, text=True, check=True).stdout

    arguments = [sys.executable, "-c", script]
    with subprocess.Popen(arguments, stdin=-1, stdout=-1, text=True) as orchestrator:
        left, folder = orchestrator.stdout.readline().split()
        assert begin_a_run() == "True\n"
        assert Path(folder).is_dir(), "its maker is alive"
        orchestrator.kill()
    begin_a_run()
    assert not Path(folder).exists()
    assert is_gone(int(left))


MOUNTS = """\
23 1 0:21 / /proc rw,relatime - proc proc rw
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 /outer /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
"""
PLACES = "4:memory:/outer/inner\n3:cpu,cpuacct:/a b\n0::/user.slice/x.scope\n"


@pytest.mark.parametrize(
    ("controller", "folder"),
    [
        ("", "/sys/fs/cgroup/unified/user.slice/x.scope"),
        ("cpu", "/sys/fs/cgroup/cpu,cpuacct/a b"),
        ("memory", "/sys/fs/cgroup/memory/inner"),
        ("pids", None),
    ],
)
def test_the_cgroup_of_each_hierarchy_is_found(controller, folder):
    found = cgroup_module.folder_in(MOUNTS, PLACES, controller)
    assert found == (folder and Path(folder))


def test_a_cgroup_outside_of_what_a_container_sees_is_not_found():
    assert cgroup_module.folder_in(MOUNTS, "0::/../x.scope\n") is None
    assert cgroup_module.folder_in("", PLACES) is None


def test_without_permission_there_is_no_cgroup(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroup_module, "own_folder", lambda: tmp_path / "not-there")
    assert not has_cgroups()
    assert new_cgroup() is None


def test_a_folder_that_is_no_cgroup_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroup_module, "own_folder", lambda: tmp_path)
    assert not has_cgroups()
    with pytest.raises(OSError, match="not-there"):
        Cgroup(tmp_path / "not-there")


@needs_cgroups
def test_a_cgroup_that_another_run_removed_is_created_again(monkeypatch):
    parent = cgroup_module.own_folder()
    lock = cgroup_module.fcntl.flock
    removed = []

    def lock_too_late(descriptor, operation):
        if not removed:
            removed.append(os.readlink(f"/proc/self/fd/{descriptor}"))
            os.rmdir(removed[0])
        lock(descriptor, operation)

    monkeypatch.setattr(cgroup_module.fcntl, "flock", lock_too_late)
    made = Cgroup(parent)
    assert made.folder.exists()
    assert str(made.folder) not in removed
    made.end()
