"""The processes of a trial: how they start, listen and end."""

import os
import sys
from pathlib import Path

import pytest

from autostrada.errors import Crashed, EngineError, LeftBehind, TimedOut
from autostrada.experiment.experiment import parse_experiment
from autostrada.machine import process
from autostrada.machine.host import this_host
from autostrada.runner.engine import find_engine
from autostrada.runner.trial import players
from autostrada.runner.trial.cast import Cast, Course, Program
from autostrada.runner.trial.feed.hearing import hear
from autostrada.runner.trial.players import Stage
from autostrada.runner.trial.script import Script, script_of

EXPERIMENT = """
title       = "Trials"
question    = "Who plays?"
repetitions = 1
warm_ups    = 0
limit_s     = 10

[[workload]]
name = "feed"
kind = "feed"
feed = "sequence"
seconds = 0.1

[[workload]]
name = "bots"
kind = "bots"
window_s = 0.1
"""
LISTENS = """
import os, socket, sys
server = socket.create_server((os.environ["HOST"], int(os.environ["PORT"])))
"""
IGNORES = LISTENS + "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
LEAVES = """
import signal, subprocess, sys
child = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=1);"
words = [sys.executable, "-c", child + "import time; time.sleep(30)"]
started = subprocess.Popen(words, stdout=-1, stderr=ERRORS)
started.stdout.read(1)

"""


OF_FEED = pytest.mark.parametrize("workload", [0], ids=["feed"], indirect=True)
"""Contestants are clients of nothing else here."""


@pytest.fixture(params=[0, 1], ids=["feed", "bots"])
def workload(request):
    return parse_experiment(EXPERIMENT, origin="trials.toml").workload[request.param]


@pytest.fixture
def stage(workload):
    experiment = parse_experiment(EXPERIMENT, origin="trials.toml")
    course = Course(experiment=experiment, engine=find_engine(), host=this_host())
    return Stage(course=course, script=script_of(course, workload, Cast()))


def python(code):
    return Program(words=[sys.executable, "-c", code], folder=Path())


@pytest.mark.parametrize("workload", [0], indirect=True)
def test_the_engine_plays_both_ends(stage, deadline_s):
    with (
        stage.serving("server", None) as server,
        stage.listening("client", None, server.port) as client,
    ):
        client.begin()
        delivered = hear(client, deadline_s)
        handed = hear(server, deadline_s)
    assert 0 < delivered.messages <= handed.messages


def test_a_contestant_is_told_where_to_listen_and_ends_when_asked(stage):
    with stage.serving("server", python(LISTENS + "sys.stdin.read()")) as server:
        assert server.process.status() is None
        server.stop()
        assert server.process.status() is not None


def test_a_server_that_ends_before_it_listens_is_a_failure(stage):
    ends = python("import sys; sys.exit('has nowhere to listen')")
    with (
        pytest.raises(Crashed, match="exited with 1 before it listened") as caught,
        stage.serving("server 2", ends),
    ):
        pass
    assert caught.value.process == "server"
    assert caught.value.stderr_tail == "has nowhere to listen"


def test_a_server_that_does_not_listen_is_a_failure(stage, monkeypatch):
    monkeypatch.setattr(players, "LISTEN_LIMIT_S", 0.0)
    with (
        pytest.raises(
            TimedOut, match="did not listen on its port within 0 s"
        ) as caught,
        stage.serving("server", python("input()")),
    ):
        pass
    assert caught.value.process == "server"


@OF_FEED
def test_who_cannot_be_started_is_a_failure(stage, deadline_s):
    nobody = Program(words=["./nobody"], folder=Path())
    with (
        pytest.raises(Crashed, match="cannot be started"),
        stage.serving("server", nobody),
    ):
        pass
    with stage.listening("client", nobody, 1) as client:
        client.begin()
        with pytest.raises(Crashed, match="exited with 127") as caught:
            hear(client, deadline_s)
    assert "nobody" in caught.value.stderr_tail


@OF_FEED
def test_a_contestant_waits_until_it_is_to_begin(stage, deadline_s):
    says = python("import os; print(os.getpid()); input()")
    with stage.listening("client", says, 1) as client:
        client.begin()
        # It is the process that waited, and its input is its own.
        assert int(client.process.read_line(deadline_s)) == client.process.pid
        assert client.process.status() is None


def test_a_server_that_ends_later_is_found_out(stage):
    with stage.serving("server", python(LISTENS + "sys.stdin.read()")) as server:
        server.check()
        server.process.end()
        with pytest.raises(
            Crashed, match="ended by signal 15 while it served"
        ) as found:
            server.check()
    assert found.value.process == "server"


def test_an_engine_that_ends_while_it_serves_is_our_fault(stage):
    with stage.serving("server", None) as server:
        server.check()
        os.kill(server.process.pid, 9)
        server.process.end()
        with pytest.raises(EngineError, match="ended by signal 9 while it served"):
            server.check()


def test_a_plan_that_the_engine_refuses_is_our_fault(stage, monkeypatch):
    monkeypatch.setattr(Script, "server_plan", lambda *_: {"format": 0})
    with (
        pytest.raises(EngineError, match="missing field `workload`"),
        stage.serving("server", None),
    ):
        pass


def test_a_server_that_does_not_end_is_a_failure(stage, monkeypatch):
    for module in (players, process):
        monkeypatch.setattr(module, "TERMINATION_S", 0.1)
    code = IGNORES + "sys.stdin.read()"
    with (
        pytest.raises(TimedOut, match="of SIGTERM"),
        stage.serving("server", python(code)) as server,
    ):
        server.stop()


@pytest.mark.parametrize(
    ("errors", "message"),
    [(-3, "processes of its group outlived it"), (None, "holds its output open")],
)
def test_what_a_server_leaves_behind_is_a_failure(stage, errors, message, monkeypatch):
    monkeypatch.setattr(players, "TERMINATION_S", 1.0)
    code = LEAVES.replace("ERRORS", str(errors)) + LISTENS + "sys.stdin.read()"
    with (
        pytest.raises(LeftBehind, match=message),
        stage.serving("server", python(code)) as server,
    ):
        server.stop()


def test_a_failure_of_the_engine_is_our_own_but_for_waiting_in_vain(stage):
    with stage.serving("server", None) as server:
        assert isinstance(server.fault(Crashed("gone")), EngineError)
        waited = server.fault(TimedOut("waits"))
    assert (type(waited), waited.process) == (TimedOut, "client")
