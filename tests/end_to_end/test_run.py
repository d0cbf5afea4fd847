"""A run from end to end: measurements, printed lines and stored results."""

import json
import os
import pty
import re
import subprocess
import sys

import pytest
from command_line import COMMAND, autostrada
from tests.unit.report.outline import embedded

from autostrada.experiment.matrix import REFERENCE

WORKS = "faulty-client"
HEAVY = ["duckdb", "numpy", "pydantic", "rich", "scipy"]


@pytest.fixture(scope="module")
def run(workspace):
    workspace.add()
    workspace.plan(WORKS, workloads=("many", "one"), repetitions=2, messages=20_000)
    finished = workspace.run(
        "--seed", "7", "--page", str(workspace.folder / "page.html")
    )
    assert finished.returncode == 0, finished.stderr
    return finished


def test_every_attempt_is_in_the_store_once(workspace, run):
    assert sorted(workspace.attempts()) == sorted(
        (name, workload, repetition)
        for name in (REFERENCE, WORKS)
        for workload in ("many-frames", "one-frames")
        for repetition in range(2)
    )


def test_each_event_is_one_plain_line(run):
    lines = run.stderr.splitlines()
    assert "8 trials" in lines
    printed = [line for line in lines if re.match(r"\d+/8 ", line)]
    assert [line.partition("/")[0] for line in printed] == list("12345678")
    assert "\x1b" not in run.stdout + run.stderr
    assert run.stdout.startswith("Who keeps the contract?")


def test_a_measurement_has_both_processes_and_both_series(workspace, run):
    rows = workspace.query(
        "SELECT measurement.*, "
        "(SELECT list(process ORDER BY process) FROM process_total "
        " WHERE trial_id = measurement.trial_id) AS observed, "
        "(SELECT list(DISTINCT process ORDER BY process) FROM second "
        " WHERE trial_id = measurement.trial_id) AS counted "
        "FROM measurement"
    )
    assert rows
    for row in rows:
        assert row["messages"] == 20_000
        assert row["payload_bytes"] == 220_000
        assert row["duration_ns"] > 0
        assert row["congestion_control"]
        assert row["observed"] == row["counted"] == ["client", "server"]


def test_the_circumstances_of_the_run_are_archived(workspace, run):
    [row] = workspace.query("SELECT * FROM run")
    assert row["definition"] == workspace.experiment.read_text()
    assert json.loads(row["plan"]) == {
        "contestants": [WORKS],
        "repetitions": 2,
        "first_repetition": 0,
        "seed": 7,
        "is_quick": False,
        "overrides": [],
        "workloads": [],
        "budget_s": None,
        "rule": "",
        "cpus": None,
        "long_warm_ups": [],
        "sides": None,
    }
    assert "--seed 7" in row["command"]
    assert json.loads(row["host"])["cores"] == len(os.sched_getaffinity(0))


def test_the_measured_versions_are_archived(workspace, run):
    rows = workspace.query(
        "SELECT contestant, version, toolchain FROM contestant_version ORDER BY ALL"
    )
    assert rows[0] == {"contestant": WORKS, "version": "1.0", "toolchain": "Python"}
    assert rows[1]["contestant"] == REFERENCE


def test_the_page_is_written_to_the_given_path(workspace, run):
    page = workspace.folder / "page.html"
    assert page.read_text().startswith("<!doctype html>")
    assert run.stdout.splitlines()[-1] == f"page: {page}"


def test_the_report_is_reproduced_from_the_store_alone(workspace, run):
    page = workspace.folder / "again.html"
    made = autostrada("report", str(workspace.store), "--page", str(page))
    assert made.returncode == 0, made.stderr
    assert re.search(rf"^ *{REFERENCE} ", made.stdout, re.MULTILINE)
    assert "one frame per system call" in made.stdout
    assert "many frames per system call" in made.stdout
    first = (workspace.folder / "page.html").read_text()
    assert page.read_text() == first.replace('"page.parquet"', '"again.parquet"')


def shown_commands(page):
    """Return the commands of a page, by the second word of each."""
    sections = embedded(page.read_text())["sections"]
    blocks = [block for section in sections for block in section["blocks"]]
    [commands] = [each["items"] for each in blocks if each["type"] == "Commands"]
    return {command.split()[1]: command for command, _ in commands}


