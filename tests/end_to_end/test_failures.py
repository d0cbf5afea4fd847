"""
Contestants that break their contract, all in one run.

Each becomes a failure of its kind, with what it said on stderr, and with nothing of it
left; those who keep the contract are measured all the same.
"""

import pytest

from autostrada.experiment.matrix import REFERENCE

LIMIT_S = 3

# What a fault is called, the failure's kind, words of its message and of its stderr.
FAULTS = [
    ("crashes-at-once", "crashed", "exited with 1 before it", "no reason comes to"),
    ("is-killed", "crashed", "ended by signal 9 before", "not feeling met"),
    ("crashes-with-a-child-that-talks", "crashed", "exited with 1", "was a child"),
    ("floods-stderr", "crashed", "exited with 1", "xxxx\nand that was all"),
    ("fails-after-its-result", "crashed", "exited with 1 after its result", "regrets"),
    ("hangs", "timed out", "still running when its time", "a long thought"),
    ("ignores-the-request-to-end", "timed out", "still running", "deaf on this ear"),
    ("closes-its-output", "timed out", "closed its output and went on", ""),
    ("does-not-exit", "timed out", "did not exit", ""),
    (
        "prints-invalid-output",
        "invalid output",
        "'received quite a lot'",
        "how it came about",
    ),
    ("prints-an-unknown-event", "invalid output", "unknown event", ""),
    ("prints-a-long-number", "invalid output", "no JSON object", ""),
    ("prints-another-result", "invalid output", "messages: ", ""),
    ("prints-after-its-result", "invalid output", "'and another thing' after", ""),
    ("ends-no-line", "invalid output", "a line without an end", ""),
    ("invents-seconds", "invalid output", '"second":', ""),
    ("counts-too-many", "miscounted", "counted 1,000,001 messages", ""),
    ("counts-too-few", "miscounted", "counted 999,999", "too small to see"),
    ("never-connects", "miscounted", "the server saw no connection", ""),
    ("only-connects", "miscounted", "the server saw no connection", ""),
    ("asks-for-less", "miscounted", "asked for 10 messages", ""),
    ("closes-early", "closed early", "it counted 500,000", "that is enough"),
    ("resets", "closed early", "broke the connection", ""),
    ("masks-nothing", "closed early", "broke the protocol", ""),
    ("disagrees", "disagreed", "the engine's clock", ""),
    ("leaves-a-child", "left behind", "processes of its group", ""),
    ("leaves-a-child-that-escapes", "left behind", "outlived it (1)", ""),
    ("leaves-a-child-that-talks", "left behind", "holds its output open", ""),
]
NAMES = [name for name, *_ in FAULTS]
GOOD = ["works", "talks-while-it-works"]


def contestant(variant):
    return f"faulty-client+{variant}"


@pytest.fixture(scope="module")
def run(place):
    place.add()
    place.add("faulty-missing", client=["./nothing-here"])
    place.add("faulty-build", build=["sh", "-c", "echo no such unit >&2; exit 4"])
    place.add("faulty-requirement", requirement=["echo", "Cobol"])
    broken = ["faulty-missing", "faulty-build", "faulty-requirement"]
    everybody = [contestant(name) for name in [*NAMES, *GOOD]]
    place.plan(*broken, *everybody, limit_s=LIMIT_S)
    return place.run()


@pytest.fixture(scope="module")
def failures(place, run):
    rows = place.query("SELECT contestant, kind, message, stderr_tail FROM failure")
    return {row["contestant"]: row for row in rows}


def test_the_run_comes_to_its_end(run):
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert "Who keeps the contract?" in run.stdout


def test_every_attempt_has_an_outcome(place, run):
    tried = [attempt[0] for attempt in place.attempts()]
    everybody = [contestant(name) for name in [*NAMES, *GOOD]]
    assert sorted(tried) == sorted([REFERENCE, "faulty-missing", *everybody])


# A machine that is busy with something else can set two clocks apart.
NOISE = {None, "disagreed"}


@pytest.mark.parametrize("name", [REFERENCE, *map(contestant, GOOD)])
def test_who_keeps_the_contract_is_not_blamed(failures, name):
    assert failures.get(name, {"kind": None})["kind"] in NOISE


def test_who_keeps_the_contract_is_measured_among_them(place, run):
    rows = place.query("SELECT contestant FROM trial WHERE outcome = 'measurement'")
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
def test_nothing_of_it_is_left(place, run, name, is_gone):
    pids = place.noted(name)
    # A trial that the machine has disturbed is repeated.
    [row] = place.query(
        f"SELECT count(*) AS trials FROM trial WHERE contestant = '{contestant(name)}'"
    )
    assert len(pids) == row["trials"] * (2 if "child" in name else 1)
    assert all(is_gone(pid) for pid in pids)


def test_a_failure_is_told_when_it_happens_and_shown_in_the_end(run):
    lines = run.stdout.splitlines()
    told = [line for line in lines if "faulty-client+closes-early" in line]
    assert "closed early: closed the connection when " in told[0]
    assert len(told) > 1


def test_a_program_that_is_not_there_is_a_failure_of_a_trial(failures):
    failure = failures["faulty-missing"]
    assert failure["kind"] == "crashed"
    assert "./nothing-here is not there" in failure["message"]


def test_who_cannot_be_built_is_a_failure_as_a_whole(place, failures):
    failure = failures["faulty-build"]
    assert failure["kind"] == "build failed"
    assert failure["stderr_tail"] == "no such unit"
    assert "faulty-build" not in {attempt[0] for attempt in place.attempts()}


def test_who_lacks_a_requirement_is_a_failure_with_its_remedy(failures):
    failure = failures["faulty-requirement"]
    assert failure["kind"] == "not installed"
    assert failure["message"] == "needs python (found Cobol): wait"


def test_a_client_that_joins_does_what_it_claims(own_place):
    place = own_place
    place.add()
    place.plan(messages=1000)
    text = place.experiment.read_text()
    place.experiment.write_text(
        text
        + text[text.index("[[workload]]") :].replace("many", "one")
        + "deflate = true\n"
    )
    assert place.run("--contestant", "faulty-client").returncode == 0
    trials = place.query(
        "SELECT workload, kind FROM trial LEFT JOIN failure USING (trial_id) "
        "WHERE client = 'faulty-client' ORDER BY workload"
    )
    assert [(each["workload"], each["kind"]) for each in trials] == [
        ("many-frames", None),
        ("one-frames", "not claimed"),
    ]
