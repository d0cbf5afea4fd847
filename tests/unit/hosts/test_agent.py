"""An agent without a cluster: it runs the engine in this process's children."""

import io
import json
import os
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import pytest

from autostrada.engine.process import (
    engine_command,
    engine_version,
    find_engine,
    read_event,
    send_document,
    serve_arguments,
)
from autostrada.hosts.agent import Agent
from autostrada.machine.process import Process

SERVER = {"format": 2, "listen": "127.0.0.1:0", "workload": {"kind": "push"}}


@pytest.fixture(scope="module")
def engine():
    return find_engine().read_bytes()


@pytest.fixture
def url():
    with Process(engine_command(serve_arguments(find_engine()), None)) as server:
        send_document(server, SERVER)
        yield read_event(server, "ready")["url"] + "/echo"


def plan(url, **more):
    phases = {"window_s": 0.2, "drain_s": 1}
    workload = {"kind": "echo", "phases": phases, **more}
    return json.dumps(
        {"format": 2, "url": url, "connections": 2, "awaits_start": True}
        | {"workload": workload}
    )


def lines_until(agent, event):
    """Poll until a line of an event is there; return all lines."""
    lines = []
    while not any(line["event"] == event for line in lines):
        answer = agent.poll()
        lines += map(json.loads, answer["lines"])
        assert answer["status"] is None or lines, answer["log"]
    return lines


def status(agent):
    while (answer := agent.poll())["status"] is None:
        time.sleep(0.01)
    return answer["status"]


def test_an_engine_begins_when_it_is_told(engine, url):
    agent = Agent(engine)
    agent.start(plan(url), {})
    lines_until(agent, "opened")
    at_ns = agent.clocks()[0] + 100_000_000
    agent.begin(at_ns)
    result = lines_until(agent, "result")[-1]
    assert result["window_start_ns"] >= at_ns
    assert result["exchange"]["completed"] > 0
    assert status(agent) == 0


def test_a_stopped_engine_prints_what_it_has_measured(engine, url):
    agent = Agent(engine)
    agent.start(plan(url), {})
    lines_until(agent, "opened")
    agent.stop()
    assert lines_until(agent, "result")[-1]["exchange"]["completed"] == 0
    assert status(agent) == 130


def test_files_of_a_plan_need_not_be_on_the_host(engine, url):
    agent = Agent(engine)
    payload = {"file": "NAME", "type": "text"}
    agent.start(plan(url, payload=payload), {"NAME": b"a message\n"})
    lines_until(agent, "opened")
    agent.begin(0)
    assert lines_until(agent, "result")[-1]["exchange"]["completed"] > 0


def test_a_refused_plan_has_a_status_and_a_cause(engine):
    agent = Agent(engine)
    agent.start("{}", {})
    assert status(agent) == 2
    assert "format" in agent.poll()["log"][-1]


def test_the_version_is_that_of_the_engine(engine):
    assert Agent(engine).probe()["version"].endswith(engine_version(find_engine()))


def test_an_engine_of_another_machine_is_no_program():
    probe = Agent(b"\x7fELF of another architecture").probe()
    assert (probe["version"], probe["error"]) == ("", "Exec format error")


def test_an_agent_leaves_no_file(engine, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = len(os.listdir("/proc/self/fd"))
    agent = Agent(engine)
    agent.probe()
    assert not list(Path(tmp_path).iterdir())
    assert len(os.listdir("/proc/self/fd")) == before + 1


def archive_of(folder):
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as packing:
        packing.add(folder, arcname="")
    return written.getvalue()


def run_client(agent, folder, script, environment, files):
    arguments = [sys.executable, "-c", script]
    assert agent.start_client(arguments, str(folder), environment, files) == ""
    lines = []
    while (answer := agent.poll())["status"] is None:
        lines += answer["lines"]
        time.sleep(0.01)
    return lines + answer["lines"], answer["status"]


def test_a_build_is_unpacked_once_and_its_client_runs_in_it(
    engine, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "host"))
    (tmp_path / "host").mkdir()
    build = tmp_path / "build"
    build.mkdir()
    (build / "message").write_text("from the build")
    (build / "link").symlink_to("/usr/bin/env")
    agent = Agent(engine)
    assert agent.unpacked("a-1") == ""
    folder = agent.unpacked("a-1", archive_of(build))
    assert Agent(engine).unpacked("a-1") == folder
    assert (Path(folder) / "link").readlink() == Path("/usr/bin/env")
    assert [each.name for each in Path(folder).parent.iterdir()] == ["a-1"]
    monkeypatch.setenv("RAY_OWN", "set")
    script = """
import os
print(open("message").read(), open(os.environ["CA"]).read(), "RAY_OWN" in os.environ)
"""
    lines, exit_status = run_client(
        agent, folder, script, {"CA": "NAME"}, {"NAME": b"of the trial"}
    )
    assert (lines, exit_status) == (["from the build of the trial False\n"], 0)


def test_a_client_that_cannot_be_started_has_a_cause(engine, tmp_path):
    cause = Agent(engine).start_client(["./nothing"], str(tmp_path), {}, {})
    assert "No such file" in cause


def test_a_killed_client_takes_its_group_along(engine, tmp_path, is_gone):
    agent = Agent(engine)
    script = """
import subprocess, sys
child = subprocess.Popen(["sleep", "600"])
print(child.pid, flush=True)
child.wait()
"""
    assert not agent.start_client([sys.executable, "-c", script], str(tmp_path), {}, {})
    lines = []
    while not (lines := lines + agent.poll()["lines"]):
        time.sleep(0.01)
    agent.kill()
    assert status(agent) == -9
    assert is_gone(int(lines[0]))


def test_processes_that_outlive_a_client_are_killed(engine, tmp_path, is_gone):
    agent = Agent(engine)
    script = """
import subprocess
quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
print(subprocess.Popen(["sleep", "600"], **quiet).pid)
"""
    lines, exit_status = run_client(agent, tmp_path, script, {}, {})
    assert exit_status == 0
    assert is_gone(int(lines[0]))
    assert agent.poll()["status"] == 0


def test_a_build_that_cannot_be_unpacked_leaves_nothing(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(tarfile.TarError):
        Agent(engine).unpacked("a-1", b"no archive")
    (builds,) = tmp_path.iterdir()
    assert not list(builds.iterdir())
