"""The memory limit, with processes that use a known amount."""

import pytest
from tests.unit.programs import python

from autostrada.errors import OutOfMemory
from autostrada.runner import memory_limit
from autostrada.runner.memory_limit import MemoryLimit, end_of_name

MIB = 1024**2
GROWS = "held = []\nwhile True: held.append(bytearray(b'x' * 1024 * 1024))"
WAITS = "input()"
KILLED = -9


@pytest.mark.parametrize("name", ["server", "client 2"])
def test_a_process_above_the_limit_is_ended_with_all_others(name, deadline_s):
    with python(GROWS) as large, python(WAITS) as small:
        processes = {name: large, "client": small}
        with MemoryLimit(processes, 200 * MIB) as limit:
            assert large.wait(deadline_s) == KILLED
            assert small.wait(deadline_s) == KILLED
        failure = limit.failure
    assert isinstance(failure, OutOfMemory)
    assert failure.process == end_of_name(name)
    assert str(failure).endswith(" s: more than 0.2 GiB are not allowed")


def test_the_machine_keeps_a_reserve(deadline_s, monkeypatch):
    monkeypatch.setattr(memory_limit, "AVAILABLE_BYTES_MIN", 2**60)
    with python(WAITS) as process, MemoryLimit({"client": process}, 2**60) as limit:
        assert process.wait(deadline_s) == KILLED
    assert ": the machine had " in str(limit.failure)


def test_a_process_below_the_limit_is_not_ended():
    with python(WAITS) as process:
        with MemoryLimit({"client": process}, 2**60) as limit:
            pass
        assert limit.failure is None
        assert process.status() is None


def test_processes_of_an_end_are_identified_by_their_names():
    assert [end_of_name(name) for name in ("server", "server 2", "client 12")] == [
        "server",
        "server",
        "client",
    ]
