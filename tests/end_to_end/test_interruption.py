"""Interrupted runs, and how they are resumed."""

import os
import signal
from collections import Counter

import pytest

from autostrada.machine.orphans import children_of

WORKS = "faulty-client"
HANGS = f"{WORKS}+hangs"
REPETITIONS = 2
TRIALS = 3 * REPETITIONS


@pytest.fixture
def hanging(own_workspace):
    """Start a run, and return it during a trial that does not end."""
    own_workspace.add()
    own_workspace.plan(
        WORKS, HANGS, repetitions=REPETITIONS, limit_s=600, messages=20_000
    )
    # With seed 1, another contestant comes first, so that there are results to keep.
    os.mkfifo(own_workspace.notes / "hangs")
    process = own_workspace.start("--seed", "1")
    with (own_workspace.notes / "hangs").open() as pipe:
        client = int(pipe.readline())
    started = {client, *children_of(process.pid)}
    assert len(started) == 4, "a client, the engine, its observer, and the guardian"
    yield own_workspace, process, started
    if process.poll() is None:
        process.kill()
    process.communicate()


def end(hanging, number):
    """Send a signal; return the status, the finished trials, and all lines."""
    workspace, process, _ = hanging
    (workspace.notes / "hangs").unlink()
    process.send_signal(number)
    _, stderr = process.communicate(timeout=600)
    finished = [line for line in stderr.splitlines() if f"/{TRIALS} " in line]
    return process.returncode, finished, stderr


def go_on(workspace):
    resumed = workspace.run("--resume", FAULTS_OFF="1")
    assert resumed.returncode == 0, resumed.stderr
    return resumed


def assert_every_attempt_was_made_once(workspace):
    planned = [
        (contestant, "many-frames", repetition)
        for contestant in ("reference", WORKS, HANGS)
        for repetition in range(REPETITIONS)
    ]
    assert Counter(workspace.attempts()) == Counter(planned)
    assert len(workspace.query("SELECT * FROM run")) == 1


def test_a_run_interrupted_by_ctrl_c_leaves_no_process_and_is_resumed(hanging, is_gone):
    workspace, _, started = hanging
    status, finished, stderr = end(hanging, signal.SIGINT)
    assert status == 130
    assert stderr.endswith("interrupted; finished trials are stored: use --resume\n")
    assert all(is_gone(pid) for pid in started)
    assert 0 < len(finished) == len(workspace.attempts()) < TRIALS
    assert HANGS not in {attempt[0] for attempt in workspace.attempts()}
    resumed = go_on(workspace)
    left = TRIALS - len(finished)
    assert f"{left} trials; {len(finished)} were made earlier" in resumed.stderr
    assert_every_attempt_was_made_once(workspace)
    # A complete run is only reported.
    assert f"0 trials; {TRIALS} were made earlier" in go_on(workspace).stderr
    assert_every_attempt_was_made_once(workspace)


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_a_run_that_is_ended_leaves_no_process(hanging, is_gone, number, status):
    workspace, _, started = hanging
    ended, finished, stderr = end(hanging, number)
    assert ended == status
    assert "Traceback" not in stderr
    assert all(is_gone(pid) for pid in started)
    assert len(workspace.attempts()) == len(finished)


def test_ctrl_c_during_a_build_leaves_no_process(own_workspace, is_gone):
    note = own_workspace.notes / "build"
    os.mkfifo(note)
    script = 'echo $$ >"$FAULT_NOTES/build"; exec sleep 600'
    own_workspace.add("faulty-building", build=["sh", "-c", script])
    own_workspace.plan("faulty-building")
    with own_workspace.start() as process:
        with note.open() as pipe:
            builder = int(pipe.readline())
        process.send_signal(signal.SIGINT)
        printed, stderr = process.communicate(timeout=600)
    assert process.returncode == 130
    assert printed == ""
    assert stderr.startswith("building faulty-building\ninterrupted; ")
    assert is_gone(builder)
    assert own_workspace.attempts() == []


def test_a_run_that_is_killed_repeatedly_completes(own_workspace):
    own_workspace.add()
    own_workspace.plan(WORKS, HANGS, repetitions=REPETITIONS, messages=1_000)
    more = []
    for _ in range(2):
        with own_workspace.start(*more, FAULTS_OFF="1") as process:
            if any(line.startswith("1/") for line in process.stderr):
                process.kill()
        more = ["--resume"]
    go_on(own_workspace)
    assert_every_attempt_was_made_once(own_workspace)


def test_a_changed_contestant_is_not_resumed(own_workspace):
    own_workspace.add("faulty-changing")
    own_workspace.plan("faulty-changing", repetitions=10, messages=1_000)
    with own_workspace.start() as process:
        assert any(line.startswith("1/20 ") for line in process.stderr)
        process.kill()
    before = own_workspace.attempts()
    assert 1 <= len(before) < 20
    program = own_workspace.contestants / "faulty-changing" / "client.py"
    program.write_text(program.read_text() + "\n# changed\n")
    refused = own_workspace.run("--resume")
    assert (refused.returncode, refused.stdout) == (2, "")
    [line] = refused.stderr.splitlines()
    assert line.startswith("autostrada: ")
    assert "faulty-changing has changed since run 1 began" in line
    assert own_workspace.attempts() == before
