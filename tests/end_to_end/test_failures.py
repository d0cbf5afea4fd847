"""
Contestants that break their contract, all in one run.

Each becomes a failure of its kind, with its stderr, and leaves no process behind;
contestants that keep the contract are measured nevertheless. Invalid lines and time
limits are tests of tests/unit/runner/test_lines.py, counts and early ends those of
tests/unit/workloads/test_push.py.
"""

import pytest

from autostrada.experiment.matrix import REFERENCE

LIMIT_S = 120
"""Time limit of a trial, which none of these faults reaches."""

# Name of a fault, the failure's kind, parts of its message and of its stderr.
FAULTS = [
    ("crashes-at-once", "crashed", "exited with 1 before it", "no reason comes to"),
    ("is-killed", "crashed", "ended by signal 9 before", "not feeling met"),
    ("crashes-with-a-child-that-prints", "crashed", "exited with 1", "was a child"),
    ("floods-stderr", "crashed", "exited with 1", "xxxx\nand that was all"),
    (
        "prints-invalid-output",
        "invalid output",
        "'received quite a lot'",
        "how it came about",
    ),
    ("invents-seconds", "invalid output", '"second":', ""),
    ("never-connects", "miscounted", "the server saw no connection", ""),
    ("only-connects", "miscounted", "the server saw no connection", ""),
    ("closes-early", "closed early", "it counted 500,000", "that is enough"),
    ("disagrees", "disagreed", "that of the engine", ""),
    ("leaves-a-child", "left behind", "processes of its group", ""),
    ("leaves-a-child-that-escapes", "left behind", "outlived it (1)", ""),
]
NAMES = [name for name, *_ in FAULTS]
GOOD = ["works", "prints-while-it-works"]


def contestant(variant):
    return f"faulty-client+{variant}"


@pytest.fixture(scope="module")
def run(workspace):
    workspace.add()
    workspace.add("faulty-missing", client=["./nothing-here"])
    workspace.add("faulty-build", build=["sh", "-c", "echo no such unit >&2; exit 4"])
    workspace.add("faulty-requirement", requirement=["echo", "Cobol"])
    broken = ["faulty-missing", "faulty-build", "faulty-requirement"]
    all_contestants = [contestant(name) for name in [*NAMES, *GOOD]]
    workspace.plan(*broken, *all_contestants, limit_s=LIMIT_S)
    return workspace.run()


@pytest.fixture(scope="module")
def failures(workspace, run):
    rows = workspace.query("SELECT contestant, kind, message, stderr_tail FROM failure")
    return {row["contestant"]: row for row in rows}


def test_the_run_completes(run):
    assert run.returncode == 0, run.stderr
    assert "Who keeps the contract?" in run.stdout


def test_every_attempt_has_an_outcome(workspace, run):
    tried = [attempt[0] for attempt in workspace.attempts()]
    all_contestants = [contestant(name) for name in [*NAMES, *GOOD]]
    assert sorted(tried) == sorted([REFERENCE, "faulty-missing", *all_contestants])


# On a busy machine, two clocks may disagree.
NOISE = {None, "disagreed"}


@pytest.mark.parametrize("name", [REFERENCE, *map(contestant, GOOD)])
def test_a_contestant_that_keeps_the_contract_has_no_failure(failures, name):
    assert failures.get(name, {"kind": None})["kind"] in NOISE


def test_a_contestant_that_keeps_the_contract_is_measured(workspace, run):
    rows = workspace.query("SELECT contestant FROM trial WHERE outcome = 'measurement'")
    measured = {row["contestant"] for row in rows}
    assert measured
    assert measured <= {REFERENCE, *map(contestant, GOOD)}


@pytest.mark.parametrize(("name", "kind", "message", "tail"), FAULTS, ids=NAMES)
def test_a_fault_is_a_failure_of_its_kind(failures, name, kind, message, tail):
    failure = failures[contestant(name)]
    assert failure["kind"] == kind
    assert message in failure["message"]
    assert "\n" not in failure["message"]
    assert tail in failure["stderr_tail"]
    assert len(failure["stderr_tail"]) <= 4096


@pytest.mark.parametrize("name", NAMES)
def test_no_process_of_a_fault_is_left(workspace, run, name, is_gone):
    pids = workspace.noted(name)
    # A disturbed trial is repeated.
    [row] = workspace.query(
        f"SELECT count(*) AS trials FROM trial WHERE contestant = '{contestant(name)}'"
    )
    assert len(pids) == row["trials"] * (2 if "child" in name else 1)
    assert all(is_gone(pid) for pid in pids)


def test_a_failure_is_reported_when_it_happens_and_at_the_end(run):
    lines = run.stderr.splitlines()
    printed = [line for line in lines if "faulty-client+closes-early" in line]
    assert "closed early: closed the connection when " in printed[0]
    assert "Failed: " in run.stdout


def test_a_missing_program_is_a_failure_of_a_trial(failures):
    failure = failures["faulty-missing"]
    assert failure["kind"] == "crashed"
    assert "./nothing-here does not exist" in failure["message"]


def test_a_failed_build_is_a_failure_of_the_contestant(workspace, failures):
    failure = failures["faulty-build"]
    assert failure["kind"] == "build failed"
    assert failure["stderr_tail"] == "no such unit"
    assert "faulty-build" not in {attempt[0] for attempt in workspace.attempts()}


def test_a_missing_requirement_is_a_failure_with_its_remedy(failures):
    failure = failures["faulty-requirement"]
    assert failure["kind"] == "not installed"
    assert failure["message"] == "needs python (found Cobol): wait"


def test_a_joining_client_runs_only_the_workloads_that_it_claims(own_workspace):
    workspace = own_workspace
    workspace.add()
    workspace.plan(messages=1000)
    text = workspace.experiment.read_text()
    workspace.experiment.write_text(
        text
        + text[text.index("[[workload]]") :].replace("many", "one")
        + "deflate = true\n"
    )
    assert workspace.run("--contestant", "faulty-client").returncode == 0
    trials = workspace.query(
        "SELECT workload, kind FROM trial LEFT JOIN failure USING (trial_id) "
        "WHERE client = 'faulty-client' ORDER BY workload"
    )
    assert [(each["workload"], each["kind"]) for each in trials] == [
        ("many-frames", None),
        ("one-frames", "not claimed"),
    ]
