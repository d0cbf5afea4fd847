"""A run as a Parquet file, read with plain DuckDB."""

import re
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from tests.unit.blank import process_sample

from autostrada.errors import OutOfMemory, UsageError
from autostrada.store.parquet import write_parquet
from autostrada.store.reader import StoreReader
from autostrada.store.record import Bucket, Cell, Observation, OtherLoad
from autostrada.store.writer import StoreWriter


@pytest.fixture
def ask(filled, tmp_path):
    path = tmp_path / "run.parquet"
    write_parquet(filled, 1, path)

    def ask(sql):
        with duckdb.connect() as connection:
            rows = f"(FROM '{path}' WHERE record = 'value')"
            return connection.execute(sql.replace("RUN", rows)).fetchall()

    return ask


def test_its_first_columns_are_the_documented_ones(ask):
    text = (Path(__file__).parents[3] / "docs/schema.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    names = [row[0] for row in ask("DESCRIBE FROM RUN")]
    assert "is_counted" in documented
    assert names[: len(documented)] == documented


def test_a_measurement_has_all_its_metrics(ask):
    metrics = dict(
        ask("SELECT process || '.' || metric, value FROM RUN WHERE repetition = 0")
    )
    assert metrics[".duration_ns"] == 5_000
    assert metrics[".server_utilization"] == 0.25
    assert metrics["client.cpu_ns"] == 4_000
    assert metrics["server.peak_resident_bytes"] == 40
    assert metrics["server.utilization"] == 0.25
    assert ".achieved_share" not in metrics


def test_the_parameters_of_a_point_are_data(written, trial, tmp_path):
    cell = Cell(client="ada-fast", workload="json processes=2 stocks=10")
    file = tmp_path / "run.parquet"
    write_parquet(written(trial(cell=cell)), 1, file)
    rows = duckdb.sql(
        f"SELECT DISTINCT parameters->>'processes', parameters->>'stocks' "
        f"FROM '{file}' WHERE record IN ('trial', 'value')"
    )
    assert rows.fetchall() == [("2", "10")]


def test_durations_have_their_mean_and_quantiles(written, trial, tmp_path):
    buckets = tuple(
        Bucket(process="client", metric="latency_ns", value_ns=value_ns, count=count)
        for value_ns, count in ((10, 98), (1_000, 1), (20_000, 1))
    )
    outcome = replace(trial().outcome, buckets=buckets)
    file = tmp_path / "run.parquet"
    write_parquet(written(trial(outcome=outcome)), 1, file)
    rounded = duckdb.sql(
        f"SELECT value_ns, count FROM '{file}' WHERE record = 'bucket' ORDER BY 1"
    )
    assert rounded.fetchall() == [(10, 98), (1_004, 1), (20_096, 1)]
    found = duckdb.sql(
        f"SELECT metric, value FROM '{file}' WHERE metric LIKE 'latency%' "
        f"AND record = 'value'"
    )
    assert dict(found.fetchall()) == {
        "latency_ms_mean": (980 + 1_000 + 20_000) / 100 / 1e6,
        "latency_ms_p50": 10 / 1e6,
        "latency_ms_p99": 1_000 / 1e6,
        "latency_ms_max": 20_000 / 1e6,
    }


def test_a_failure_is_a_row_without_a_metric(ask):
    assert ask(
        "SELECT failure, failure_message, metric, value FROM RUN WHERE repetition = 1"
    ) == [("crashed", "ended with status 3", None, None)]


def test_a_contestant_that_failed_as_a_whole_is_a_row(ask):
    assert ask("SELECT client, failure FROM RUN WHERE trial_id IS NULL") == [
        ("bash-slow", "crashed")
    ]


def test_a_row_states_what_was_measured_and_counted(ask):
    assert ask(
        "SELECT DISTINCT experiment, server, client, client_version, workload, "
        "is_counted FROM RUN WHERE repetition = 0"
    ) == [("race", "reference", "ada-fast", "1.2", "batched", True)]


def test_a_disturbed_trial_that_was_repeated_does_not_count(written, trial, tmp_path):
    file = tmp_path / "run.parquet"
    stolen = OtherLoad(disturbance="others used 40% of core 1")
    write_parquet(written(trial(other_load=stolen), trial(retry=1)), 1, file)
    rows = duckdb.sql(
        f"SELECT DISTINCT retry, is_counted FROM '{file}' WHERE record = 'value'"
    )
    assert sorted(rows.fetchall()) == [(0, False), (1, True)]


def test_the_file_is_read_as_a_store_with_this_run_only(path, run, trial, tmp_path):
    with StoreWriter.create_or_open(path) as writer:
        for _ in range(2):
            writer.record_trial(writer.start_run(run), trial())
    write_parquet(path, 2, tmp_path / "run.parquet")
    with (
        StoreReader.open(path) as store,
        StoreReader.open(tmp_path / "run.parquet") as it,
    ):
        assert it.runs() == [store.run(2)]
        counts = "SELECT count(*) AS number FROM measurement"
        assert (it.query(counts), store.query(counts)) == (
            [{"number": 1}],
            [{"number": 2}],
        )


def test_a_column_that_a_file_lacks_is_null_or_the_file_is_refused(filled, tmp_path):
    whole, without, other = (tmp_path / f"{name}.parquet" for name in "abc")
    write_parquet(filled, 1, whole)
    with duckdb.connect() as connection:
        copy = "COPY (SELECT * EXCLUDE {} FROM '{}') TO '{}' (FORMAT parquet)"
        connection.execute(copy.format("achieved_share", whole, without))
        connection.execute(copy.format("outcome", whole, other))
    with StoreReader.open(without) as reader:
        assert reader.query(
            "SELECT DISTINCT achieved_share AS it FROM measurement"
        ) == [{"it": None}]
    with pytest.raises(UsageError, match="another version of Autostrada: measure it"):
        StoreReader.open(other)


def test_only_a_trial_that_ended_out_of_memory_keeps_its_samples(
    written, trial, failure, tmp_path
):
    sampled = Observation(process_samples=(process_sample("server", 0, default=1),))
    killed = replace(failure, kind=OutOfMemory.kind)
    trials = (
        trial(0, observation=sampled),
        trial(1, outcome=failure, observation=sampled),
        trial(2, outcome=killed, observation=sampled),
    )
    path = tmp_path / "run.parquet"
    write_parquet(written(*trials), 1, path)
    rows = duckdb.sql(f"SELECT trial_id FROM '{path}' WHERE record = 'process_sample'")
    assert rows.fetchall() == [(3,)]


def test_warm_ups_of_an_earlier_version_are_omitted(filled, tmp_path):
    whole, old = (tmp_path / f"{name}.parquet" for name in "ab")
    write_parquet(filled, 1, whole)
    rows = f"SELECT *, repetition = 1 AS is_warm_up FROM '{whole}'"
    duckdb.sql(f"COPY ({rows}) TO '{old}' (FORMAT parquet)")
    with StoreReader.open(old) as reader:
        assert reader.query("SELECT repetition FROM trial") == [{"repetition": 0}]
        assert reader.query("SELECT trial_id FROM failure") == [{"trial_id": None}]


def test_nothing_is_added_to_the_file(filled, tmp_path):
    path = tmp_path / "run.parquet"
    write_parquet(filled, 1, path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="archived run, to which nothing can be added"):
        StoreWriter.create_or_open(path)
    assert path.read_bytes() == before


def test_a_file_of_another_program_is_refused(tmp_path):
    path = tmp_path / "other.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1 AS x) TO '{path}' (FORMAT parquet)")
    with pytest.raises(UsageError, match="holds no run, or one of another version"):
        StoreReader.open(path)
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(UsageError, match="cannot be read and may be damaged"):
        StoreReader.open(path)


def test_a_file_that_cannot_be_written_is_reported(filled, tmp_path):
    with pytest.raises(UsageError, match="No such file or directory; choose another"):
        write_parquet(filled, 1, tmp_path / "missing" / "run.parquet")


def test_a_missing_run_is_reported(filled, tmp_path):
    with pytest.raises(UsageError, match="holds no run 7"):
        write_parquet(filled, 7, tmp_path / "run.parquet")
