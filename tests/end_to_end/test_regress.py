"""Two servers compared by a run that decides when to end, as a user runs it."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from command_line import autostrada

from autostrada.engine.process import find_engine

EXPERIMENT = """
title       = "Small"
question    = "Slower?"
repetitions = 1
limit_s     = 30

[[workload]]
name        = "echo"
kind        = "echo"
connections = 4
in_flight   = 1
warm_up_s   = 0.5
window_s    = 0.6
slices      = 3
drain_s     = 1

[[workload]]
name          = "receive"
kind          = "push"
payload_bytes = 20
messages      = 1_000
seconds       = 0.3
frames_per_write = "many"
"""

SMALL = "small-side"
RESTLESS = f"{SMALL}+restless"
README = Path(__file__).parents[2] / "README.md"
SHOWN = re.compile(r"test_regress.py -->\n```console\n\$ .*\n((?:.*\n)*?)```\n")

CAN_RECORD = not subprocess.run(
    ["sh", "-c", "perf record --quiet --output /dev/null true"],
    capture_output=True,
    check=False,
).returncode
"""Whether this machine has perf, and allows it."""

VERDICTS = {"slower", "faster", "more", "less", "same", "undecided"}


@pytest.fixture(scope="module")
def regress(workspace):
    """Return a function that compares two sides, with ``--name=value`` options."""
    workspace.add_server(SMALL, "restless")
    workspace.experiment.write_text(EXPERIMENT)

    def run(*arguments):
        options = {
            "--workload": workspace.experiment,
            "--contestants": workspace.contestants,
            "--store": workspace.store,
        }
        words = [str(word) for option in options.items() for word in option]
        return autostrada("regress", *arguments, *words)

    return run


def test_each_row_has_a_verdict_and_the_rounds_are_in_the_store(regress, workspace):
    path = workspace.folder / "report.json"
    options = ["--budget=2m", "--detect=50%", "--seed=7", f"--json={path}"]
    ran = regress(SMALL, RESTLESS, *options, "--fail-if=memory > +900%")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(path.read_text())
    rows = {row["metric"]: row for row in report["rows"]}
    assert rows.keys() == {"cpu", "memory", "rate"}
    assert {row["verdict"] for row in rows.values()} <= VERDICTS
    assert all(row["detectable"] > 0 for row in rows.values())
    assert report["conclusion"].startswith(f"Compared with {SMALL}, {RESTLESS} is ")
    assert report["conclusion"] in " ".join(ran.stdout.split())
    assert "passed: memory > +900%" in ran.stdout
    assert f"left out: receive: {SMALL}/contestant.toml: " in ran.stderr
    # README shows what it prints, with other values.
    shown = SHOWN.search(README.read_text(encoding="utf-8"))[1].splitlines()
    rows = {line[:13].strip() for line in shown if line.startswith("  ")}
    printed = ran.stdout.splitlines()
    assert rows <= {line[:13].strip() for line in printed}
    header = next(line for line in printed if "B/A" in line)
    assert header.split() == shown[1].split()
    trials = workspace.query(
        "SELECT server, repetition, count(*) AS slices FROM trial "
        "JOIN slice USING (trial_id) GROUP BY ALL"
    )
    assert len(trials) == 2 * len({row["repetition"] for row in trials}) >= 6
    assert {row["slices"] for row in trials} == {3}
    [run] = workspace.query("SELECT plan FROM run")
    plan = json.loads(run["plan"])
    assert (plan["seed"], plan["sides"]["labels"]) == (7, [SMALL, RESTLESS])
    store = str(workspace.store)
    assert autostrada("report", store).returncode == 0
    options = ["--store", store, "--fail-if", "server_memory_bytes_max > -90%"]
    compared = autostrada("compare", SMALL, RESTLESS, *options, COLUMNS="80")
    assert (compared.returncode, compared.stderr) == (99, "")
    assert max(map(len, compared.stdout.splitlines())) <= 80


def test_a_row_beyond_a_limit_has_its_own_status_with_or_without_a_profile(
    regress, tmp_path, monkeypatch
):
    (tmp_path / "perf").write_text("#!/bin/sh\necho not allowed >&2; exit 1\n")
    (tmp_path / "perf").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    options = ["--same", "--budget=2m", "--detect=50%", "--markdown=-"]
    options += ["--profile", tmp_path / "profile.html"]
    ran = regress(SMALL, SMALL, *options, "--fail-if=memory > -50%")
    assert ran.returncode == 99, ran.stderr
    assert "- no profile: perf recorded nothing: not allowed" in ran.stdout
    assert ran.stdout.startswith(f"**Compared with {SMALL}, {SMALL} is ")
    assert "failed: memory" in ran.stdout


def test_two_commands_of_a_server_are_compared_and_profiled(regress, tmp_path):
    serve = f"{find_engine()} serve --listen 127.0.0.1:{{port}}"
    page = tmp_path / "profile.html"
    url = "--url=ws://127.0.0.1:{port}/echo"
    options = [url, "--budget=2m", "--detect=50%", "--json=-", "-c", "3"]
    options += ["--page", tmp_path / "report.html"]
    options += ["--profile", page] if CAN_RECORD else []
    ran = regress(serve, f"OTHER=1 {serve}", *options)
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["names"] == [serve, f"OTHER=1 {serve}"]
    assert report["conclusion"] in (tmp_path / "report.html").read_text()
    rows = {row["metric"]: row for row in report["rows"]}
    assert rows["cpu"]["values"][0] > 0
    assert rows["cpu"]["verdict"] in VERDICTS
    if CAN_RECORD:
        assert "echo: system calls " in " ".join(report["causes"])
        assert '"type":"Flame"' in page.read_text()


@pytest.mark.parametrize(
    ("other", "options", "message"),
    [
        (SMALL, [], "--same to test the measurement itself"),
        ("small-nothing", [], "unknown contestant 'small-nothing'"),
        (RESTLESS, ["--detect=x"], "is not a percentage"),
        (RESTLESS, ["--fail-if=cpu > 3"], "is not a change"),
        (RESTLESS, ["--fail-if=p99 > +9%"], "cannot judge p99: receive: "),
        (RESTLESS, ["--json=-", "--markdown=-"], "share an output"),
        (RESTLESS, ["small-third"], "a third argument is for --git"),
        ("HEAD", ["--git=/"], "--git /: fatal: not a git repository"),
        ("true", ["-c", "3"], "-c is for two commands: give --url"),
        ("true", ["--url=ws://a/", "--git=/"], "--url is for two commands"),
    ],
)
def test_wrong_sides_and_arguments_are_refused(regress, other, options, message):
    refused = regress(SMALL, other, *options)
    assert refused.returncode == 2
    assert message in refused.stderr
