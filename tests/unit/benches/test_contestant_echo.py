"""Cost of a contestant's echo, from given lines; and clients that fail."""

import json
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from rich.console import Console

from autostrada.errors import EngineError
from autostrada.machine.host import this_host
from autostrada.runner.endpoints import Program
from compare import contestant_echo
from compare.bench import Bench
from compare.contestant_echo import contestant_echo_rows, contestant_ns, wall_ns
from compare.table import Row, Skipped


def line(**changes):
    result = {
        "event": "result",
        "connections": 64,
        "echoed": 1000,
        "wrong": 0,
        "window_ns": 2_000_000,
    }
    return json.dumps(result | changes) + "\n"


def test_the_window_is_divided_by_all_echoes():
    assert wall_ns([line()], 64) == 2000


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["hello\n"],
        [line(), line()],
        [line(seconds=2)],
        [line(connections=63)],
        [line(wrong=1)],
        [line(echoed=0)],
    ],
)
def test_a_client_with_other_output_has_failed(lines):
    with pytest.raises(EngineError, match=r"the client printed|did not do"):
        wall_ns(lines, 64)


class TinyBench(Bench):
    """A bench without an engine, whose clients have no server."""

    @contextmanager
    def serving(self, further=None, *, cpus=None):
        yield "ws://127.0.0.1:1"


@pytest.fixture
def bench():
    sizes = SimpleNamespace(rounds=6, warm_up_s=0.5, window_s=2.0)
    console = Console(quiet=True)
    return TinyBench(engine=None, host=this_host(), sizes=sizes, console=console)


def client(folder, code):
    return Program(
        arguments=[sys.executable, "-c", code],
        folder=folder,
        environment={"COLOUR": "red"},
    )


def test_a_client_runs_in_its_folder_with_the_contracts_environment(bench, tmp_path):
    code = (
        "import os, json; e = os.environ; names = 'COLOUR WORKLOAD URL CONNECTIONS';"
        "seen = [os.getcwd(), *(e[name] for name in names.split())];"
        "json.dump(seen, open('seen', 'w'));"
        "assert float(e['WARM_UP_S']) == 0.5 and float(e['WINDOW_S']) == 2;"
        f"print({line()!r}, end='')"
    )
    assert contestant_ns(bench, client(tmp_path, code)) == 2000
    received = json.loads((tmp_path / "seen").read_text())
    assert received == [str(tmp_path), "red", "echo", "ws://127.0.0.1:1/echo", "64"]


def test_a_contestant_that_fails_is_a_row_and_the_others_continue(
    bench, tmp_path, monkeypatch
):
    monkeypatch.setattr(contestant_echo, "engine_ns", lambda bench: 500.0)
    good, bad = f"print({line()!r}, end='')", "import sys; sys.exit('no route')"
    clients = {"bad": client(tmp_path, bad), "good": client(tmp_path, good)}
    skipped, row = contestant_echo_rows(bench, clients)
    assert isinstance(skipped, Skipped)
    assert skipped.why.endswith("ended with 1: no route")
    assert isinstance(row, Row)
    assert (row.what, row.figure) == ("echo, 64 connections, beside good", 4)
    assert row.verdict == "reached"
