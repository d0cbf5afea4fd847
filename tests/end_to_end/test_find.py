"""``find`` with a server of the engine, from the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("autostrada")
LIMIT_S = 300


def find(*arguments):
    return subprocess.run(
        [COMMAND, "find", *arguments],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


QUICK = ["--step-time", "200ms", "--settle", "0s"]


def test_the_edge_of_an_objective_is_found(engine_url, tmp_path):
    file = tmp_path / "found.json"
    objective = ["--objective", "connections<=5", "--vary", "connections"]
    ended = find(
        engine_url, "--to", "8", *objective, *QUICK, "--repeats", "2", "--json", file
    )
    # On a busy machine the load generator may be the limit.
    assert ended.returncode in {0, 3}, ended.stderr
    assert "5 to 6 connections" in ended.stdout
    assert "broke first: connections > 5: connections was " in ended.stdout
    document = json.loads(file.read_text())
    assert (document["met"], document["violated"]) == (5, 6)


def test_the_ceiling_is_measured_first(engine_url):
    objective = ["--objective", "errors<=50%", "-c", "2"]
    ended = find(engine_url, *objective, *QUICK, "--steps", "2", "--repeats", "1")
    assert ended.returncode in {0, 3}, ended.stderr
    assert ended.stderr.startswith("ceiling: ")
    assert ended.stderr.count("rate ") == 2
    assert "at least " in ended.stdout


def test_recovery_is_told_by_seconds_of_half_the_load(engine_url):
    objective = ["--objective", "connections<=1,p99<60s", "--vary", "connections"]
    load = ["-r", "50/s/conn", "--to", "2", "--step-time", "1s", "--settle", "0s"]
    ended = find(engine_url, *objective, *load, "--repeats", "1", "--recover")
    assert ended.returncode in {0, 3}, ended.stderr
    assert ended.stdout.endswith(
        "recovered within a second after the load was halved\n"
    )


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["--objective", "p99"], "p99<50ms"),
        (["--objective", "p98<5ms", "--to", "10"], "choose one of"),
        (["--objective", "p99<5ms", "--from", "9", "--to", "5"], "lower --from"),
        (["--objective", "p99<5ms", "--to", "10", "-z", "5s"], "--duration"),
        (["--objective", "rate>5/s", "--to", "10", "--recover"], "such as p99<50ms"),
        (["--objective", "p99<5ms", "--vary", "pipeline", "--recover"], "--vary rate"),
    ],
)
def test_wrong_options_are_refused_in_one_line(arguments, remedy):
    ended = find("ws://127.0.0.1:1/", *arguments, *QUICK)
    assert ended.returncode == 2
    assert remedy in ended.stderr.splitlines()[-1]


def test_a_server_that_is_not_there_is_nothing_measured():
    ended = find("ws://127.0.0.1:1/", "--objective", "p99<5ms", "--to", "10", *QUICK)
    assert ended.returncode == 1
    assert "nothing was measured: Connection refused" in ended.stderr
    assert "start the server" in ended.stderr
