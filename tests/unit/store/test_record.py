"""Rows as values: SQL, the parser of its schema and Python use the same names."""

import re
from collections import defaultdict
from dataclasses import fields
from types import NoneType
from typing import get_args, get_type_hints

import duckdb
import pytest

from autostrada.experiment.matrix import Cell
from autostrada.store import record
from autostrada.store.schema import schema_sql, table_columns

ELSEWHERE = defaultdict(
    set,
    {
        record.Measurement: {
            "processes",
            "ends",
            "seconds",
            "metrics",
            "buckets",
            "marks",
            "slices",
        },
        record.Failure: {"process"},
    },
)
"""Fields in separate tables, or that identify the contestant."""


@pytest.fixture(scope="module")
def nullable():
    """Return, by table, whether each of its columns may be NULL."""
    found = defaultdict(dict)
    with duckdb.connect() as connection:
        connection.execute(schema_sql())
        columns = connection.execute(
            "SELECT table_name, column_name, is_nullable FROM duckdb_columns()"
        )
        for table, column, is_nullable in columns.fetchall():
            found[table][column] = is_nullable
    return found


@pytest.mark.parametrize(
    ("value", "table"),
    [
        (record.Run, "run"),
        (record.ContestantVersion, "contestant_version"),
        (record.ProcessTotal, "process_total"),
        (record.EndEvidence, "end_evidence"),
        (record.ProcessSample, "process_sample"),
        (record.SocketSample, "socket_sample"),
        (record.HostSample, "host_sample"),
        (record.CoreSample, "core_sample"),
        (record.MissingMetric, "missing_metric"),
        (record.SecondRow, "second"),
        (record.MarkRow, "mark"),
        (record.SliceRow, "slice"),
        (record.MetricValue, "metric"),
        (record.Bucket, "bucket"),
        (record.Measurement, "measurement"),
        (record.Failure, "failure"),
        (record.Calibration, "calibration"),
        (record.CalibrationReading, "calibration_reading"),
    ],
)
def test_a_value_has_the_columns_of_its_table_except_keys(value, table, nullable):
    optional = {
        name: NoneType in get_args(hint)
        for name, hint in get_type_hints(value).items()
        if name not in ELSEWHERE[value]
    }
    keys = nullable[table].keys() - optional.keys()
    assert keys <= {"run_id", "trial_id", "contestant", "calibration_id"}
    assert optional.items() <= nullable[table].items()


def test_a_trial_has_the_columns_of_its_table_and_of_its_disturbance(nullable):
    values = (record.Trial, record.OtherLoad, record.WorkloadPoint, Cell)
    names = {field.name for value in values for field in fields(value)}
    columns = nullable["trial"].keys()
    of_run = {"trial_id", "run_id", "contestant", "part", "superseded"}
    assert columns - of_run == names - {"cell", "other_load", "observation"}


def test_a_point_is_its_workload_and_the_values_of_its_parameters():
    point = Cell(workload="json processes=2 every_ms=0.5").point
    assert (point.workload, dict(point.parameters)) == (
        "json",
        {"processes": "2", "every_ms": "0.5"},
    )
    assert str(point) == "json processes=2 every_ms=0.5"
    assert str(record.WorkloadPoint.named("json")) == "json"


def test_the_parsed_columns_are_those_that_duckdb_creates():
    with duckdb.connect() as connection:
        connection.execute(schema_sql())
        made = connection.execute(
            "SELECT table_name, list(column_name ORDER BY column_index) "
            "FROM duckdb_columns() SEMI JOIN duckdb_tables() USING (table_oid) "
            "GROUP BY table_oid, table_name ORDER BY table_oid"
        ).fetchall()
    assert [*table_columns().items()] == made


def test_every_table_except_the_first_is_documented():
    tables = re.findall(r"^CREATE TABLE (\w+) \($", schema_sql(), re.MULTILINE)
    assert tables == ["store", "run"]
