"""The engine as a process: its plans are taken, its lines are understood."""

import json
import os
import signal
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from autostrada.contestants.catalog import find_catalog
from autostrada.errors import EngineError, UsageError
from autostrada.machine.process import Command, Process
from autostrada.runner import engine as engine_module
from autostrada.runner.engine import (
    engine_version,
    find_engine,
    load_plan,
    serve_plan,
    serving,
)
from autostrada.runner.trial.client import ClientResult, parse_line


@pytest.fixture
def engine():
    return find_engine()


@pytest.fixture
def experiment():
    experiment = find_catalog().experiment("race").experiment
    return experiment.model_copy(update={"limit_s": 20.0})


@pytest.fixture
def workload(experiment):
    return experiment.workload[0].model_copy(update={"messages": 1_000})


def fake(tmp_path, script):
    """Return an engine that prints what a script says."""
    program = tmp_path / "engine"
    program.write_text(f"#!{sys.executable}\n{script}")
    program.chmod(0o755)
    return program


READY = """
print('{"event":"ready","format":2,"version":"0","url":"ws://h:1"}', flush=True)
"""


def test_server_and_client_of_the_engine_agree(
    engine, experiment, workload, deadline_s
):
    plan = serve_plan(experiment, workload)
    load = Command(words=[str(engine), "load"], folder=Path())
    with serving(engine, plan, cpus=None) as server, Process(load) as client:
        url = f"{server.url}/{workload.messages}"
        client.send(json.dumps(load_plan(experiment, workload, url)) + "\n")
        server.observe({"client": client.pid, "server": server.pid})
        lines = []
        while (line := client.read_line(deadline_s)) is not None:
            lines.append(line)
        served = server.served()
    received = parse_line(lines[-1], ClientResult)
    assert isinstance(received, ClientResult)
    assert received.messages == served.result.messages == 1_000
    assert received.bytes == served.result.bytes == 11_000
    assert served.result.ended == "complete"
    assert served.result.close_code == 1000
    assert served.result.acknowledged_bytes == served.result.wire_bytes == 13_000
    assert set(served.result.processes) == {"client", "server"}


def test_compression_is_granted_and_offered_where_the_workload_has_it(
    experiment, workload
):
    url = "ws://127.0.0.1:8008/1000"
    assert "compression" not in serve_plan(experiment, workload)
    assert "compression" not in load_plan(experiment, workload, url)
    compressed = workload.model_copy(update={"deflate": True})
    assert serve_plan(experiment, compressed)["compression"] == {}
    assert load_plan(experiment, compressed, url)["compression"] == {}


def test_it_has_the_version_of_this_package(engine):
    assert engine_version(engine).startswith(version("autostrada"))


def test_it_lies_beside_this_python(engine):
    assert engine.parent == Path(sys.executable).parent


