"""Runs that do not come to their end, and how they are gone on with."""

import os
import signal
from collections import Counter

import pytest

from autostrada.machine.process import children_of

WORKS = "faulty-client"
HANGS = f"{WORKS}+hangs"
REPETITIONS = 2
TRIALS = 3 * REPETITIONS


@pytest.fixture
def hanging(own_place):
    """Begin a run, and return it while a trial is in flight that will not end."""
    own_place.add()
    own_place.plan(WORKS, HANGS, repetitions=REPETITIONS, limit_s=600, messages=20_000)
    # Seed 1 draws another contestant first: there is something to keep.
    os.mkfifo(own_place.notes / "hangs")
    process = own_place.start("--seed", "1")
    with (own_place.notes / "hangs").open() as pipe:
        client = int(pipe.readline())
    started = {client, *children_of(process.pid)}
    assert len(started) == 3, "a client, the engine, and what observes them"
    yield own_place, process, started
    if process.poll() is None:
        process.kill()
    process.communicate()


def end(hanging, number):
    """Send a signal; return the status, what was printed, and the finished trials."""
    place, process, _ = hanging
    (place.notes / "hangs").unlink()
    process.send_signal(number)
    printed, complaint = process.communicate(timeout=60)
    finished = [line for line in printed.splitlines() if f"/{TRIALS} " in line]
    return process.returncode, finished, complaint


def go_on(place):
    resumed = place.run("--resume", FAULTS_OFF="1")
    assert resumed.returncode == 0, resumed.stderr
    return resumed


def assert_every_attempt_was_made_once(place):
    planned = [
        (contestant, "many-frames", False, repetition)
        for contestant in ("reference", WORKS, HANGS)
        for repetition in range(REPETITIONS)
    ]
    assert Counter(place.attempts()) == Counter(planned)
    assert len(place.query("SELECT * FROM run")) == 1


def test_ctrl_c_keeps_what_is_finished_and_leaves_no_process(hanging, is_gone):
    place, _, started = hanging
    status, finished, complaint = end(hanging, signal.SIGINT)
    assert status == 130
    assert complaint == "interrupted; finished trials are kept, --resume goes on\n"
    assert all(is_gone(pid) for pid in started)
    assert 0 < len(finished) == len(place.attempts()) < TRIALS
    assert HANGS not in {attempt[0] for attempt in place.attempts()}


def test_what_ctrl_c_interrupted_is_gone_on_with(hanging):
    place, _, _ = hanging
    _, finished, _ = end(hanging, signal.SIGINT)
    resumed = go_on(place)
    left = TRIALS - len(finished)
    assert f"{left} trials; {len(finished)} were made earlier" in resumed.stdout
    assert_every_attempt_was_made_once(place)


def test_a_request_to_end_leaves_no_process_either(hanging, is_gone):
    place, _, started = hanging
    status, finished, complaint = end(hanging, signal.SIGTERM)
    assert status == 128 + signal.SIGTERM
    assert "Traceback" not in complaint
    assert all(is_gone(pid) for pid in started)
    assert len(place.attempts()) == len(finished)
    go_on(place)
    assert_every_attempt_was_made_once(place)


def test_after_a_kill_the_run_is_gone_on_with(hanging, is_gone):
    place, _, started = hanging
    status, finished, _ = end(hanging, signal.SIGKILL)
    assert status == -signal.SIGKILL
    assert all(is_gone(pid) for pid in started)
    assert len(place.attempts()) == len(finished)
    resumed = go_on(place)
    assert "Who keeps the contract?" in resumed.stdout
    assert_every_attempt_was_made_once(place)


def test_ctrl_c_while_a_contestant_is_built_leaves_no_process(own_place, is_gone):
    note = own_place.notes / "build"
    os.mkfifo(note)
    script = 'echo $$ >"$FAULT_NOTES/build"; exec sleep 600'
    own_place.add("faulty-building", build=["sh", "-c", script])
    own_place.plan("faulty-building")
    with own_place.start() as process:
        with note.open() as pipe:
            builder = int(pipe.readline())
        process.send_signal(signal.SIGINT)
        printed, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert printed == "building faulty-building\n"
    assert complaint.startswith("interrupted; ")
    assert is_gone(builder)
    assert own_place.attempts() == []


def test_a_run_that_is_killed_again_and_again_is_complete_in_the_end(own_place):
    own_place.add()
    own_place.plan(WORKS, HANGS, repetitions=REPETITIONS, messages=1_000)
    more = []
    for _ in range(TRIALS - 1):
        with own_place.start(*more, FAULTS_OFF="1") as process:
            if any(line.startswith("1/") for line in process.stdout):
                process.kill()
        more = ["--resume"]
    go_on(own_place)
    assert_every_attempt_was_made_once(own_place)


@pytest.fixture
def interrupted(own_place):
    """Return a place with a run of which trials are missing."""
    own_place.add("faulty-changing")
    own_place.plan("faulty-changing", repetitions=10, messages=1_000)
    with own_place.start() as process:
        assert any(line.startswith("1/20 ") for line in process.stdout)
        process.kill()
    assert 1 <= len(own_place.attempts()) < 20
    return own_place


def refusal(place, *more):
    before = place.attempts()
    refused = place.run("--resume", *more)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert refused.stderr.startswith("autostrada: ")
    assert refused.stderr.count("\n") == 1
    assert place.attempts() == before
    return refused.stderr


def test_an_experiment_that_has_changed_is_not_gone_on_with(interrupted):
    text = interrupted.experiment.read_text()
    interrupted.experiment.write_text(text.replace("1000", "2000"))
    assert "faults has changed since run 1 began" in refusal(interrupted)
    interrupted.experiment.write_text(text)
    go_on(interrupted)
    assert len(interrupted.attempts()) == 20


def test_a_contestant_that_has_changed_is_not_gone_on_with(interrupted):
    program = interrupted.contestants / "faulty-changing" / "client.py"
    program.write_text(program.read_text() + "\n# changed\n")
    assert "faulty-changing has changed since run 1 began" in refusal(interrupted)


def test_settings_cannot_be_changed_on_the_way(interrupted):
    assert "leave out --contestant" in refusal(interrupted, "--repetitions", "3")


def test_there_may_be_nothing_to_go_on_with(own_place):
    own_place.add()
    own_place.plan(WORKS)
    refused = own_place.run("--resume")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "does not exist; autostrada run makes it" in refused.stderr
    assert not own_place.store.exists()


def test_a_complete_run_is_only_reported_again(own_place):
    own_place.add()
    own_place.plan(WORKS, messages=1_000)
    first = own_place.run()
    again = own_place.run("--resume")
    assert (first.returncode, again.returncode) == (0, 0)
    assert "0 trials; 2 were made earlier" in again.stdout
    assert len(own_place.attempts()) == 2
