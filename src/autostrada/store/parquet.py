"""A run as one small Parquet file: what is kept where a store would be too large."""

from dataclasses import astuple
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb

from autostrada.errors import UsageError
from autostrada.store.figures import derived_figures, read_histograms
from autostrada.store.file import OUR_FAULT, open_for_reading, refusal

COLUMNS = {
    "experiment": "the file's name: race",
    "trial_id": "of the store; NULL, as all that follows, for a contestant as a whole",
    "started_at": "of the trial, UTC",
    "server": "who served; `reference` is the engine",
    "server_version": "of its library, or of the engine",
    "client": "who was served; of a failed contestant as a whole its name",
    "client_version": "the same",
    "workload": "the name of its point",
    "repetition": "from 0; a warm-up counts on its own, from 0",
    "is_warm_up": "kept, not counted",
    "retry": "from 0; a trial that the machine disturbs is repeated",
    "is_counted": "whether figures are made of it",
    "disturbance": "what disturbed it, in words; '' where nothing did",
    "failure": "its kind; NULL where it succeeded",
    "failure_message": "one line; NULL where it succeeded",
    "process": "who says so or is measured; '' for the trial, NULL for a failure",
    "figure": "a column of a table above, or a name of docs/experiments.md",
    "value": "in the unit that is last in the figure's name",
}
"""By name: the meaning of each column."""

_METADATA = ("definition", "published", "plan", "command", "host", "autostrada_version")
"""Columns of table ``run`` that are in the file's own metadata, as text."""


def write_parquet(store: Path, run_id: int, path: Path) -> None:
    """
    Write a run's figures to a file; the same run always gives the same bytes.

    Series, buckets of durations and samples are left out: they are most of a store.

    Raises:
        UsageError: the store cannot be read, or the file cannot be written.
    """
    try:
        with path.open("wb"):
            pass
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}; name another place"
        ) from error
    select = files("autostrada.store").joinpath("run.sql").read_text(encoding="utf-8")
    select = select.replace("$run_id", str(int(run_id)))
    with open_for_reading(store) as connection:
        try:
            connection.execute("SET threads = 1")
            _lay_out_derived(connection, run_id)
            connection.execute(
                f"COPY ({select}) TO {_quoted(str(path))} "
                f"(FORMAT parquet, COMPRESSION zstd, "
                f"KV_METADATA {{{_metadata(connection, run_id)}}})"
            )
        except OUR_FAULT:
            raise
        except duckdb.Error as error:
            raise refusal(store, error) from error


def describe_parquet() -> str:
    """Return the generated part of ``docs/schema.md`` that is about these files."""
    rows = [f"| `{name}` | {meaning} |" for name, meaning in COLUMNS.items()]
    return "\n".join(["| column | meaning |", "|---|---|", *rows])


def _lay_out_derived(connection: duckdb.DuckDBPyConnection, run_id: int) -> None:
    """Make a temporary table of what is worked out of each trial."""

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
    """Return the run's own words as DuckDB wants them: ``key: 'value', …``."""
    row = connection.execute(
        f"SELECT {', '.join(_METADATA)} FROM run WHERE run_id = ?", [run_id]
    ).fetchone()
    if row is None:
        raise UsageError(f"there is no run {run_id}")
    return ", ".join(
        f"{key}: {_quoted(text)}" for key, text in zip(_METADATA, row, strict=True)
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
