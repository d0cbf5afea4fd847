"""A run as a small Parquet file, from which its page can be written again."""

from collections.abc import Iterator
from dataclasses import fields
from importlib.resources import files
from pathlib import Path

from autostrada.errors import OutOfMemory, UsageError
from autostrada.store.metrics import (
    TrialMetric,
    computed_sql,
    histogram_metrics,
    read_histograms,
)
from autostrada.store.reader import StoreReader
from autostrada.store.schema import RECORD, TABLES

_OMITTED = {
    "store",
    "socket_sample",
    "host_sample",
    "core_sample",
    "calibration_reading",
}
"""Tables without rows in the file. Samples are most of a store."""

BUCKETS_PER_OCTAVE = 64
"""
Number of durations between one and twice as long that a file tells apart.

A duration is that of the middle of its bucket, and off by at most 0.8 %.
"""

_ROUNDED = f"""(
    SELECT
        trial_id, process, metric,
        CAST(floor(floor(value_ns / width) * width + width / 2) AS BIGINT) AS value_ns,
        CAST(sum(count) AS BIGINT) AS count
    FROM (
        SELECT
            *,
            pow(2, greatest(
                0, floor(log2(greatest(value_ns, 1))) - log2({BUCKETS_PER_OCTAVE})
            )) AS width
        FROM bucket
    )
    GROUP BY trial_id, process, metric, 4
)"""


def write_parquet(store: Path, run_id: int, path: Path) -> None:
    """
    Write a run to a file; the same run always gives the same bytes.

    The column ``record`` says what a row is: ``value`` (a metric or a failure with all
    that it belongs to, for other programs), or the table whose row it is. Rows of
    tables are what ``open_for_reading`` needs; samples over time are omitted, and
    durations are rounded.

    Raises:
        UsageError: the store cannot be read, the run does not exist, or the file cannot
            be written.
    """
    try:
        with path.open("wb"):
            pass
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}; choose another path"
        ) from error
    select = files("autostrada.store").joinpath("run.sql").read_text(encoding="utf-8")
    parts = [f"SELECT 'value' AS {RECORD}, * FROM ({select})", *_rows_of_tables()]
    union = " UNION ALL BY NAME ".join(parts).replace("$run_id", str(int(run_id)))
    with StoreReader.open(store) as reader:
        reader.run(run_id)
        reader.query("SET threads = 1")
        _create_derived(reader, run_id)
        reader.query(
            f"COPY ({union} ORDER BY ALL) TO {_quoted(str(path))} "
            f"(FORMAT parquet, COMPRESSION zstd)"
        )


def _rows_of_tables() -> Iterator[str]:
    """Yield a query for each table of a store, of the rows that belong to a run."""
    for table, names in TABLES.items():
        if table in _OMITTED:
            continue
        source = _ROUNDED if table == "bucket" else table
        condition = "true"
        if "run_id" in names:
            condition = "run_id = $run_id"
        elif "trial_id" in names:
            trials = "trial WHERE run_id = $run_id"
            if table == "process_sample":
                trials = (
                    f"failure WHERE run_id = $run_id AND kind = '{OutOfMemory.kind}'"
                )
            condition = f"trial_id IN (SELECT trial_id FROM {trials})"
        yield f"SELECT '{table}' AS {RECORD}, * FROM {source} WHERE {condition}"
    # What was computed from samples is recorded, as the samples are omitted.
    yield f"SELECT 'metric' AS {RECORD}, * FROM computed"


def _create_derived(reader: StoreReader, run_id: int) -> None:
    """Create the temporary tables of metrics that are derived from other tables."""
    computed = computed_sql()
    reader.query(f"CREATE OR REPLACE TEMP TABLE computed AS {computed}", run_id=run_id)
    metrics = [*histogram_metrics(read_histograms(reader, run_id))]
    columns = {
        field.name: [getattr(metric, field.name) for metric in metrics]
        for field in fields(TrialMetric)
    }
    lists = ", ".join(f"unnest(${name}) AS {name}" for name in columns)
    reader.query("CREATE OR REPLACE TEMP TABLE statistic AS FROM computed LIMIT 0")
    reader.query(f"INSERT INTO statistic SELECT {lists}", **columns)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
