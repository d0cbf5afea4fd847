"""The schema of the store: format number, SQL statements and names of columns."""

import re
from importlib.resources import files

STORE_FORMAT = 14
"""Format of the store; a store with another format is rejected."""

RECORD = "record"
"""Column of a run's Parquet file with the table whose row it is."""

_TABLE = re.compile(r"^CREATE TABLE (\w+) \([^\n]*\n(.*?)^\);", re.M | re.S)
_COLUMN = re.compile(r"^    ([a-z]\w*) ", re.M)


def schema_sql() -> str:
    """Return the SQL statements that create an empty store."""
    return files("autostrada.store").joinpath("schema.sql").read_text(encoding="utf-8")


def table_columns() -> dict[str, list[str]]:
    """Return the names of all columns by table, in the order of ``schema.sql``."""
    return {name: _COLUMN.findall(body) for name, body in _TABLE.findall(schema_sql())}
