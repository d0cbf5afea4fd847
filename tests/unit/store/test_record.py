"""Rows as values: the columns of the store are their fields."""

import duckdb

from autostrada.experiment.matrix import Cell
from autostrada.store import record
from autostrada.store.schema import TABLES, schema_sql


def test_a_column_is_null_where_its_field_may_be_none():
    with duckdb.connect() as connection:
        connection.execute(schema_sql())
        columns = connection.execute(
            "SELECT column_name, data_type, is_nullable FROM duckdb_columns() "
            "WHERE table_name = 'core_sample' ORDER BY column_index"
        ).fetchall()
    assert columns[0] == ("trial_id", "BIGINT", False)
    assert columns[1] == ("since_start_ns", "BIGINT", False)
    assert ("steal_ns", "BIGINT", True) in columns


def test_a_trial_has_columns_of_its_cell_and_of_other_load_but_none_of_its_samples():
    columns = TABLES["trial"]
    assert {"server", "client", "workload", "stolen_share"} <= columns.keys()
    assert columns.keys().isdisjoint({"cell", "other_load", "observation"})


def test_a_measurement_has_no_columns_of_rows_in_other_tables():
    columns = TABLES["measurement"]
    assert columns["pacing"] == columns["sender"] == "VARCHAR NOT NULL"
    assert columns.keys().isdisjoint({"processes", "ends", "seconds", "slices"})


def test_a_point_is_its_workload_and_the_values_of_its_parameters():
    point = Cell(workload="json processes=2 every_ms=0.5").point
    assert (point.workload, dict(point.parameters)) == (
        "json",
        {"processes": "2", "every_ms": "0.5"},
    )
    assert str(point) == "json processes=2 every_ms=0.5"
    assert str(record.WorkloadPoint.named("json")) == "json"
