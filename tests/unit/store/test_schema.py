"""The schema as DuckDB creates it and as the store parses it."""

import duckdb

from autostrada.store.schema import schema_sql, tables


def test_the_parsed_tables_are_those_that_duckdb_creates():
    with duckdb.connect() as connection:
        connection.execute(schema_sql())
        made = connection.execute(
            "SELECT table_name, column_name, data_type, is_nullable = 'YES' "
            "FROM information_schema.columns JOIN information_schema.tables "
            "USING (table_name) WHERE table_type = 'BASE TABLE' "
            "ORDER BY table_name, ordinal_position"
        ).fetchall()
    read = [
        (table.name, column.name, column.type, column.is_nullable)
        for table in sorted(tables(), key=lambda table: table.name)
        for column in table.columns
    ]
    assert made == read


def test_every_table_except_the_first_is_documented():
    assert [table.name for table in tables() if not table.meaning] == ["store", "run"]
