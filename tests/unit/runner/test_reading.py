"""Which of several failures is blamed, and that waiting for processes ends."""

import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.unit.programs import python

from autostrada.errors import Crashed, EngineError, InvalidOutput, OutOfMemory, TimedOut
from autostrada.runner.endpoints import BuiltProgram, ContestantClient, ContestantServer
from autostrada.runner.memory_limit import MemoryLimit
from autostrada.runner.processes import TrialProcess, likely_cause, read_all
from autostrada.runner.topology import Instance
from autostrada.workloads.report import Configuration

RESULT = '{"event":"result","messages":3,"bytes":33}'
RECEIVED = (
    '{"event":"result","connections":1,"messages":3,"bytes":33,'
    '"opened_ns":1,"received_ns":2,"wrong":0}'
)
SENDS = f"print('''{RESULT}'''); input()"
RECEIVES = f"print('''{RECEIVED}''')"
WAITS = "input()"
CRASHES = "import sys; sys.exit(3)"


CONFIGURATION = Configuration(plan=None, environment={})
SILENT = Configuration(plan=None, environment={}, has_result=False)


@pytest.fixture
def started():
    """Return a function that starts a contestant's process with a name."""
    with ExitStack() as stack:

        def start(name, code, configuration=CONFIGURATION):
            program = BuiltProgram(
                arguments=[sys.executable, "-c", code], folder=Path()
            )
            end = ContestantServer if name.startswith("server") else ContestantClient
            instance = Instance(
                name=name,
                endpoint=end(program),
                configuration=configuration,
                launch=None,
                port=1,
                cpus=frozenset(),
            )
            process = stack.enter_context(python(code))
            return TrialProcess(instance=instance, process=process)

        yield start


def limit_of(*processes):
    sizes = {each.instance.name: each.process for each in processes}
    return MemoryLimit(sizes, 2**60)


def test_all_are_read_in_order_of_those_with_a_report(started, deadline_s):
    processes = [started("server", SENDS), started("client", RECEIVES)]
    sent, received = read_all(processes, deadline_s, limit_of(*processes))
    assert (sent.messages, received.connections) == (3, 1)
    # A server without a report is expected to serve.
    processes = [started("server", WAITS, SILENT), started("client", RECEIVES)]
    (received,) = read_all(processes, deadline_s, limit_of(*processes))
    assert received.messages == 3


@pytest.mark.parametrize(
    ("server", "process"), [(WAITS, "client"), (CRASHES, "server")]
)
def test_after_a_failure_the_others_are_not_waited_for_and_the_server_is_blamed_first(
    started, deadline_s, server, process
):
    processes = [started("server", server), started("client", CRASHES)]
    with pytest.raises(Crashed, match="exited with 3") as caught:
        read_all(processes, deadline_s, limit_of(*processes))
    assert caught.value.process == process
    assert time.monotonic() < deadline_s


def test_of_two_that_wait_for_each_other_the_client_is_blamed(started):
    processes = [started("server", WAITS), started("client", WAITS)]
    with pytest.raises(TimedOut) as caught:
        read_all(processes, time.monotonic(), limit_of(*processes))
    assert caught.value.process == "client"


def test_a_process_ended_for_its_memory_is_blamed(started, deadline_s):
    processes = [started("server", CRASHES)]
    limit = limit_of(*processes)
    limit.failure = OutOfMemory("killed", process="server")
    with pytest.raises(OutOfMemory):
        read_all(processes, deadline_s, limit)


@pytest.mark.parametrize(
    ("cause", "others"),
    [
        (EngineError("engine"), [Crashed("gone", process="server")]),
        (Crashed("gone", process="server"), [InvalidOutput("?"), TimedOut("waits")]),
        (InvalidOutput("?"), [TimedOut("waits", process="server"), TimedOut("waits")]),
        (TimedOut("waits"), [TimedOut("waits", process="server")]),
    ],
)
def test_the_cause_is_distinguished_from_its_consequences(cause, others):
    assert likely_cause([cause, *others]) is cause
    assert likely_cause([*others, cause]) is cause


def test_a_silent_server_that_has_ended_is_blamed_before_its_clients(
    started, deadline_s
):
    server = started("server", CRASHES, SILENT)
    server.process.wait(deadline_s)
    for code in (CRASHES, RECEIVES):
        processes = [server, started("client", code)]
        with pytest.raises(Crashed, match="while it served") as caught:
            read_all(processes, deadline_s, limit_of(*processes))
        assert caught.value.process == "server"
