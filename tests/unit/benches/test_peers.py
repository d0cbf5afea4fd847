"""Installation of other load generators, and costs from the events of their scripts."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from autostrada.errors import EngineError
from autostrada.machine.process import Command
from compare import peers
from compare.bench import MessageCost
from compare.peers import (
    cost_of_events,
    cpu_ns,
    install,
    open_files,
    tree_cpu_ns,
    wall_ns_per_message,
)


def run(marker, *arguments):
    command = Command(arguments=arguments, folder=Path())
    return install(marker, command, Console(quiet=True))


def test_a_program_is_installed_once(tmp_path):
    marker, made = tmp_path / "1.0", tmp_path / "made"
    assert run(marker, "mkdir", str(made)) is None
    assert made.is_dir()
    # The same command would fail.
    assert run(marker, "mkdir", str(made)) is None


def test_a_failed_installation_has_a_reason_and_no_marker(tmp_path):
    marker = tmp_path / "1.0"
    assert run(marker, "sh", "-c", "echo broken; exit 1") == "sh -c failed: broken"
    assert run(marker, "no-such", "program").startswith("no-such program failed: File")
    assert not marker.exists()


def test_the_cpu_time_is_that_between_the_first_event_and_the_last_end(monkeypatch):
    clock = iter([1_000, 3_000, 5_000])
    used = iter([100, 600, 1_100])
    fake = SimpleNamespace(monotonic_ns=lambda: next(clock))
    monkeypatch.setattr(peers, "time", fake)
    monkeypatch.setattr(peers, "tree_cpu_ns", lambda _: next(used))
    events = [
        {"event": "begin"},
        {"event": "begin"},
        {"event": "end", "messages": 1000, "duration_ms": 2000},
        {"event": "end", "messages": 3000, "duration_ms": 2000},
    ]
    cost = cost_of_events(SimpleNamespace(pid=1), events)
    assert cost == MessageCost(wall_ns=500_000, cpu_ns=125_000)


def test_events_without_an_end_are_a_failure():
    program = SimpleNamespace(pid=os.getpid())
    with pytest.raises(EngineError, match="no message was exchanged"):
        cost_of_events(program, [{"event": "begin"}])


def test_the_rates_of_all_virtual_users_are_added():
    ends = [
        {"messages": 1000, "duration_ms": 2000},
        {"messages": 3000, "duration_ms": 2000},
    ]
    assert wall_ns_per_message(ends) == 500_000


@pytest.mark.parametrize("ends", [[], [{"messages": 0, "duration_ms": 2000}]])
def test_no_message_is_a_failure(ends):
    with pytest.raises(EngineError, match="no message was exchanged"):
        wall_ns_per_message(ends)


def test_the_cpu_time_of_a_process_is_read():
    tick_ns = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    times = os.times()
    assert cpu_ns(os.getpid()) >= (times.user + times.system) * 1e9 - 2 * tick_ns


def test_descendants_are_included(monkeypatch):
    monkeypatch.setattr(peers, "descendants_of", lambda pid: {pid, pid + 1})
    monkeypatch.setattr(peers, "cpu_ns", lambda pid: pid)
    assert tree_cpu_ns(10) == 21


def test_open_files_are_counted():
    before = open_files(os.getpid())
    with Path("/dev/null").open(), Path("/dev/null").open():
        assert open_files(os.getpid()) == before + 2
