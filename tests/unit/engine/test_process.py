"""The engine as a process: it accepts plans, and its lines are parsed."""

import json
import sys
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.unit.programs import fake_engine

from autostrada.engine import process as process_module
from autostrada.engine.plans import serve_plan
from autostrada.engine.process import (
    LINE_BYTES_MAX,
    engine_command,
    engine_version,
    find_engine,
    read_event,
    send_document,
    serve_arguments,
)
from autostrada.errors import EngineError, UsageError
from autostrada.machine.process import Process


@pytest.fixture
def engine():
    return find_engine()


def test_it_has_the_version_of_this_package(engine):
    assert engine_version(engine).startswith(version("autostrada"))


def test_it_is_installed_beside_this_python(engine):
    assert engine.parent == Path(sys.executable).parent


def test_it_is_searched_on_the_path_otherwise(monkeypatch, tmp_path):
    program = fake_engine(tmp_path, "")
    program.rename(tmp_path / "autostrada-engine")
    monkeypatch.setattr(process_module.sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_engine() == tmp_path / "autostrada-engine"


def test_a_missing_engine_names_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr(process_module.sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="make setup"):
        find_engine()


def test_an_engine_that_does_not_run_is_an_engine_error(tmp_path):
    program = fake_engine(tmp_path, "import sys; sys.exit('wrong machine')")
    with pytest.raises(EngineError, match="does not run: wrong machine"):
        engine_version(program)


@contextmanager
def running(arguments, plan):
    with Process(engine_command(arguments, None)) as process:
        send_document(process, plan)
        yield process


def test_a_refused_plan_is_an_engine_error(engine):
    with (
        pytest.raises(EngineError, match=r"engine ended: .*colour"),
        running(serve_arguments(engine), serve_plan(colour="red")) as server,
    ):
        read_event(server, "ready")


def test_a_killed_engine_is_an_engine_error(engine):
    with running(serve_arguments(engine), serve_plan()) as server:
        read_event(server, "ready")
        server.kill()
        with pytest.raises(EngineError, match="engine ended"):
            read_event(server, "result")


def test_an_engine_that_does_not_become_ready_is_an_engine_error(tmp_path):
    silent = [str(fake_engine(tmp_path, "input(); input()"))]
    with (
        running(silent, {}) as server,
        pytest.raises(EngineError, match="engine printed no result"),
    ):
        read_event(server, "result", limit_s=0.05)


@pytest.mark.parametrize(
    "line", ["nonsense", "x" * (LINE_BYTES_MAX + 1)], ids=["text", "endless"]
)
def test_an_engine_with_other_output_is_an_engine_error(tmp_path, line):
    arguments = [
        str(fake_engine(tmp_path, f"print('x' * {len(line)}); input(); input()"))
    ]
    with (
        running(arguments, {}) as server,
        pytest.raises(EngineError, match="engine printed no ready"),
    ):
        read_event(server, "ready")


def test_lines_of_other_events_are_skipped(tmp_path):
    second = {"event": "second", "second": 0, "messages": 7, "bytes": 77}
    lines = [second, {"event": "result", "messages": 9}]
    script = "".join(f"print({json.dumps(each)!r})\n" for each in lines)
    with running([str(fake_engine(tmp_path, script))], {}) as server:
        assert read_event(server, "result")["messages"] == 9
