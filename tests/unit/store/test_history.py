"""The file of loads, and a load as a row of Parquet."""

from datetime import UTC, datetime

import duckdb
import pytest

from autostrada.errors import UsageError
from autostrada.store.history import append, history_path, read_history, saved
from autostrada.store.load_file import write_load

AT = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
DOCUMENT = {
    "url": "ws://localhost:1/echo?…",
    "asked": "ws://localhost:1/echo?…: 10 connections",
    "limit": "the server's CPU",
    "not_judged": None,
    "seconds": [{"messages": 70}, {"messages": 30}],
    "exchange": {"response_time_ns": [[1_000_000, 60], [1_019_904, 40]]},
    "failures": [{"kind": "read", "count": 1, "example": "a user's token"}],
    "metrics": [
        {"name": "rate", "title": "rate", "unit": "per_s", "value": 5e3, "text": "5k"},
        {"name": "p99.9", "title": "", "unit": "s", "value": 0.25, "text": "250 ms"},
        {"name": "server-cpu", "title": "", "unit": "share", "value": 0.5, "text": ""},
    ],
}
LOAD = saved(DOCUMENT, None, AT)


def test_a_load_is_called_by_its_url_if_it_has_no_name():
    assert LOAD.name == "ws://localhost:1/echo?…"
    assert saved(DOCUMENT, "before", AT).name == "before"
    assert LOAD.metric("rate").value == 5e3
    assert LOAD.metric("p50") is None


def test_a_load_has_its_seconds_and_its_times_in_bars():
    assert LOAD.messages_per_s == (70, 30)
    assert LOAD.times_ns == ((1_011_579, 100),)
    old = LOAD.model_dump_json(exclude={"messages_per_s", "times_ns"})
    assert type(LOAD).model_validate_json(old).times_ns == ()


def test_loads_are_read_as_they_were_saved(tmp_path):
    path = tmp_path / "state" / "loads.jsonl"
    assert read_history(path) == ([], 0)
    second = saved(DOCUMENT, "second", AT)
    append(LOAD, path)
    append(second, path)
    assert read_history(path) == ([LOAD, second], 0)
    assert "token" not in path.read_text()


def test_a_line_that_was_cut_off_loses_no_other(tmp_path):
    path = tmp_path / "loads.jsonl"
    append(LOAD, path)
    with path.open("a") as file:
        file.write('{"name": "cut o')
    append(LOAD, path)
    assert read_history(path) == ([LOAD, LOAD], 1)


def test_a_history_that_cannot_be_used_is_refused(tmp_path):
    (tmp_path / "loads.jsonl").mkdir()
    for use in (read_history, lambda path: append(LOAD, path)):
        with pytest.raises(UsageError, match=r"loads\.jsonl"):
            use(tmp_path / "loads.jsonl")


def test_the_history_is_below_the_state_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_path() == tmp_path / "autostrada" / "loads.jsonl"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    path = "/home/someone/.local/state/autostrada/loads.jsonl"
    assert str(history_path()) == path


def test_a_load_is_a_row_of_parquet(tmp_path):
    path = tmp_path / "load's.parquet"
    write_load(LOAD, path)
    row = duckdb.from_parquet(str(path))
    assert row.columns == [
        "name",
        "at",
        "asked",
        "limit",
        "rate_per_s",
        "p99_9_s",
        "server_cpu_share",
    ]
    (values,) = row.fetchall()
    assert values[2:] == (LOAD.asked, LOAD.limit, 5e3, 0.25, 0.5)
    with pytest.raises(UsageError, match="--parquet"):
        write_load(LOAD, tmp_path / "missing" / "load.parquet")
