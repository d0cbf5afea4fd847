"""Cost of a message for clients and servers, with a fake engine."""

import json
import sys
from types import SimpleNamespace

import pytest
from rich.console import Console

from autostrada.errors import EngineError
from autostrada.machine.host import this_host
from compare import harness
from compare.bare import HarnessPair, ProgramCommand
from compare.bench import BenchSetup, MessageCost
from compare.harness import echoed, harness_row, received
from compare.table import Skipped

RESULT = {
    "event": "result",
    "messages": 10,
    "bytes": 110,
    "acknowledged_bytes": 130,
    "wire_bytes": 130,
    "write_calls": 1,
    "first_sent_ns": 1_000,
    "last_sent_ns": 1_500,
    "closed_ns": 2_000,
    "busy_ns": 100,
    "blocked_ns": 0,
    "close_code": 1000,
    "ended": "complete",
    "pings": 0,
    "pings_unanswered": 0,
    "marks": [],
    "round_trip_ns": None,
    "congestion_control": "reno",
}

ENGINE = """#!{python}
# Serves one connection that is never opened: its result has a CPU time of 50.
import json, sys
plan = json.loads(sys.stdin.readline())
assert plan["connections"] == 1 and plan["hold_until_observing"], plan
print(json.dumps({{"event": "ready", "format": plan["format"], "version": "1",
                   "url": "ws://127.0.0.1:1"}}), flush=True)
observed = json.loads(sys.stdin.readline())["observe"]
assert list(observed) == ["client"], observed
metrics = {{"cpu_ns": 50, "resident_bytes": 1, "peak_resident_bytes": 1}}
processes = {{}} if {unread} else {{"client": metrics}}
print(json.dumps({result} | {{"processes": processes}}))
print(json.dumps({{"event": "second", "second": 0, "messages": 10, "bytes": 110}}))
"""


def bench(tmp_path, result=RESULT, *, unread=False):
    engine = tmp_path / "engine"
    code = ENGINE.format(python=sys.executable, result=result, unread=unread)
    engine.write_text(code)
    engine.chmod(0o755)
    sizes = SimpleNamespace(rounds=2, harness_messages=10, warm_up_s=0.5, window_s=2.0)
    console = Console(quiet=True)
    return BenchSetup(engine=engine, host=this_host(), sizes=sizes, console=console)


def launch(folder, code):
    arguments = (sys.executable, "-c", code)
    return ProgramCommand(
        arguments=arguments, folder=folder, environment={"COLOUR": "red"}
    )


def test_the_cost_of_receiving_is_the_duration_and_the_clients_cpu_time(
    tmp_path,
):
    cost = received(bench(tmp_path), launch(tmp_path, "print('a line')"))
    assert cost == MessageCost(wall_ns=100, cpu_ns=5)


def test_a_client_has_its_environment_and_runs_in_its_folder(tmp_path):
    code = (
        "import json, os; names = 'COLOUR URL MESSAGES'.split();"
        "seen = [os.getcwd(), *(os.environ[name] for name in names)];"
        "json.dump(seen, open('seen', 'w'))"
    )
    received(bench(tmp_path), launch(tmp_path, code))
    seen = json.loads((tmp_path / "seen").read_text())
    assert seen == [str(tmp_path), "red", "ws://127.0.0.1:1/10", "10"]


@pytest.mark.parametrize("change", [{"messages": 9}, {"ended": "reset"}])
def test_a_client_that_does_not_receive_all_has_no_cost(tmp_path, change):
    with pytest.raises(EngineError, match="of 10 messages were sent"):
        received(bench(tmp_path, RESULT | change), launch(tmp_path, ""))


def test_a_client_that_ends_before_its_cpu_time_is_read_runs_again(tmp_path):
    count = "open('runs', 'a').write('.')"
    with pytest.raises(EngineError, match="before its CPU time is read"):
        received(bench(tmp_path, unread=True), launch(tmp_path, count))
    assert len((tmp_path / "runs").read_text()) == harness.READINGS_MAX


class LoadedBench(BenchSetup):
    """A bench whose load is one request that the server answers."""

    def load(self, plan):
        assert plan["connections"] == 64
        assert plan["workload"]["payload"] == {"text": "x" * 20}
        return {"window_ns": 2_000, "exchange": {"echoed": 20}, "messages": 25}


def loaded_bench(tmp_path):
    plain = bench(tmp_path)
    return LoadedBench(
        engine=plain.engine, host=plain.host, sizes=plain.sizes, console=plain.console
    )


def test_the_cost_of_an_echo_is_the_window_and_the_servers_cpu_time(
    tmp_path, monkeypatch
):
    readings = iter([1_000_000, 1_000_500])
    monkeypatch.setattr(harness, "cpu_ns", lambda _: next(readings))
    code = (
        "import os, socket, time;"
        "s = socket.create_server((os.environ['HOST'], int(os.environ['PORT'])));"
        "time.sleep(60)"
    )
    cost = echoed(loaded_bench(tmp_path), launch(tmp_path, code))
    assert cost == MessageCost(wall_ns=100, cpu_ns=20)


def test_a_server_that_ends_has_no_cost(tmp_path):
    server = launch(tmp_path, "import sys; sys.exit('no port')")
    with pytest.raises(EngineError, match="the server ended"):
        echoed(loaded_bench(tmp_path), server)


@pytest.fixture
def pair(tmp_path):
    contestant = SimpleNamespace(
        name="a-thing", command=lambda _: (), environment=lambda _: {}
    )
    return HarnessPair(
        contestant=contestant, version="1", ours=tmp_path, bare=tmp_path / "b"
    )


@pytest.fixture
def recorded(monkeypatch):
    entries = []
    monkeypatch.setattr(harness, "record", entries.append)
    return entries


@pytest.mark.parametrize(("rounds", "count"), [(2, 0), (5, 1)])
def test_a_row_is_the_ratio_within_rounds_and_recorded_after_five_rounds(
    tmp_path, pair, recorded, monkeypatch, rounds, count
):
    def measure(_, launch):
        return MessageCost(
            wall_ns=120 if launch.folder == tmp_path else 100, cpu_ns=100
        )

    monkeypatch.setitem(harness.MEASURES, "client", measure)
    measuring = bench(tmp_path)
    measuring.sizes.rounds = rounds
    row = harness_row(measuring, pair, "client")
    assert row.what == "overhead of a-thing as a client, duration"
    assert (row.metric, row.verdict) == (1.2, "not reached")
    assert row.details[0].startswith("duration: 1.200 × (1.200 to 1.200); CPU time: 1")
    assert len(recorded) == count


def test_a_pair_that_fails_is_a_row_with_the_reason(tmp_path, pair, monkeypatch):
    def measure(*_):
        raise EngineError("no route")

    monkeypatch.setitem(harness.MEASURES, "server", measure)
    row = harness_row(bench(tmp_path), pair, "server")
    assert isinstance(row, Skipped)
    assert row.why == "failed: no route"
