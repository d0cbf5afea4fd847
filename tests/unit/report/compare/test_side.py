"""A side of a comparison: its notation, and what is read of it."""

from pathlib import Path

import pytest
from tests.unit.report.compare.archive import CRASH
from tests.unit.report.records import push, trial

from autostrada.errors import UsageError
from autostrada.experiment.matrix import Cell
from autostrada.report.compare.side import parse_address, parse_addresses, read_side
from autostrada.store.record import OtherLoad
from autostrada.store.writer import StoreWriter

STORE = Path("results/mine.duckdb")
ADA = Cell(client="ada-fast", workload="batched")


def found(text):
    address = parse_address(text, STORE)
    return address.store, address.run_id, address.contestant


@pytest.mark.parametrize(
    ("text", "store", "run_id", "contestant"),
    [
        ("12", STORE, 12, None),
        ("other.duckdb", Path("other.duckdb"), None, None),
        ("results/other", Path("results/other"), None, None),
        ("other.duckdb#3", Path("other.duckdb"), 3, None),
        ("ada-fast", STORE, None, "ada-fast"),
        ("ada-fast+turbo", STORE, None, "ada-fast+turbo"),
    ],
)
def test_the_notation_determines_the_side(text, store, run_id, contestant):
    assert found(text) == (store, run_id, contestant)


def test_a_name_without_a_dot_is_a_file_if_the_file_exists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert found("ada-fast") == (STORE, None, "ada-fast")
    (tmp_path / "ada-fast").touch()
    assert found("ada-fast") == (Path("ada-fast"), None, None)


def test_two_contestants_belong_to_the_named_run():
    addresses = parse_addresses("ada-fast", "bash-slow", STORE, 7)
    assert [(each.run_id, each.contestant) for each in addresses] == [
        (7, "ada-fast"),
        (7, "bash-slow"),
    ]


def test_a_run_and_a_contestant_cannot_be_compared():
    with pytest.raises(UsageError, match="12 is a run and ada a contestant: name two"):
        parse_addresses("ada", "12", STORE, None)


def test_a_run_number_for_runs_is_refused():
    with pytest.raises(UsageError, match=r"--run 3 is for two contestants.*FILE#3"):
        parse_addresses("1", "2", STORE, 3)


def test_metrics_are_those_of_the_run_by_cell(changed_store):
    before, after = changed_store.sides(1, 2)
    assert (before.results.run_id, after.results.run_id) == (1, 2)
    metrics = after.outcomes["ada-fast", "batched"].metrics
    assert metrics["ms_per_million"].values == pytest.approx(
        (235.2, 237.6, 240, 242.4, 244.8)
    )
    assert metrics["client_cpu_us_per_message"].values[2] == 0.06
    assert metrics["client_memory_bytes_max"].values == (10 * 2**20,) * 5
    assert before.results.experiment.title == "The small race"


def test_only_the_cells_of_a_contestant_are_read(changed_store):
    side = read_side(parse_address("ada-fast+turbo", changed_store.path))
    assert side.results.run_id == 2
    assert side.outcomes == {}


def test_an_unknown_contestant_is_answered_with_the_known_ones(changed_store):
    with pytest.raises(UsageError, match="no contestant 'ada', only ada-fast, ada-fa"):
        read_side(parse_address("ada", changed_store.path))


def test_a_failure_that_was_repeated_does_not_count(begun):
    disturbed = OtherLoad(disturbance="others used 40% of core 1")
    with StoreWriter.create_or_open(begun.path) as writer:
        writer.record_trial(1, trial(ADA, 5, CRASH, other_load=disturbed))
        writer.record_trial(1, trial(ADA, 5, push(200), retry=1))
    side = read_side(parse_address("1", begun.path))
    ada = side.outcomes["ada-fast", "batched"]
    assert [each.is_counted for each in ada.failures] == [False]
    assert ada.measured == 6
