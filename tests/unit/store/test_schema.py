"""The schema as DuckDB creates it and as the store parses it."""

import re

import duckdb

from autostrada.store.schema import schema_sql, table_columns


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
