"""The file of overheads: its entries, and which ones are replaced."""

import json
from datetime import date

from autostrada.contestants.catalog import find_catalog
from autostrada.stats.ratio import Ratio
from compare.overhead import DESCRIBED_BY, FILE, FORMAT, ROUNDS_MIN, Overhead, record


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


def test_a_server_is_described_by_its_cpu_time():
    assert overhead(role="server").described.value == 2.0
    assert overhead(role="client").described.value == 1.23456


def test_the_recorded_overheads_are_of_contestants():
    document = json.loads(FILE.read_text())
    contestants = find_catalog().contestants()
    assert document["format"] == FORMAT
    for entry in document["entries"]:
        assert contestants[entry["contestant"]].has(entry["role"])
        assert entry["described_by"] == DESCRIBED_BY[entry["role"]]
        assert entry["rounds"] >= ROUNDS_MIN
