"""The schema as DuckDB understands it, as we read it, and as it is described."""

from pathlib import Path

import duckdb

from autostrada.store.schema import describe_schema, schema_sql, tables

DOCUMENT = Path(__file__).parents[3] / "docs" / "schema.md"


def test_the_tables_we_read_out_of_it_are_those_that_duckdb_makes():
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


def test_every_table_but_the_first_is_explained():
    assert [table.name for table in tables() if not table.meaning] == ["store", "run"]


def test_the_document_describes_this_schema():
    text = DOCUMENT.read_text(encoding="utf-8")
    begin, end = "<!-- generated from schema.sql -->\n", "<!-- end -->\n"
    described = text.partition(begin)[2].partition(end)[0]
    assert described.strip() == describe_schema().strip(), (
        "docs/schema.md is stale: replace its generated part by what prints\n"
        '    python -c "from autostrada.store.schema import describe_schema as d; '
        'print(d())"'
    )
