"""Cost of a message, the row of a pair, and the file of overheads."""

import json
from datetime import date
from types import SimpleNamespace

import pytest
from rich.console import Console
from tests.unit.workloads.made_up import SERVED

from autostrada.contestants.catalog import find_catalog
from autostrada.engine.messages import ServeResult
from autostrada.errors import EngineError
from autostrada.machine.host import this_host
from autostrada.stats.ratio import Ratio
from compare import harness
from compare.harness import (
    MESSAGES,
    MessageCost,
    cost_of,
    cost_of_echo,
    harness_row,
    received,
)
from compare.overhead import DESCRIBED_BY, FILE, FORMAT, ROUNDS_MIN, Overhead, record
from compare.table import Skipped

RESULT = SERVED | {
    "messages": MESSAGES,
    "first_sent_ns": 1_000,
    "closed_ns": 1_000 + 100 * MESSAGES,
    "processes": {
        "client": {
            "cpu_ns": 5 * MESSAGES,
            "resident_bytes": 1,
            "peak_resident_bytes": 1,
        }
    },
}


def served(**changed):
    return ServeResult.model_validate_json(json.dumps(RESULT | changed))


def test_the_cost_of_receiving_is_the_duration_and_the_clients_cpu_time():
    assert cost_of(served()) == MessageCost(wall_ns=100, cpu_ns=5)


@pytest.mark.parametrize("change", [{"messages": MESSAGES - 1}, {"ended": "reset"}])
def test_a_client_that_does_not_receive_all_has_no_cost(change):
    with pytest.raises(EngineError, match="of 1,000,000 messages were sent"):
        cost_of(served(**change))


def test_a_client_that_ends_before_its_cpu_time_is_read_runs_again(monkeypatch):
    results = iter([served(processes={}), served()])
    monkeypatch.setattr(harness, "serve_result", lambda *_: next(results))
    assert received(None, None) == MessageCost(wall_ns=100, cpu_ns=5)
    monkeypatch.setattr(harness, "serve_result", lambda *_: served(processes={}))
    with pytest.raises(EngineError, match="before its CPU time is read"):
        received(None, None)


def test_the_cost_of_an_echo_is_the_window_and_the_cpu_time_of_all_messages():
    result = {"window_ns": 2_000, "exchange": {"echoed": 20}, "messages": 25}
    assert cost_of_echo(result, 500) == MessageCost(wall_ns=100, cpu_ns=20)


@pytest.fixture
def row_of(monkeypatch):
    """Return the row of a pair with this measurement, and what was recorded."""

    def row_of(measure, rounds=2):
        recorded = []
        monkeypatch.setattr(harness, "record", recorded.append)
        monkeypatch.setitem(harness.MEASURES, "client", measure)
        bench = SimpleNamespace(
            host=this_host(), rounds=rounds, console=Console(quiet=True), command=""
        )
        pair = SimpleNamespace(
            contestant=SimpleNamespace(name="a-thing"),
            version="1",
            launches=lambda _: (True, False),
        )
        return harness_row(bench, pair, "client"), recorded

    return row_of


@pytest.mark.parametrize(("rounds", "count"), [(2, 0), (5, 1)])
def test_a_row_is_the_ratio_within_rounds_and_recorded_after_five_rounds(
    row_of, rounds, count
):
    def measure(_, is_ours):
        return MessageCost(wall_ns=120 if is_ours else 100, cpu_ns=100)

    row, recorded = row_of(measure, rounds)
    assert row.what == "overhead of a-thing as a client, duration"
    assert (row.metric, row.verdict) == (1.2, "not reached")
    assert row.details[0].startswith("duration: 1.200 × (1.200 to 1.200); CPU time: 1")
    assert len(recorded) == count


def test_a_pair_that_fails_is_a_row_with_the_reason(row_of):
    def measure(*_):
        raise EngineError("no route")

    assert row_of(measure)[0] == Skipped(
        what="overhead of a-thing as a client, duration", why="failed: no route"
    )


def overhead(contestant="b", role="client", duration=1.23456):
    return Overhead(
        contestant=contestant,
        role=role,
        version="1.0",
        duration=Ratio(value=duration, low=1.1, high=1.3, confidence=0.9375),
        cpu_time=Ratio(value=2.0, low=1.9, high=2.1, confidence=0.9375),
        rounds=5,
        date=date(2026, 11, 22),
        command="make bench",
    )


def test_an_entry_has_both_ratios_and_replaces_only_that_of_the_same_program(tmp_path):
    file = tmp_path / "overhead.json"
    for entry in (
        overhead("b"),
        overhead("b", "server"),
        overhead("a"),
        overhead("b", duration=3.0),
    ):
        record(entry, file)
    document = json.loads(file.read_text())
    assert document["format"] == FORMAT
    first, *others = document["entries"]
    assert first == {
        "contestant": "a",
        "role": "client",
        "version": "1.0",
        "duration": {"value": 1.2346, "low": 1.1, "high": 1.3, "confidence": 0.9375},
        "cpu_time": {"value": 2.0, "low": 1.9, "high": 2.1, "confidence": 0.9375},
        "rounds": 5,
        "date": "2026-11-22",
        "command": "make bench",
        "described_by": "duration",
    }
    found = [(e["contestant"], e["role"], e["duration"]["value"]) for e in others]
    assert found == [("b", "client", 3.0), ("b", "server", 1.2346)]
    assert len(file.read_text().splitlines()) == 2 + len(document["entries"])


def test_the_recorded_overheads_are_of_contestants():
    document = json.loads(FILE.read_text())
    contestants = find_catalog().contestants()
    assert document["format"] == FORMAT
    for entry in document["entries"]:
        assert contestants[entry["contestant"]].has(entry["role"])
        assert entry["described_by"] == DESCRIBED_BY[entry["role"]]
        assert entry["rounds"] >= ROUNDS_MIN
