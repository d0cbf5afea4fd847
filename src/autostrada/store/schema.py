"""The schema of the store: format number, SQL statements and generated description."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

STORE_FORMAT = 14
"""Format of the store; a store with another format is rejected."""

RECORD = "record"
"""Column of a run's Parquet file with the table whose row it is."""

_TABLE = re.compile(
    r"^CREATE TABLE (?P<name>\w+) \((?:\s*-- (?P<meaning>[^\n]*))?\n(?P<body>.*?)^\);",
    re.MULTILINE | re.DOTALL,
)
_COLUMN = re.compile(
    r"^    (?P<name>[a-z]\w*) +(?P<type>[A-Z]+)(?P<rest>[^\n]*?)"
    r"(?: *-- (?P<meaning>[^\n]*))?$",
    re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SchemaColumn:
    """A column declared in ``schema.sql``; its meaning is the comment there."""

    name: str
    type: str
    is_nullable: bool
    meaning: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SchemaTable:
    """A table declared in ``schema.sql``; its meaning is the comment there."""

    name: str
    meaning: str
    columns: tuple[SchemaColumn, ...]


def schema_sql() -> str:
    """Return the SQL statements that create an empty store."""
    return files("autostrada.store").joinpath("schema.sql").read_text(encoding="utf-8")


def tables() -> Iterator[SchemaTable]:
    """Yield the tables of ``schema.sql`` in file order."""
    for table in _TABLE.finditer(schema_sql()):
        yield SchemaTable(
            name=table["name"],
            meaning=table["meaning"] or "",
            columns=tuple(
                SchemaColumn(
                    name=column["name"],
                    type=column["type"],
                    is_nullable=not re.search("NOT NULL|PRIMARY KEY", column["rest"]),
                    meaning=column["meaning"] or "",
                )
                for column in _COLUMN.finditer(table["body"])
            ),
        )


def describe_schema() -> str:
    """Return the generated part of ``docs/schema.md``: a Markdown table per table."""
    parts = []
    for table in tables():
        parts.append(f"### `{table.name}`\n")
        if table.meaning:
            parts.append(f"{table.meaning[0].upper()}{table.meaning[1:]}.\n")
        parts.append("| column | type | meaning |\n|---|---|---|")
        for column in table.columns:
            kind = column.type + (", may be NULL" if column.is_nullable else "")
            parts.append(f"| `{column.name}` | {kind} | {column.meaning} |")
        parts.append("")
    return "\n".join(parts)