def test_it_is_looked_up_on_the_path_where_it_is_not_beside(monkeypatch, tmp_path):
    program = fake(tmp_path, "")
    program.rename(tmp_path / "autostrada-engine")
    monkeypatch.setattr(engine_module.sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_engine() == tmp_path / "autostrada-engine"


def test_an_engine_that_is_not_there_names_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr(engine_module.sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="make setup"):
        find_engine()


def test_an_engine_that_does_not_run_is_an_error_of_ours(tmp_path):
    program = fake(tmp_path, "import sys; sys.exit('wrong machine')")
    with pytest.raises(EngineError, match="does not run: wrong machine"):
        engine_version(program)


def test_a_plan_the_engine_refuses_is_an_error_of_ours(engine, experiment, workload):
    plan = serve_plan(experiment, workload) | {"colour": "red"}
    with (
        pytest.raises(EngineError, match=r"engine ended: .*colour"),
        serving(engine, plan, cpus=None),
    ):
        pytest.fail("it must not get ready")


def test_an_unknown_congestion_control_names_what_there_is(
    engine, experiment, workload
):
    unknown = experiment.model_copy(update={"congestion_control": "none"})
    with (
        pytest.raises(EngineError, match=r"\"none\".* offers: .*reno"),
        serving(engine, serve_plan(unknown, workload), cpus=None),
    ):
        pytest.fail("it must not get ready")


def test_an_engine_that_is_killed_is_an_error_of_ours(engine, experiment, workload):
    with serving(engine, serve_plan(experiment, workload), cpus=None) as server:
        server.check()
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(EngineError, match="engine ended"):
            server.served()
        with pytest.raises(EngineError, match="engine ended"):
            server.check()


def test_a_connection_that_is_not_over_has_no_result(
    engine, experiment, workload, monkeypatch
):
    monkeypatch.setattr(engine_module, "RESULT_LIMIT_S", 0.05)
    with serving(engine, serve_plan(experiment, workload), cpus=None) as server:
        assert server.served() is None


def test_an_engine_that_does_not_get_ready_is_an_error_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(engine_module, "READY_LIMIT_S", 0.05)
    silent = fake(tmp_path, "input(); input()")
    with (
        pytest.raises(EngineError, match="does not get ready"),
        serving(silent, {}, cpus=None),
    ):
        pytest.fail("it must not get ready")


@pytest.mark.parametrize(
    "line",
    [
        "rubbish",
        "[]",
        '{"event":"ready"}',
        '{"event":"ready","url":"ws://h:1"}',
        "x" * 99_999,
    ],
    ids=["text", "list", "short", "without a format", "endless"],
)
def test_an_engine_that_prints_something_else_is_an_error_of_ours(tmp_path, line):
    with (
        pytest.raises(EngineError, match="engine printed"),
        serving(fake(tmp_path, f"print({line!r}); input(); input()"), {}, cpus=None),
    ):
        pytest.fail("it must not get ready")


SECOND = {"event": "second", "second": 0, "messages": 7, "bytes": 77}
RESULT = {
    "event": "result",
    "messages": 9,
    "bytes": 99,
    "acknowledged_bytes": 117,
    "wire_bytes": 117,
    "write_calls": 1,
    "first_sent_ns": 1,
    "last_sent_ns": 2,
    "closed_ns": 3,
    "busy_ns": 1,
    "blocked_ns": 0,
    "close_code": None,
    "ended": "complete",
    "congestion_control": "reno",
    "processes": {},
}


def print_lines(*documents):
    return READY + "".join(f"print({json.dumps(each)!r})\n" for each in documents)


def test_seconds_come_before_the_result(tmp_path):
    program = fake(tmp_path, print_lines(SECOND, RESULT))
    with serving(program, {}, cpus=None) as server:
        served = server.served()
    assert [second.messages for second in served.seconds] == [7]
    assert served.result.messages == 9


@pytest.mark.parametrize(
    "change",
    [{"messages": -1}, {"messages": "9"}, {"ended": "well"}, {"colour": "red"}],
    ids=str,
)
def test_a_result_of_another_kind_is_an_error_of_ours(tmp_path, change):
    program = fake(tmp_path, print_lines(RESULT | change))

    def serve():
        with serving(program, {}, cpus=None) as server:
            server.served()

    with pytest.raises(EngineError, match="unknown line"):
        serve()


def test_plans_say_what_the_experiment_says(experiment, workload):
    plan = serve_plan(experiment, workload)
    assert plan["congestion_control"] == experiment.congestion_control
    assert plan["workload"]["frames_per_write"] == workload.frames_per_write
    free = experiment.model_copy(update={"congestion_control": None})
    assert "congestion_control" not in serve_plan(free, workload)
    load = load_plan(experiment, workload, "ws://h:1/1000")
    assert load["workload"]["messages"] == 1_000
    assert load["limit_s"] == 20


def test_a_limit_below_a_second_is_a_second(experiment, workload):
    short = experiment.model_copy(update={"limit_s": 0.2})
    assert load_plan(short, workload, "ws://h:1/1000")["limit_s"] == 1
