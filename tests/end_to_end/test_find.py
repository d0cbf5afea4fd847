"""``find`` with a server of the engine, from the command line."""

import json
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import autostrada

from autostrada.machine.ports import reserved_port

SERVER = Path(__file__).with_name("limited_server.py")


@contextmanager
def limited_server(rate, mode):
    """Run a server that echoes at most so many messages a second; give its URL."""
    with reserved_port() as port:
        command = [sys.executable, SERVER, str(port), str(rate), mode]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout.readline()
            yield f"ws://127.0.0.1:{port}/"
            server.kill()


def edges(ended):
    """
    Return the two values of an answer.

    On a busy machine the server answers less, and the answer may be a lower bound. If
    even the least load broke the objective at times, the values are 0 and ``None``.
    """
    assert ended.returncode in {0, 3, 4}, ended.stderr
    if ended.returncode == 4:
        assert ": broken: " in ended.stderr
        return 0, None
    text = ended.stdout.replace(",", "")
    if least := re.search(r"^at least (\d+) ", text, re.MULTILINE):
        return int(least[1]), None
    met, violated = re.search(r"(\d+) to (\d+)", text).groups()
    return int(met), int(violated)


QUICK = ["--step-time", "200ms", "--settle", "0s"]


def test_the_edge_of_an_objective_is_found(engine_url, tmp_path):
    file = tmp_path / "found.json"
    objective = ["--objective", "connections<=5", "--vary", "connections"]
    load = ["-r", "50/s/conn", *QUICK, "--repeats", "2", "--json", file]
    ended = autostrada("find", engine_url, "--to", "8", *objective, *load)
    assert edges(ended) in {(5, 6), (5, None)}
    assert "broke first: connections > 5: connections was " in ended.stdout
    document = json.loads(file.read_text())
    assert (document["met"], document["violated"]) == (5, 6)


SHORT = ["--step-time", "1s", "--settle", "500ms", "--repeats", "2"]


@pytest.mark.parametrize(
    ("mode", "loop"), [("wait", "a closed loop"), ("drop", "an open loop, as it drops")]
)
def test_a_server_with_a_limit_answers_no_more(mode, loop):
    with limited_server(2_000, mode) as url:
        coarse = ["--steps", "4", "--precision", "0.1"]
        ended = autostrada(
            "find", url, "-c", "100", "--objective", "errors<1%", *SHORT, *coarse
        )
    met, violated = edges(ended)
    assert ended.stderr.startswith("ceiling: ")
    assert f" messages/s in {loop}" in ended.stderr.splitlines()[0]
    assert met <= 2_100
    # Of up to 1 % more than its limit the server answers enough.
    if violated and violated > 2_100:
        assert "messages/s: it answers no more" in ended.stdout
    if met:
        assert ("the server drops messages" in ended.stdout) == (mode == "drop")


def test_a_watched_server_shows_its_cpu_and_what_more_users_need():
    with reserved_port() as port:
        command = f"exec {sys.executable} {SERVER} {port} 200 work"
        watched = ["--watch-command", command, "--size-for", "100k"]
        load = ["--vary", "connections", "-r", "5/s/conn", "--precision", "0.1"]
        ended = autostrada(
            "find",
            f"ws://127.0.0.1:{port}/",
            "--objective",
            "p99<250ms",
            *load,
            *watched,
            *SHORT,
        )
    met, violated = edges(ended)
    # In 1.5 seconds 17 % more than the limit of 40 wait for 250 ms.
    assert met <= 55
    assert not met or "server CPU" in ended.stdout
    # On a busy machine the server's thread does not get a whole core.
    if met >= 38 and violated:
        assert "\n100,000 users need " in ended.stdout
        assert "the server's CPU was the limit: its busiest thread" in ended.stdout


def test_recovery_is_told_by_seconds_of_half_the_load():
    objective = ["--objective", "p99<100ms", "--from", "200", "--to", "1600"]
    with limited_server(400, "wait") as url:
        load = ["-c", "10", "--steps", "2", "--precision", "0.5", *SHORT]
        ended = autostrada(
            "find", url, *objective, *load, "--repeats", "1", "--recover"
        )
    assert ended.returncode in {0, 3, 4}, ended.stderr
    last = ended.stdout.splitlines()[-1]
    # On a busy machine a rate may be broken that does not overload the server.
    outcomes = ("recovered ", "did not recover: ", "no second of the overload ")
    assert last.startswith(outcomes), ended.stdout


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["--objective", "p99"], "p99"),
        (["--objective", "p98<5ms", "--to", "10"], "choose one of"),
        (["--objective", "p99<5ms", "--from", "9", "--to", "5"], "lower --from"),
        (["--objective", "p99<5ms", "--to", "10", "-z", "5s"], "--duration"),
        (["--objective", "p99<5ms", "--vary", "pipeline", "--recover"], "--vary rate"),
    ],
)
def test_wrong_options_are_refused_in_one_line(arguments, remedy):
    ended = autostrada("find", "ws://127.0.0.1:1/", *arguments, *QUICK)
    assert ended.returncode == 2
    assert remedy in ended.stderr.splitlines()[-1]


def test_a_server_that_is_not_there_is_nothing_measured():
    ended = autostrada(
        "find", "ws://127.0.0.1:1/", "--objective", "p99<5ms", "--to", "10", *QUICK
    )
    assert ended.returncode == 1
    assert "nothing was measured: Connection refused" in ended.stderr
    assert "start the server" in ended.stderr
