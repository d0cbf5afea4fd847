"""The whole calibration as a process: no case fails, on an idle or a busy machine."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autostrada.calibration.bottlenecks import known_bottlenecks
from autostrada.calibration.fault_cases import fault_cases
from autostrada.store.reader import StoreReader

LIMIT_S = 1200
COMMAND = Path(sys.executable).with_name("autostrada")


def command(store, *arguments):
    return [COMMAND, "calibrate", "--quick", "--store", store, *arguments]


def calibrate(store, *arguments):
    return subprocess.run(
        command(store, *arguments),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        env=os.environ | {"COLUMNS": "80"},
    )


def query(store, sql):
    with StoreReader.open(store) as reader:
        return reader.query(sql)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("calibration") / "store.duckdb"


@pytest.fixture(scope="module")
def ended(store):
    return calibrate(store)


def test_no_case_fails(ended):
    assert ended.returncode in {0, 3}, ended.stdout + ended.stderr
    assert "fail " not in ended.stdout


def test_each_case_has_a_line_of_80_columns(ended):
    machine, noise, *lines, summary = ended.stdout.splitlines()
    lines = [line for line in lines if not line.startswith(" ")]
    assert machine.startswith("machine   loopback ")
    assert noise.startswith("          others ")
    names = [line.split()[1] for line in lines]
    known = [*fault_cases(is_quick=True), *known_bottlenecks()]
    # A case that was disturbed is repeated after the others.
    assert sorted(names) == sorted(each.name for each in known)
    assert {line.split()[0] for line in lines} <= {"pass", "disturbed", "left-out"}
    assert summary.startswith(("calibrated: ", "machine disturbed: "))
    assert max(map(len, ended.stdout.splitlines())) <= 80


def test_counted_cases_are_decided_on_any_machine(ended):
    # CPU time is no count: a busy or shared machine takes more of it for the same work.
    counted = {case.name for case in fault_cases() if case.is_counted}
    printed = [line for line in ended.stdout.splitlines() if not line.startswith(" ")]
    for line in printed:
        if line.split()[1] in counted:
            assert line.startswith("pass"), line


def test_the_calibration_is_stored_with_its_readings(ended, store):
    [row] = query(store, "SELECT * FROM calibration")
    assert (row["extent"], row["calibration_id"]) == ("quick", 1)
    assert row["outcome"] == ("pass" if ended.returncode == 0 else "disturbed")
    readings = query(
        store, "SELECT DISTINCT fault_case, topology FROM calibration_reading"
    )
    assert len(readings) == len(fault_cases(is_quick=True)) + len(known_bottlenecks())


def test_a_single_case_is_not_a_calibration_of_the_instrument(tmp_path):
    store = tmp_path / "store.duckdb"
    ended = calibrate(store, "--only", "repeat-feed")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert query(store, "SELECT extent, outcome FROM calibration") == [
        {"extent": "some", "outcome": "pass"}
    ]


def test_an_unknown_case_is_refused_before_anything_runs(tmp_path):
    store = tmp_path / "results" / "store.duckdb"
    ended = calibrate(store, "--only", "heavy", "--only", "delay-20ms")
    assert ended.returncode == 2
    assert ended.stderr.startswith("autostrada: no case is called heavy; choose from")
    assert "delay-20ms" in ended.stderr
    assert not store.parent.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_the_calibration_and_stores_nothing(
    tmp_path, number, is_gone
):
    store = tmp_path / "store.duckdb"
    with subprocess.Popen(
        command(store), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline().startswith("machine")
        children = descendants(process.pid)
        process.send_signal(number)
        process.communicate(timeout=LIMIT_S)
    assert process.returncode not in {0, 1, 3}
    assert query(store, "SELECT * FROM calibration") == []
    assert all(is_gone(child) for child in children)


def descendants(pid):
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in listed.split()]


def test_known_bottlenecks_are_identified(ended):
    lines = {
        line.split()[1]: line
        for line in ended.stdout.splitlines()
        if " verdict-" in line
    }
    assert set(lines) == {known.name for known in known_bottlenecks()}
    assert not [line for line in lines.values() if line.startswith("fail")], (
        ended.stdout
    )
    assert lines["verdict-broken"].startswith("pass")
    if noisy := [name for name, line in lines.items() if line.startswith("disturbed")]:
        pytest.skip(f"the machine was not idle enough for {', '.join(noisy)}")


def test_a_known_bottleneck_is_stored_with_its_number_of_judgements(tmp_path):
    store = tmp_path / "store.duckdb"
    ended = calibrate(store, "--verdicts", "--only", "verdict-broken")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "closed early." in ended.stdout
    columns = "fault_case, outcome, attempts, metric, seen, expected"
    assert query(store, f"SELECT {columns} FROM calibration_reading") == [
        {
            "fault_case": "verdict-broken",
            "outcome": "pass",
            "attempts": 1,
            "metric": "correct",
            "seen": 1,
            "expected": 1,
        }
    ]