def in_a_shell(command, workspace):
    """Run a copied command in a shell that finds autostrada."""
    path = os.pathsep.join([str(COMMAND.parent), os.environ["PATH"]])
    finished = subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=workspace.environment(PATH=path),
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_the_commands_of_a_page_can_be_run_as_shown(own_workspace):
    own_workspace.add()
    own_workspace.add("faulty-other")
    own_workspace.plan(WORKS, "faulty-other", messages=1_000)
    options = ["--contestant", WORKS, "--set", "many-frames.messages=2000"]
    first = own_workspace.run(*options)
    assert first.returncode == 0, first.stderr
    page = own_workspace.store.with_name("faults-1.html")
    written = page.read_text()
    shown = shown_commands(page)
    assert shown.keys() == {"run", "plan", "report"}

    planned = in_a_shell(shown["plan"], own_workspace)
    assert f"# many-frames: {REFERENCE} serves {WORKS}\n" in planned
    assert "MESSAGES=2000" in planned
    assert "faulty-other" not in planned

    page.unlink()
    again = in_a_shell(shown["report"], own_workspace)
    assert again.splitlines()[-1] == first.stdout.splitlines()[-1]
    assert page.read_text() == written

    in_a_shell(shown["run"], own_workspace)
    rows = own_workspace.query(
        "SELECT run_id, client, messages FROM counted_trial JOIN measurement "
        "USING (trial_id) ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        (run_id, client, 2_000) for run_id in (1, 2) for client in (WORKS, REFERENCE)
    ]
    # The page of the second run has not replaced that of the first.
    assert own_workspace.store.with_name("faults-2.html").is_file()
    assert page.read_text() == written


def test_a_terminal_shows_a_bar_and_then_one_screen(own_workspace):
    own_workspace.add()
    own_workspace.plan(WORKS, f"{WORKS}+crashes-at-once", messages=1_000)
    reading, writing = pty.openpty()
    with own_workspace.start(output=writing, errors=writing) as process:
        os.close(writing)
        shown = b""
        # Reading a terminal whose other end is closed is an error, not an end of file.
        try:
            while chunk := os.read(reading, 65_536):
                shown += chunk
        except OSError:
            pass
    os.close(reading)
    text = shown.decode()
    assert process.returncode == 0
    assert "╌ 0/3 · " in text
    assert "━╌" in text
    assert "\x1b[" in text
    assert text.index("╌ 0/3 · ") < text.index("Who keeps the contract?")
    assert f"Failed: {WORKS}+crashes-at-once (crashed)" in text
    assert not any(each in text for each in ("exited with 1", "server busy"))
    log = own_workspace.store.with_name("faults.log")
    assert "repetition 1: crashed: exited with 1" in log.read_text()
    assert f"log: {log}" in text


def test_contestants_and_experiments_are_listed(own_workspace):
    own_workspace.add("faulty-mine")
    listed = autostrada("list", "--contestants", str(own_workspace.contestants))
    for line in (
        r"faulty-mine +none +client",
        r"faulty-mine\+works +none +client",
        r"\S+ +\S+ +client, server",
        r"race +\S.*",
    ):
        assert re.search(f"^{line} *$", listed.stdout, re.MULTILINE), line


def test_the_doctor_names_missing_tools_and_their_remedies(own_workspace):
    own_workspace.add("faulty-mine", requirement=["echo", "Cobol"])
    own_workspace.add("faulty-yours")
    examined = autostrada("doctor", "--contestants", str(own_workspace.contestants))
    assert examined.returncode == 1
    assert re.search(r"^ok +engine +\d+\.\d+", examined.stdout, re.MULTILINE)
    assert re.search(r"^ok +faulty-yours +Python *$", examined.stdout, re.MULTILINE)
    assert "needs python (found Cobol): wait" in examined.stdout
    assert "cpu_model: " in examined.stdout


def test_a_plan_is_printed_as_commands_and_its_certificate_is_created(tmp_path):
    printed = autostrada("plan", "race", "--quick")
    assert printed.returncode == 0, printed.stderr
    assert f"# batched: {REFERENCE} serves {REFERENCE}\n" in printed.stdout
    folder = tmp_path / "made" / "here"
    made = autostrada("certificate", str(folder))
    assert made.returncode == 0, made.stderr
    assert f"CA that clients trust: {folder}/ca.pem\n" in made.stdout


def test_help_is_printed_without_expensive_imports():
    script = (
        "import json, sys, autostrada.cli\n"
        "try:\n    autostrada.cli.app(['--help'])\n"
        "except SystemExit:\n    pass\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "Usage: " in finished.stdout
    imported = json.loads(finished.stdout.splitlines()[-1])
    assert "autostrada.cli" in imported
    assert [name for name in HEAVY if name in imported] == []
