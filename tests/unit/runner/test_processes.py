"""The processes of a trial: how they start, listen and end."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.definitions import define, make_experiment

from autostrada.engine.process import find_engine
from autostrada.errors import Crashed, EngineError, LeftBehind, TimedOut
from autostrada.machine import process
from autostrada.machine.host import this_host
from autostrada.machine.ports import reserved_port
from autostrada.runner import processes
from autostrada.runner.context import RunContext
from autostrada.runner.endpoints import BuiltProgram
from autostrada.runner.processes import serving, waiting
from autostrada.runner.topology import topology_of

LISTENS = """
import os, socket, sys
server = socket.create_server((os.environ["HOST"], int(os.environ["PORT"])))
"""
IGNORES = LISTENS + "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
LEAVES = """
import signal, subprocess, sys
child = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=1);"
arguments = [sys.executable, "-c", child + "import time; time.sleep(30)"]
started = subprocess.Popen(arguments, stdout=-1, stderr=ERRORS)
started.stdout.read(1)

"""


CONTEXT = RunContext(
    experiment=make_experiment(
        define("feed", feed="sequence", seconds=0.1), define("echo", window_s=0.1)
    ),
    engine=find_engine(),
    host=this_host(),
)
FEED, ECHO = CONTEXT.experiment.workload


@pytest.fixture
def instances():
    """Return a function that makes the instances of a server and of a client."""
    with reserved_port() as port:

        def make(server=None, client=None, workload=FEED):
            ends = CONTEXT.endpoints(server=server, client=client)
            topology = topology_of(CONTEXT, ends, workload, [port])
            return topology.servers[0], topology.clients[0]

        yield make


def python(code):
    return BuiltProgram(arguments=[sys.executable, "-c", code], folder=Path())


@pytest.mark.parametrize("workload", [FEED, ECHO], ids=lambda each: each.name)
def test_a_contestant_receives_its_address_and_ends_on_sigterm(instances, workload):
    of_server, _ = instances(python(LISTENS + "sys.stdin.read()"), workload=workload)
    with serving(of_server) as server:
        assert server.process.status() is None
        server.stop()
        assert server.process.status() is not None


def test_a_server_that_ends_before_it_listens_is_a_failure(instances):
    of_server, _ = instances(python("import sys; sys.exit('has nowhere to listen')"))
    with (
        pytest.raises(Crashed, match="exited with 1 before it listened") as caught,
        serving(of_server),
    ):
        pass
    assert caught.value.process == "server"
    assert caught.value.stderr_tail == "has nowhere to listen"


def test_a_server_that_does_not_listen_is_a_failure(instances, monkeypatch):
    monkeypatch.setattr(processes, "LISTEN_LIMIT_S", 0.0)
    of_server, _ = instances(python("input()"))
    with (
        pytest.raises(
            TimedOut, match="did not listen on its port within 0 s"
        ) as caught,
        serving(of_server),
    ):
        pass
    assert caught.value.process == "server"


def test_a_program_that_cannot_be_started_is_a_failure(instances):
    missing = BuiltProgram(arguments=["./nobody"], folder=Path())
    of_server, of_client = instances(missing, missing)
    message = "cannot be started: ./nobody does not exist"
    with pytest.raises(Crashed, match=message) as caught, serving(of_server):
        pass
    assert caught.value.process == "server"
    with pytest.raises(Crashed, match=message) as caught, waiting(of_client):
        pass
    assert caught.value.process == "client"


def test_a_client_waits_behind_the_start_barrier(instances, deadline_s):
    program = python("import os; print(os.getpid()); input()")
    _, of_client = instances(client=program)
    with waiting(of_client) as client:
        client.start({})
        # It is the process that waited, with its own input.
        assert int(client.process.read_line(deadline_s)) == client.process.pid
        assert client.process.status() is None


def test_an_engine_that_ends_while_it_serves_is_an_engine_error(instances):
    of_server, _ = instances()
    with serving(of_server) as server:
        server.check()
        os.kill(server.process.pid, 9)
        server.process.end()
        with pytest.raises(EngineError, match="ended by signal 9 while it served"):
            server.check()


def test_a_plan_that_the_engine_refuses_is_an_engine_error(instances):
    of_server, _ = instances()
    launch = replace(of_server.launch, documents=[{"format": 0}])
    with (
        pytest.raises(EngineError, match="missing field `workload`"),
        serving(replace(of_server, launch=launch)),
    ):
        pass


def test_a_server_that_does_not_end_is_a_failure(instances, monkeypatch):
    for module in (processes, process):
        monkeypatch.setattr(module, "TERMINATION_S", 0.1)
    of_server, _ = instances(python(IGNORES + "sys.stdin.read()"))
    with pytest.raises(TimedOut, match="of SIGTERM"), serving(of_server) as server:
        server.stop()


@pytest.mark.parametrize(
    ("errors", "message"),
    [(-3, "processes of its group outlived it"), (None, "keeps its output open")],
)
def test_a_process_that_a_server_leaves_behind_is_a_failure(
    instances, errors, message, monkeypatch
):
    monkeypatch.setattr(processes, "TERMINATION_S", 1.0)
    code = LEAVES.replace("ERRORS", str(errors)) + LISTENS + "sys.stdin.read()"
    of_server, _ = instances(python(code))
    with pytest.raises(LeftBehind, match=message), serving(of_server) as server:
        server.stop()


def test_a_failure_of_the_engine_is_an_engine_error_except_a_timeout(instances):
    of_server, _ = instances()
    with serving(of_server) as server:
        assert isinstance(server.fault(Crashed("gone")), EngineError)
        waited = server.fault(TimedOut("waits"))
    assert (type(waited), waited.process) == (TimedOut, "client")
