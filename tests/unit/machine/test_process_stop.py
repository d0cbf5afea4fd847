"""Stopping and continuing processes with their descendants, and their CPU time."""

import os
import signal
from pathlib import Path

import pytest
from tests.unit.programs import python

from autostrada.errors import EngineError
from autostrada.machine import cgroup as cgroup_module
from autostrada.machine import process
from autostrada.machine.cgroup import Cgroup, has_cgroups
from autostrada.machine.memory import cpu_ns, descendants_of

# A descendant that answers a byte with its ID, in its own session if it has a cgroup.
SERVER = """
import os, signal, sys
reading, writing = os.pipe()
if os.fork() == 0:
    if sys.argv[1] == "cgroup":
        os.setsid()
    os.close(writing)
    while os.read(reading, 1):
        print(os.getpid(), flush=True)
    os._exit(0)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
while line := sys.stdin.readline():
    os.write(writing, b"!")
"""

# Each line is answered after 0.1 s of CPU time of threads, and of a child that ends.
BUSY = """
import hashlib, os, sys, threading, time
def work():
    end_s = time.thread_time() + 0.05
    while time.thread_time() < end_s:
        hashlib.sha256(bytes(100_000)).digest()
print("ready", flush=True)
while sys.stdin.readline():
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if sys.argv[1] == "fork":
        if (child := os.fork()) == 0:
            work()
            os._exit(0)
        os.waitpid(child, 0)
    print("done", flush=True)
"""


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(cgroup_module, "STOP_LIMIT_MS", 200_000)


@pytest.fixture(params=["cgroup", "group"])
def kind(request, monkeypatch):
    if request.param == "group":
        monkeypatch.setattr(process, "new_cgroup", lambda within: None)
    elif not has_cgroups():
        pytest.skip("no cgroup may be made here")
    return request.param


def ask(running, deadline_s):
    running.send("go\n")
    return running.read_line(deadline_s)


def is_frozen(pid):
    place = Path(f"/proc/{pid}/cgroup").read_text().rpartition("/")[2].strip()
    folder = cgroup_module.own_folder() / place
    return "frozen 1" in (folder / "cgroup.events").read_text()


def test_a_stopped_process_continues_with_its_descendants(kind, deadline_s):
    with python(SERVER, kind, is_measured=True) as running:
        descendant = int(ask(running, deadline_s))
        running.stop()
        if kind == "cgroup":
            assert is_frozen(descendant)
            assert is_frozen(running.pid)
        else:
            os.waitid(os.P_PID, running.pid, os.WSTOPPED | os.WNOWAIT)
        running.send("go\n")
        running.resume()
        running.resume()
        assert running.read_line(deadline_s) == str(descendant)
        assert int(ask(running, deadline_s)) == descendant


@pytest.mark.parametrize("way", ["end", "terminate", "kill", "leave"])
def test_a_stopped_process_can_be_ended(kind, way, deadline_s, is_gone, monkeypatch):
    monkeypatch.setattr(process, "TERMINATION_S", 200)
    with python(SERVER, kind, is_measured=True) as running:
        descendant = int(ask(running, deadline_s))
        running.stop()
        if way == "terminate":
            running.terminate()
            assert running.wait(deadline_s) == 7
        elif way == "kill":
            running.kill()
        elif way == "end":
            running.end()
    assert running.status() == (-signal.SIGKILL if way == "kill" else 7)
    assert is_gone(descendant)


@pytest.mark.skipif(not has_cgroups(), reason="no cgroup may be made here")
def test_the_cpu_time_of_a_stopped_cgroup_is_that_of_its_processes(deadline_s):
    with python(BUSY, "threads", is_measured=True) as running:
        assert running.read_line(deadline_s) == "ready"
        used_ns = []
        for _ in range(2):
            running.stop()
            clocks_ns = cpu_ns(descendants_of(running.pid))
            used_ns.append((running.cpu_ns(), clocks_ns))
            running.resume()
            assert ask(running, deadline_s) == "done"
    (cgroup_before, clocks_before), (cgroup_after, clocks_after) = used_ns
    by_clocks_ns = clocks_after - clocks_before
    assert by_clocks_ns >= 100_000_000
    assert cgroup_after - cgroup_before == pytest.approx(by_clocks_ns, rel=0.01)


def test_the_cpu_time_includes_that_of_descendants(kind, deadline_s):
    with python(BUSY, "fork", is_measured=True) as running:
        assert running.read_line(deadline_s) == "ready"
        before_ns = running.cpu_ns()
        assert ask(running, deadline_s) == "done"
        used_ns = running.cpu_ns() - before_ns
    # Two or three times 50 ms; what is not counted yet is less than 10 ms for each.
    assert used_ns > (120_000_000 if kind == "cgroup" else 80_000_000)


def test_a_cgroup_that_does_not_stop_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroup_module, "STOP_LIMIT_MS", 1)
    cgroup = Cgroup(tmp_path)
    for name, text in (("events", "populated 1\nfrozen 0\n"), ("freeze", "0")):
        (cgroup.folder / f"cgroup.{name}").write_text(text)
    with pytest.raises(EngineError, match="cannot be stopped"):
        cgroup.stop()
    assert (cgroup.folder / "cgroup.freeze").read_text() == "1"
    for file in cgroup.folder.iterdir():
        file.unlink()
    cgroup.remove()
