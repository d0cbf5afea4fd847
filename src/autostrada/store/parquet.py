"""Export of a run as a small Parquet file, if a store would be too large."""

from dataclasses import astuple
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb

from autostrada.errors import UsageError
from autostrada.store.figures import derived_figures, read_histograms
from autostrada.store.file import STATEMENT_ERRORS, open_for_reading, refusal

COLUMNS = {
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
    "repetition": "from 0; warm-ups are counted separately, from 0",
    "is_warm_up": "whether the trial is a warm-up, which does not count",
    "retry": "from 0; disturbed trials are repeated",
    "is_counted": "whether the trial counts for the figures of its cell",
    "disturbance": "description of the disturbance; '' if there was none",
    "failure": "kind of the failure; NULL if the trial succeeded",
    "failure_message": "one line; NULL if the trial succeeded",
    "process": "reporting or measured process; '' for the trial, NULL for a failure",
    "figure": "column of a table above, or a name of docs/experiments.md",
    "value": "in the unit at the end of the figure's name",
}
"""The meaning of each column, by name."""

_METADATA = ("definition", "published", "plan", "command", "host", "autostrada_version")
"""Columns of table ``run`` that are stored as text in the file's metadata."""


def write_parquet(store: Path, run_id: int, path: Path) -> None:
    """
    Write the figures of a run to a file; the same run always gives the same bytes.

    Time series, histograms and samples, which are most of a store, are omitted.

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
    select = select.replace("$run_id", str(int(run_id)))
    with open_for_reading(store) as connection:
        try:
            connection.execute("SET threads = 1")
            _create_derived(connection, run_id)
            connection.execute(
                f"COPY ({select}) TO {_quoted(str(path))} "
                f"(FORMAT parquet, COMPRESSION zstd, "
                f"KV_METADATA {{{_metadata(connection, run_id)}}})"
            )
        except STATEMENT_ERRORS:
            raise
        except duckdb.Error as error:
            raise refusal(store, error) from error


def describe_parquet() -> str:
    """Return the generated part of ``docs/schema.md`` about Parquet files."""
    rows = [f"| `{name}` | {meaning} |" for name, meaning in COLUMNS.items()]
    return "\n".join(["| column | meaning |", "|---|---|", *rows])


def _create_derived(connection: duckdb.DuckDBPyConnection, run_id: int) -> None:
    """Create the temporary table of derived figures."""

    def query(sql: str) -> list[tuple[Any, ...]]:
        return connection.execute(sql).fetchall()

    connection.execute(
        "CREATE OR REPLACE TEMP TABLE derived "
        "(trial_id BIGINT, process VARCHAR, figure VARCHAR, value DOUBLE)"
    )
    figures = derived_figures(query, run_id, read_histograms(query, run_id))
    if rows := [list(astuple(each)) for each in figures]:
        connection.executemany("INSERT INTO derived VALUES (?, ?, ?, ?)", rows)


def _metadata(connection: duckdb.DuckDBPyConnection, run_id: int) -> str:
    """Return the metadata of a run in DuckDB's notation: ``key: 'value', …``."""
    row = connection.execute(
        f"SELECT {', '.join(_METADATA)} FROM run WHERE run_id = ?", [run_id]
    ).fetchone()
    if row is None:
        raise UsageError(f"the store holds no run {run_id}")
    return ", ".join(
        f"{key}: {_quoted(text)}" for key, text in zip(_METADATA, row, strict=True)
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
