"""Loads in the history of a user, from the command line."""

import json
from functools import partial

import duckdb
import pytest
from command_line import autostrada

CANARY = "canary-7c1d"


@pytest.fixture
def call(tmp_path):
    """Return a function that runs a command with a history of its own."""
    return partial(autostrada, XDG_STATE_HOME=str(tmp_path))


def test_loads_are_listed_and_compared_by_their_names(call, engine_url, tmp_path):
    load = ("load", engine_url, "-d", "200ms", "--warm-up", "0s", "-c", "2")
    secret = ("-H", f"X-Token: {CANARY}", "-m", CANARY, "--cookie", f"a={CANARY}")
    first = call(*load, *secret)
    assert first.returncode == 0, first.stderr
    assert f"the first load '{engine_url}'" in first.stderr
    assert "in 1 load before, rate " in call(*load).stderr
    for name in ("one", "other"):
        assert call(*load, "--name", name).returncode == 0
    call(*load, "--name", "not saved", "--no-save")
    (file,) = tmp_path.rglob("*.jsonl")
    assert CANARY not in file.read_text()
    listed = call("history").stdout
    assert engine_url in listed
    assert "not saved" not in listed
    assert len(call("history", engine_url).stdout.splitlines()) == 3
    compared = call("compare", "--loads", "one", "other").stdout
    assert "other is indistinguishable in " in compared
    assert "a change requires three repetitions on each side" in compared


def test_different_loads_are_not_compared(call, engine_url):
    load = ("load", engine_url, "-d", "200ms", "--warm-up", "0s")
    call(*load, "--name", "a", "-c", "1")
    call(*load, "--name", "b", "-c", "2")
    ended = call("compare", "--loads", "a", "b")
    assert ended.returncode == 2
    assert "different loads (1 connections; 2 connections)" in ended.stderr
    assert "choose one of a, b" in call("history", "c").stderr


def test_a_history_that_cannot_be_written_changes_no_status(call, engine_url, tmp_path):
    (tmp_path / "autostrada").touch()
    ended = call("load", engine_url, "-d", "200ms", "--warm-up", "0s")
    assert ended.returncode == 0
    assert "the history cannot be read" in ended.stderr


def test_the_result_has_all_forms_at_once(call, engine_url, tmp_path):
    parquet = tmp_path / "load.parquet"
    ended = call(
        *("load", engine_url, "-d", "200ms", "--warm-up", "0s", "--json", "-"),
        *("--parquet", parquet, "--otlp", "http://127.0.0.1:1", "--name", "all"),
    )
    assert ended.returncode == 1
    assert "--otlp: http://127.0.0.1:1/v1/metrics did not take" in ended.stderr
    document = json.loads(ended.stdout)
    (rate,) = [m["value"] for m in document["metrics"] if m["name"] == "rate"]
    name, read = duckdb.sql(f"SELECT name, rate_per_s FROM '{parquet}'").fetchall()[0]
    assert (name, read) == ("all", rate)
    assert "all" in call("history").stdout


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("history", "unknown"), "autostrada load adds to it"),
        (("compare", "--loads", "a", "b"), "autostrada load adds to it"),
        (("compare", "--loads", "a", "b", "--fail-if", "p99 > 5%"), "a sign: +5%"),
        (("compare", "--loads", "a", "b", "--run", "1"), "leave out --run"),
        (("load", "ws://127.0.0.1:1", "--name", "--no-save"), "--name needs a value"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(call, arguments, remedy):
    ended = call(*arguments)
    assert ended.returncode == 2
    assert remedy in ended.stderr
    assert ended.stderr.count("\n") == 1
