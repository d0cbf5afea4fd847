"""A cgroup of our own: what is started in it is ended with it, and it is removed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autostrada.machine import cgroup as cgroup_module
from autostrada.machine.cgroup import Cgroup, has_cgroups, new_cgroup
from autostrada.machine.process import Command, Process

needs_cgroups = pytest.mark.skipif(
    not has_cgroups(), reason="no cgroup may be made here"
)

# It leaves its group and its session, and says who it is.
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
def test_what_is_started_in_it_stays_in_it_and_we_do_not(cgroup):
    before = own_place()
    with cgroup.joined():
        process = subprocess.Popen(["sleep", "600"])
    assert own_place() == before
    assert (cgroup.folder / "cgroup.procs").read_text() == f"{process.pid}\n"
    cgroup.end()
    assert wait(process) == -signal.SIGKILL


@needs_cgroups
def test_nothing_of_it_is_left(cgroup):
    assert cgroup.folder.exists()
    cgroup.end()
    assert not cgroup.folder.exists()


@needs_cgroups
def test_a_process_that_left_its_group_is_ended_too(deadline_s, is_gone, tmp_path):
    command = Command(
        words=[sys.executable, "-c", ESCAPED], folder=tmp_path, is_measured=True
    )
    with Process(command) as running:
        escaped = int(running.read_line(deadline_s))
        running.end()
        os.kill(escaped, 0)
    assert is_gone(escaped)


@needs_cgroups
def test_only_what_is_measured_has_one(deadline_s, tmp_path):
    def place(*, is_measured):
        words = ["cat", "/proc/self/cgroup"]
        command = Command(words=words, folder=tmp_path, is_measured=is_measured)
        with Process(command) as running:
            lines = []
            while (line := running.read_line(deadline_s)) is not None:
                lines.append(line)
        return "\n".join(lines)

    assert f"autostrada-{os.getpid()}-" in place(is_measured=True)
    assert "autostrada-" not in place(is_measured=False)


@needs_cgroups
def test_a_program_that_cannot_be_started_leaves_none(tmp_path):
    parent = cgroup_module._own_folder()
    program = tmp_path / "program"
    program.write_text("")
    program.chmod(0o755)
    before = sorted(parent.iterdir())
    with pytest.raises(OSError, match="nowhere"):
        Process(
            Command(words=[str(program)], folder=tmp_path / "nowhere", is_measured=True)
        )
    assert sorted(parent.iterdir()) == before


@needs_cgroups
def test_what_a_killed_orchestrator_has_left_is_removed_by_the_next(is_gone):
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
        words = [sys.executable, "-c", look]
        return subprocess.run(words, stdout=-1, text=True, check=True).stdout

    words = [sys.executable, "-c", script]
    with subprocess.Popen(words, stdin=-1, stdout=-1, text=True) as orchestrator:
        left, folder = orchestrator.stdout.readline().split()
        assert begin_a_run() == "True\n"
        assert Path(folder).is_dir(), "its maker is alive"
        orchestrator.kill()
    begin_a_run()
    assert not Path(folder).exists()
    assert is_gone(int(left))


def test_where_it_may_not_be_made_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroup_module, "_own_folder", lambda: tmp_path / "not-there")
    assert not has_cgroups()
    assert new_cgroup() is None


def test_a_folder_that_is_no_cgroup_is_not_taken_for_one(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroup_module, "_own_folder", lambda: tmp_path)
    assert not has_cgroups()
    with pytest.raises(OSError, match="not-there"):
        Cgroup(tmp_path / "not-there")


@needs_cgroups
def test_one_that_another_took_for_left_behind_is_made_again(monkeypatch):
    parent = cgroup_module._own_folder()
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
