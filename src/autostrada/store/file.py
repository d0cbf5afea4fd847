"""The file of a store: creation, checks before use, and errors with their remedy."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import duckdb

from autostrada.errors import UsageError
from autostrada.store.schema import RECORD, STORE_FORMAT, TABLES, schema_sql

FREE_BYTES_MIN = 64 * 1024 * 1024
"""Minimum free disk space, which is ample for a run's rows and DuckDB's journal."""

STATEMENT_ERRORS = (duckdb.ProgrammingError, duckdb.IntegrityError, duckdb.DataError)
"""Errors of DuckDB that are caused by a wrong statement, not by the file or disk."""

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""Settings that prevent DuckDB from loading extensions over the network."""

_PARQUET = b"PAR1"
"""The first bytes of each Parquet file."""

_BLOCK_BYTES = 16_384
"""DuckDB's smallest block size, because a run has only a few thousand short rows."""


def check_writable(path: Path, *, free_bytes_min: int = FREE_BYTES_MIN) -> None:
    """
    Check, before a measurement, that results can be written to ``path``.

    Raises:
        UsageError: the folder is missing, read-only or has too little free space, or
            the file cannot be written.
    """
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"folder {folder} does not exist: mkdir -p {folder}")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is not a file; choose another one for the results")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
        if path.exists():
            with path.open("r+b"):
                pass
    except OSError as error:
        raise UsageError(
            f"cannot write to {path}: {error.strerror}; choose another file for the "
            f"results or change its permissions"
        ) from error
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < free_bytes_min:
        raise UsageError(
            f"only {free_bytes // 2**20} MiB are free in {folder}, but results need "
            f"{free_bytes_min // 2**20} MiB; free space or choose a file on another "
            f"disk"
        )


def make_writable(path: Path) -> None:
    """
    Create the folder of ``path``, and check that results can be written there.

    Raises:
        UsageError: the folder cannot be created, or the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot create folder {path.parent}: {error.strerror}; choose another "
            f"file with --store"
        ) from error
    check_writable(path)


class OpenStore:
    """An open store; the end of its ``with`` block closes it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path) -> None:
        self._connection = connection
        self.path = path

    def close(self) -> None:
        """Close the file; recorded data is already on disk."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_for_reading(path: Path) -> duckdb.DuckDBPyConnection:
    """
    Open a store without changing it, even if a killed run left a journal.

    The Parquet file of a run is read into memory, as a store with this run only.

    Raises:
        UsageError: the store does not exist, is damaged, is in use or has another
            format.
    """
    if not path.exists():
        raise UsageError(f"{path} does not exist; autostrada run creates it")
    if is_archive(path):
        return _read_parquet(path)
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
    Open a store, or create it; an existing file is first read completely.

    Raises:
        UsageError: the store is damaged, is in use, has another format or cannot be
            created, or it is the Parquet file of a run.
    """
    if not path.exists():
        _create(path)
    if is_archive(path):
        raise UsageError(
            f"{path} is an archived run, to which nothing can be added: choose another "
            f"file with --store"
        )
    with open_for_reading(path) as connection:
        _read_everything(path, connection)
    try:
        return duckdb.connect(path, config=_CONFIG)
    except duckdb.Error as error:
        raise refusal(path, error) from error


def refusal(path: Path, error: duckdb.Error) -> UsageError:
    """Convert an error of DuckDB to a line with the problem of a file and a remedy."""
    reason = str(error).strip().splitlines()[0]
    holder = re.search(r"lock.*\(PID (\d+)\)", reason)
    if holder:
        return UsageError(
            f"{path} is in use by process {holder[1]}; wait for it or stop it"
        )
    if "not a valid DuckDB database" in reason:
        return UsageError(
            f"{path} is not a DuckDB file; move it away or choose another one"
        )
    return UsageError(
        f"{path} cannot be read and may be damaged; restore it from a copy or move it "
        f"away ({reason})"
    )


def is_archive(path: Path) -> bool:
    """Whether a file is a run in the format Parquet."""
    try:
        with path.open("rb") as file:
            return file.read(len(_PARQUET)) == _PARQUET
    except OSError:
        return False


def _read_parquet(path: Path) -> duckdb.DuckDBPyConnection:
    """
    Return a store in memory with the run of a Parquet file.

    A column that did not exist when the file was written is NULL, where it may be.
    Earlier versions also wrote trials that were warm-ups, which are omitted.
    """
    connection = duckdb.connect(":memory:", config=_CONFIG)
    try:
        connection.execute(schema_sql())
        connection.execute("INSERT INTO store VALUES (?)", [STORE_FORMAT])
        for table, names in tables_of_file(connection, path):
            connection.execute(
                f"INSERT INTO {table} BY NAME SELECT {', '.join(names)} "
                f"FROM read_parquet(?) WHERE {RECORD} = ?",
                [str(path), table],
            )
        if "is_warm_up" in _columns_of_file(connection, path):
            for name in ("trial", "failure"):
                connection.execute(
                    f"DELETE FROM {name} WHERE trial_id IN "
                    f"(SELECT trial_id FROM read_parquet(?) WHERE is_warm_up)",
                    [str(path)],
                )
        if not connection.execute("FROM run").fetchall():
            raise duckdb.BinderException("no row is a run")
    except (duckdb.BinderException, duckdb.ConstraintException) as error:
        connection.close()
        raise UsageError(
            f"{path} holds no run, or one of another version of Autostrada: measure it "
            f"again with autostrada run"
        ) from error
    except duckdb.Error as error:
        connection.close()
        raise refusal(path, error) from error
    return connection


def tables_of_file(
    connection: duckdb.DuckDBPyConnection, path: Path
) -> Iterator[tuple[str, list[str]]]:
    """Yield each table of which a Parquet file may have rows, with its columns."""
    known = _columns_of_file(connection, path)
    for table, columns in TABLES.items():
        if names := [name for name in columns if name in known]:
            yield table, names


def _columns_of_file(connection: duckdb.DuckDBPyConnection, path: Path) -> set[str]:
    columns = connection.execute("DESCRIBE FROM read_parquet(?)", [str(path)])
    return {name for name, *_ in columns.fetchall()}


def _check_format(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    try:
        rows = connection.execute("SELECT format FROM main.store").fetchall()
    except duckdb.ProgrammingError as error:
        raise UsageError(
            f"{path} is a DuckDB file, but contains no results of Autostrada; choose "
            f"another one"
        ) from error
    except duckdb.Error as error:
        raise refusal(path, error) from error
    other = "use the version that wrote it, or choose another file with --store"
    if rows != [(STORE_FORMAT,)]:
        found = ", ".join(str(number) for (number,) in rows) or "none"
        raise UsageError(
            f"{path} has store format {found}, but this version reads format "
            f"{STORE_FORMAT}: {other}"
        )
    columns = connection.execute(
        "SELECT table_name || '.' || column_name FROM duckdb_columns()"
    ).fetchall()
    expected = {f"{table}.{name}" for table, names in TABLES.items() for name in names}
    if missing := expected - {column for (column,) in columns}:
        raise UsageError(f"{path} has no column {min(missing)}: {other}")


def _read_everything(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """Read every column once, because DuckDB detects damage only in data it reads."""
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
    Create an empty store under a temporary name, then link it to ``path``.

    A killed process leaves no incomplete store. If two processes create the same store,
    the second one uses that of the first.
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
            raise UsageError(f"cannot create {path}: {error.strerror}") from error
