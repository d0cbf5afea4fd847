"""The store's file: checked before use, and refused untouched where it is wrong."""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Self

import duckdb

from autostrada.errors import UsageError
from autostrada.store.schema import STORE_FORMAT, schema_sql, tables

FREE_BYTES_MIN = 64 * 1024 * 1024
"""Room for a run's rows and DuckDB's journal, with much to spare."""

OUR_FAULT = (duckdb.ProgrammingError, duckdb.IntegrityError, duckdb.DataError)
"""What DuckDB raises when a statement is wrong, not the file or the disk."""

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""DuckDB must never look for something in the network."""

_BLOCK_BYTES = 16_384
"""The smallest DuckDB has: a run is a few thousand short rows, not a few million."""


def check_writable(path: Path, *, free_bytes_min: int = FREE_BYTES_MIN) -> None:
    """
    Make sure, before anything is measured, that results can be kept at ``path``.

    Raises:
        UsageError: its folder is missing, read-only or too full, or the file cannot
            be written.
    """
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"folder {folder} does not exist: mkdir -p {folder}")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is not a file; name another one for the results")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
        if path.exists():
            with path.open("r+b"):
                pass
    except OSError as error:
        raise UsageError(
            f"cannot write to {path}: {error.strerror}; name another file for the "
            f"results, or change its permissions"
        ) from error
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < free_bytes_min:
        raise UsageError(
            f"only {free_bytes // 2**20} MiB are free in {folder}, results need "
            f"{free_bytes_min // 2**20}; make room or name a file on another disk"
        )


def make_writable(path: Path) -> None:
    """
    Make the folder of ``path``, and make sure that results can be kept there.

    Raises:
        UsageError: the folder cannot be made, or the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make folder {path.parent}: {error.strerror}; name another place "
            f"with --store"
        ) from error
    check_writable(path)


class OpenStore:
    """A store's file while it is open: leave the ``with`` block and it is closed."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path) -> None:
        self._connection = connection
        self.path = path

    def close(self) -> None:
        """Close the file; what is recorded is already safe."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()


def open_for_reading(path: Path) -> duckdb.DuckDBPyConnection:
    """
    Open a store without changing it, also while a journal of a killed run lies there.

    Raises:
        UsageError: there is no such store, it is damaged or in use, or it has another
            format.
    """
    if not path.exists():
        raise UsageError(f"{path} does not exist; autostrada run makes it")
    try:
        connection = duckdb.connect(path, read_only=True, config=_CONFIG)
    except duckdb.Error as error:
        raise refusal(path, error) from error
    try:
        _check_format(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_writing(path: Path) -> duckdb.DuckDBPyConnection:
    """
    Open a store, or make one; an existing file is first read from end to end.

    Raises:
        UsageError: as for reading, or the file cannot be made.
    """
    if not path.exists():
        _create(path)
    with open_for_reading(path) as connection:
        _read_everything(path, connection)
    try:
        return duckdb.connect(path, config=_CONFIG)
    except duckdb.Error as error:
        raise refusal(path, error) from error


def refusal(path: Path, error: duckdb.Error) -> UsageError:
    """Say in one line what is wrong with a file and what to do."""
    reason = str(error).strip().splitlines()[0]
    holder = re.search(r"lock.*\(PID (\d+)\)", reason)
    if holder:
        return UsageError(
            f"{path} is in use by process {holder[1]}; wait until it ends, or end it"
        )
    if "not a valid DuckDB database" in reason:
        return UsageError(
            f"{path} is not a DuckDB file; move it away or name another one"
        )
    return UsageError(
        f"{path} cannot be read, it may be damaged; restore it from a copy or move it "
        f"away ({reason})"
    )


def _check_format(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    try:
        rows = connection.execute("SELECT format FROM main.store").fetchall()
    except duckdb.ProgrammingError as error:
        raise UsageError(
            f"{path} is a DuckDB file, but holds no results of Autostrada; name "
            f"another one"
        ) from error
    except duckdb.Error as error:
        raise refusal(path, error) from error
    other = "use the version that wrote it, or name another file with --store"
    if rows != [(STORE_FORMAT,)]:
        found = ", ".join(str(number) for (number,) in rows) or "none"
        raise UsageError(
            f"{path} has store format {found}, and this version reads format "
            f"{STORE_FORMAT}: {other}"
        )
    if lacking := _expected_columns() - _columns(connection):
        raise UsageError(f"{path} has no column {min(lacking)}: {other}")


def _expected_columns() -> set[str]:
    return {
        f"{each.name}.{column.name}" for each in tables() for column in each.columns
    }


def _columns(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the columns of all tables and views."""
    rows = connection.execute(
        "SELECT table_name || '.' || column_name FROM duckdb_columns()"
    ).fetchall()
    return {column for (column,) in rows}


def _read_everything(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """Read every column once: DuckDB finds damage only where it reads."""
    try:
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        for (table,) in tables:
            connection.execute(
                f'SELECT max(hash(columns)) FROM "{table}" AS columns'
            ).fetchall()
    except duckdb.Error as error:
        raise refusal(path, error) from error


def _create(path: Path) -> None:
    """
    Make an empty store beside ``path`` and give it its name once it is whole.

    A process that is killed on the way leaves no half-made store behind, and of two
    that create the same one, the second finds the first one's.
    """
    journal = path.with_name(path.name + ".wal")
    if journal.exists():
        raise UsageError(
            f"{journal} is left over from another {path.name}; move it away"
        )
    check_writable(path)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".store-") as folder:
        draft = Path(folder) / path.name
        config = _CONFIG | {"default_block_size": str(_BLOCK_BYTES)}
        with duckdb.connect(draft, config=config) as connection:
            connection.execute(schema_sql())
            connection.execute("INSERT INTO store VALUES (?)", [STORE_FORMAT])
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        except OSError as error:
            raise UsageError(f"cannot make {path}: {error.strerror}") from error
