"""Trials: waiting for idle, observation, retries after disturbance, chosen cores."""

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager

import pytest

from autostrada.machine.idle import LOAD_MAX
from autostrada.machine.process import on_cpus

WORKS = "faulty-client"
BUSY = "import sys\nprint(flush=True)\nwhile True: pass"


@pytest.fixture(scope="module")
def run(workspace):
    workspace.add()
    workspace.plan(WORKS, f"{WORKS}+closes-early", workloads=("one",), messages=300_000)
    finished = workspace.run()
    assert finished.returncode == 0, finished.stderr
    return finished


def test_each_trial_waits_for_an_idle_machine(workspace, run):
    rows = workspace.query("SELECT settled_ns, load_before FROM trial")
    assert len(rows) >= 3
    assert all(row["settled_ns"] >= 200_000_000 for row in rows)
    assert all(row["load_before"] >= 0 for row in rows)


@pytest.mark.parametrize("process", ["client", "server"])
def test_each_trial_is_observed_from_before_its_first_byte(workspace, run, process):
    rows = workspace.query(
        "SELECT trial_id, min(since_start_ns) AS first, max(cpu_ns) AS cpu_ns "
        f"FROM trial LEFT JOIN process_sample USING (trial_id) "
        f"WHERE process = '{process}' GROUP BY trial_id"
    )
    assert len(rows) == len(workspace.query("SELECT * FROM trial"))
    assert all(row["first"] <= 0 for row in rows)
    assert all(row["cpu_ns"] > 0 for row in rows)


def test_the_machine_is_sampled_until_a_measurement_ends(workspace, run):
    rows = workspace.query(
        "SELECT trial_id, any_value(duration_ns) AS duration_ns, "
        "max(host_sample.since_start_ns) AS last, "
        "count(DISTINCT core) AS cores FROM measurement "
        "JOIN host_sample USING (trial_id) JOIN core_sample USING (trial_id) "
        "GROUP BY trial_id"
    )
    assert len(rows) == len(workspace.query("SELECT * FROM measurement"))
    assert all(row["last"] >= row["duration_ns"] for row in rows)
    assert {row["cores"] for row in rows} == {os.cpu_count()}


def test_the_observers_lines_are_valid(workspace, run):
    rows = workspace.query("SELECT * FROM missing_metric")
    assert {row["metric"] for row in rows} & {"sample", "observation"} == set()


@contextmanager
def busy_core(cpu):
    """Run another process that uses a core without end."""
    with on_cpus(frozenset({cpu})):
        process = subprocess.Popen([sys.executable, "-c", BUSY], stdout=-1)
    with process:
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


def test_disturbed_trials_are_marked_and_repeated(own_workspace):
    hangs = f"{WORKS}+hangs"
    own_workspace.add()
    own_workspace.plan(hangs, repetitions=3, limit_s=2, messages=1_000)
    with busy_core(max(os.sched_getaffinity(0))):
        finished = own_workspace.run()
    assert finished.returncode == 0, finished.stderr
    rows = own_workspace.query(
        "SELECT disturbance, load_before FROM trial "
        f"WHERE contestant = '{hangs}' ORDER BY trial_id"
    )
    assert len(rows) >= 3
    assert all("others used " in row["disturbance"] for row in rows)
    assert all(row["load_before"] > LOAD_MAX for row in rows)
    # Of six trials, two may be repeated. Other programs may disturb the engine's trials
    # as well, which then take the place of these.
    assert finished.stderr.count("; repeated\n") == 2
    assert re.search(
        r"2 trials were repeated, [3-6] stayed disturbed\n", finished.stderr
    )
    assert len(own_workspace.query("SELECT * FROM counted_trial")) == 6


def test_a_run_on_a_single_core_works_and_is_marked(own_workspace):
    core = max(os.sched_getaffinity(0))
    own_workspace.add()
    own_workspace.plan(WORKS, messages=20_000)
    finished = own_workspace.run("--cpus", str(core))
    assert finished.returncode == 0, finished.stderr
    assert "server and client share a core: " in finished.stderr
    [row] = own_workspace.query("SELECT plan, host FROM run")
    host = json.loads(row["host"])
    assert json.loads(row["plan"])["cpus"] == [core]
    assert host["is_shared_core"] == "true"
    assert host["server_cpus"] == host["client_cpus"] == str(core)
    rows = own_workspace.query("SELECT outcome FROM counted_trial")
    assert [row["outcome"] for row in rows] == ["measurement"] * 2


def test_a_budget_ends_a_run_which_a_further_one_continues(own_workspace):
    own_workspace.add()
    own_workspace.plan(WORKS, messages=1_000, repetitions=10_000)
    finished = own_workspace.run("--budget", "4s")
    assert finished.returncode == 0, finished.stderr
    assert "trials for 4 s\n" in finished.stderr
    query = "SELECT taken_ns FROM trial ORDER BY trial_id"
    *before, _ = [row["taken_ns"] for row in own_workspace.query(query)]
    assert sum(before) < 4e9
    with own_workspace.start("--resume", "--budget", "1h") as process:
        for line in process.stderr:
            if line.startswith("1 "):
                process.kill()
    assert len(own_workspace.query(query)) > len(before) + 1
    resumed = own_workspace.run("--resume")
    # What is left of 4 seconds: the last trial may have exceeded them, or not.
    assert re.search(r"trials for [0-4] s; ", resumed.stderr)
