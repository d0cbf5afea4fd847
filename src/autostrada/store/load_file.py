"""A load as a Parquet file of one row, for the programs that read many of them."""

from datetime import UTC
from pathlib import Path

import duckdb

from autostrada.errors import UsageError
from autostrada.store.history import SavedLoad


def write_load(load: SavedLoad, path: Path) -> None:
    """
    Write a row with the load's name, time in UTC, and all metrics that it has.

    A metric's column ends with its unit, as in ``load --csv``: ``p99_s``.

    Raises:
        UsageError: the file cannot be written.
    """
    columns = {
        "name": load.name,
        "at": load.at.astimezone(UTC).replace(tzinfo=None),
        "asked": load.asked,
        "limit": load.limit,
    } | {
        f"{metric.name.replace('-', '_').replace('.', '_')}_{metric.unit}": metric.value
        for metric in load.metrics
    }
    row = ", ".join(f'? AS "{name}"' for name in columns)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE load AS SELECT {row}", [*columns.values()])
        try:
            connection.table("load").write_parquet(str(path))
        except duckdb.Error as error:
            raise UsageError(f"--parquet: {path} cannot be written: {error}") from error
