"""A run as a small Parquet file, from which its page can be written again."""

from collections.abc import Iterator
from dataclasses import fields
from importlib.resources import files
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.store.metrics import (
    TrialMetric,
    computed_sql,
    histogram_metrics,
    read_histograms,
)
from autostrada.store.reader import StoreReader
from autostrada.store.schema import RECORD, tables

COLUMNS = {
    RECORD: "`value` in each of these rows",
    "experiment": "name of the experiment, without `.toml`",
    "trial_id": (
        "trial in the store; NULL if the contestant failed before any trial, as are "
        "all columns except `client` and the failure"
    ),
    "started_at": "start of the trial, UTC",
    "server": "server; `reference` is the engine",
    "server_version": "version of the server's library, or of the engine",
    "client": "client, or the contestant that failed before any trial",
    "client_version": "version of the client's library, or of the engine",
    "workload": "name of the workload's point",
    "parameters": "JSON: values of the workload's swept parameters, by name",
    "repetition": "from 0",
    "retry": "from 0; disturbed trials are repeated",
    "is_counted": "whether the trial counts for the metrics of its cell",
    "disturbance": "description of the disturbance; '' if there was none",
    "failure": "kind of the failure; NULL if the trial succeeded",
    "failure_message": "one line; NULL if the trial succeeded",
    "process": "reporting or measured process; '' for the trial, NULL for a failure",
    "metric": "column of a table above, or a name of docs/experiments.md",
    "value": "in the unit at the end of the metric's name",
}
"""The meaning of each column of a row that has a metric or a failure, by name."""

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

_SOURCES = {"bucket": _ROUNDED}
"""What takes the place of a table whose rows would be most of the file."""

_CONDITIONS = {
    "process_sample": "trial_id IN (SELECT trial_id FROM failure WHERE "
    "run_id = $run_id AND kind = 'out of memory')"
}
"""Which rows of a table belong to a run, for a table with other rows than these."""


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
    for table in tables():
        if table.name in _OMITTED:
            continue
        names = {column.name for column in table.columns}
        condition = "true"
        if table.name in _CONDITIONS:
            condition = _CONDITIONS[table.name]
        elif "run_id" in names:
            condition = "run_id = $run_id"
        elif "trial_id" in names:
            condition = (
                "trial_id IN (SELECT trial_id FROM trial WHERE run_id = $run_id)"
            )
        source = _SOURCES.get(table.name, table.name)
        rows = f"* FROM {source} WHERE {condition}"
        yield f"SELECT '{table.name}' AS {RECORD}, {rows}"
    # What was computed from samples is recorded, as the samples are omitted.
    yield f"SELECT 'metric' AS {RECORD}, * FROM computed"


def describe_parquet() -> str:
    """Return the generated part of ``docs/schema.md`` about Parquet files."""
    rows = [f"| `{name}` | {meaning} |" for name, meaning in COLUMNS.items()]
    return "\n".join(["| column | meaning |", "|---|---|", *rows])


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
