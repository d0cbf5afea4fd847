"""A server in a trial: it listens, or fails with a name."""

import os
import sys
from pathlib import Path

import pytest

from autostrada.errors import Crashed, EngineError
from autostrada.machine.host import this_host
from autostrada.plan.catalog import find_catalog
from autostrada.runner.engine import find_engine
from autostrada.runner.trial.cast import Course, Program
from autostrada.runner.trial.server import running_contestant, running_engine

LISTENS = """
import os, socket
with socket.create_server((os.environ["HOST"], int(os.environ["PORT"]))) as server:
    while server.accept():
        pass
"""
FAILS = "import sys; sys.exit('no reason')"


@pytest.fixture
def course():
    experiment = find_catalog().experiment("race").experiment
    return Course(experiment=experiment, engine=find_engine(), host=this_host())


def program(script):
    return Program(words=[sys.executable, "-c", script], folder=Path())


def test_a_contestant_listens_where_it_is_told(course):
    with running_contestant(course, program(LISTENS), {"FEED": ""}) as server:
        server.check()
        assert server.address.startswith("127.0.0.1:")


@pytest.mark.parametrize(
    ("script", "message"),
    [(FAILS, "exited with 1 while"), (None, "cannot be started: ")],
)
def test_one_that_does_not_has_crashed(course, script, message):
    broken = program(script) if script else Program(words=["./none"], folder=Path())
    with (
        pytest.raises(Crashed, match=message) as raised,
        running_contestant(course, broken, {}),
    ):
        pass
    assert raised.value.process == "server"
    assert raised.value.stderr_tail == ("no reason" if script else "")


def test_one_that_ends_later_is_found_out(course):
    with running_contestant(course, program(LISTENS), {}) as server:
        server.process.end()
        with pytest.raises(Crashed, match="ended by signal 15 while it served"):
            server.check()


def test_the_engine_listens_or_has_failed(course):
    def plan(address):
        return {"format": 1, "listen": address, "workload": {"kind": "push"}}

    with running_engine(course, plan) as server:
        server.check()
        os.kill(server.process.pid, 9)
        server.process.end()
        with pytest.raises(EngineError, match="engine ended by signal 9 while"):
            server.check()


def test_a_plan_that_the_engine_refuses_is_our_fault(course):
    with (
        pytest.raises(EngineError, match="missing field `workload`"),
        running_engine(course, lambda _: {"format": 0}),
    ):
        pass
