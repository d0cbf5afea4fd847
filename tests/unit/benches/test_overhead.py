"""The file of overheads: its entries, and which ones are replaced."""

import json
from datetime import date

from autostrada.contestants.catalog import find_catalog
from autostrada.stats.ratio import Ratio
from compare.overhead import DESCRIBED_BY, FILE, FORMAT, ROUNDS_MIN, Overhead, record


def ratio(value):
    return Ratio(value=value, low=value - 0.1, high=value + 0.1, confidence=0.9375)


def overhead(contestant="b", role="client", value=1.23456):
    return Overhead(
        contestant=contestant,
        role=role,
        version="1.0",
        duration=ratio(value),
        cpu_time=ratio(2.0),
        rounds=5,
        date=date(2026, 11, 22),
        command="make bench",
    )


def test_an_entry_has_both_ratios_and_names_the_decisive_one(tmp_path):
    file = tmp_path / "overhead.json"
    record(overhead(), file)
    assert json.loads(file.read_text()) == {
        "format": FORMAT,
        "entries": [
            {
                "contestant": "b",
                "role": "client",
                "version": "1.0",
                "duration": {
                    "value": 1.2346,
                    "low": 1.1346,
                    "high": 1.3346,
                    "confidence": 0.9375,
                },
                "cpu_time": {
                    "value": 2.0,
                    "low": 1.9,
                    "high": 2.1,
                    "confidence": 0.9375,
                },
                "rounds": 5,
                "date": "2026-11-22",
                "command": "make bench",
                "described_by": "duration",
            }
        ],
    }


def test_an_entry_replaces_only_that_of_the_same_program(tmp_path):
    file = tmp_path / "overhead.json"
    for each in (
        overhead("b"),
        overhead("b", "server"),
        overhead("a"),
        overhead("b", value=3.0),
    ):
        record(each, file)
    entries = json.loads(file.read_text())["entries"]
    found = [(e["contestant"], e["role"], e["duration"]["value"]) for e in entries]
    assert found == [
        ("a", "client", 1.2346),
        ("b", "client", 3.0),
        ("b", "server", 1.2346),
    ]


def test_a_server_is_described_by_its_cpu_time():
    assert overhead(role="server").described == ratio(2.0)
    assert overhead(role="client").described == ratio(1.23456)


def test_the_recorded_overheads_are_of_contestants():
    document = json.loads(FILE.read_text())
    contestants = find_catalog().contestants()
    assert document["format"] == FORMAT
    for entry in document["entries"]:
        assert contestants[entry["contestant"]].has(entry["role"])
        assert entry["described_by"] == DESCRIBED_BY[entry["role"]]
        assert entry["rounds"] >= ROUNDS_MIN
