"""
The schema of the store, whose columns are the fields of its records.

The store is append-only: each trial is one transaction, and no row is updated. No keys
are declared. DuckDB keeps an index for each key and reads it only for writing, so
damage to an index would only be detected during a run. The writer assigns the ids and
rejects duplicates.
"""

from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import datetime
from typing import Any, get_type_hints

from autostrada.stats.evidence import EndName, Pacing
from autostrada.store import record

STORE_FORMAT = 14
"""Format of the store; a store with another format is rejected."""

RECORD = "record"
"""Column of a run's Parquet file with the table whose row it is."""

_TYPES: dict[Any, str] = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    str: "VARCHAR",
    EndName: "VARCHAR",
    Pacing: "VARCHAR",
    datetime: "TIMESTAMP",
}


def _columns(kind: type) -> dict[str, str]:
    """Return the columns of a record; other records within it are other tables."""
    columns: dict[str, str] = {}
    for name, hint in get_type_hints(kind).items():
        if is_dataclass(hint) and isinstance(hint, type):
            columns |= _columns(hint)
        for of_column, sql in _TYPES.items():
            if hint in (of_column, of_column | None):
                columns[name] = sql if hint == of_column | None else f"{sql} NOT NULL"
    return columns


_TEXT = "VARCHAR NOT NULL"
_ID = "BIGINT NOT NULL"  # 1, 2, …; of the table with this name
_OF_RUN = {"run_id": _ID}
_OF_TRIAL = {"trial_id": _ID}
_OF_CALIBRATION = {"calibration_id": _ID}

TABLES: Mapping[str, Mapping[str, str]] = {
    "store": {"format": _ID},  # STORE_FORMAT
    "run": _OF_RUN | _columns(record.Run),
    "part": {  # an earlier run whose trials a run has taken over (--add-to)
        **_OF_RUN,
        "part": _ID,  # from 0, in the order in which they were measured
        "command": _TEXT,
        "started_at": "TIMESTAMP NOT NULL",
        "autostrada_version": _TEXT,
        "host": _TEXT,
    },
    "contestant_version": _OF_RUN | _columns(record.ContestantVersion),
    "trial": {
        **_OF_TRIAL,
        **_OF_RUN,
        "contestant": _TEXT,  # measured contestants: server × client, without engine
        **_columns(record.Trial),
        "parameters": _TEXT,  # JSON: values of the swept parameters; {} without
        "outcome": _TEXT,  # 'measurement' or 'failure'
        "part": "BIGINT",  # of table part; NULL if the run made the trial itself
        "superseded": "VARCHAR",  # why a trial of a part counts no longer, or NULL
    },
    "measurement": _OF_TRIAL | _columns(record.Measurement),
    "metric": _OF_TRIAL | _columns(record.MetricValue),
    "bucket": _OF_TRIAL | _columns(record.Bucket),
    "process_total": _OF_TRIAL | _columns(record.ProcessTotal),
    "end_evidence": _OF_TRIAL | _columns(record.EndEvidence),
    "process_sample": _OF_TRIAL | _columns(record.ProcessSample),
    "socket_sample": _OF_TRIAL | _columns(record.SocketSample),
    "host_sample": _OF_TRIAL | _columns(record.HostSample),
    "core_sample": _OF_TRIAL | _columns(record.CoreSample),
    "missing_metric": _OF_TRIAL | _columns(record.MissingMetric),
    "second": _OF_TRIAL | _columns(record.SecondRow),
    "mark": _OF_TRIAL | _columns(record.MarkRow),
    "slice": _OF_TRIAL | _columns(record.SliceRow),
    "failure": {  # of a trial, or (trial_id NULL) of a contestant as a whole
        **_OF_RUN,
        "contestant": _TEXT,
        "trial_id": "BIGINT",
        "kind": _TEXT,
        "message": _TEXT,
        "stderr_tail": _TEXT,
    },
    "calibration": _OF_CALIBRATION | _columns(record.Calibration),
    "calibration_reading": _OF_CALIBRATION | _columns(record.CalibrationReading),
}
"""The columns of each table, with their types."""

_COUNTED_TRIAL = """
CREATE VIEW counted_trial AS
SELECT * FROM trial
WHERE superseded IS NULL
QUALIFY row_number() OVER (
    PARTITION BY run_id, server, client, workload, repetition
    ORDER BY disturbance <> '', retry DESC
) = 1;
"""
"""The trial of each repetition from which metrics are computed."""


def schema_sql() -> str:
    """Return the SQL statements that create an empty store."""
    tables = (
        f"CREATE TABLE {table} ({', '.join(map(' '.join, columns.items()))});"
        for table, columns in TABLES.items()
    )
    return "\n".join(tables) + _COUNTED_TRIAL
