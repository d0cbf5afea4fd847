"""Files that are refused and not changed."""

import os
import re
import subprocess
import sys
from collections import namedtuple

import duckdb
import pytest

from autostrada.errors import UsageError
from autostrada.store import file
from autostrada.store.file import (
    OpenStore,
    check_writable,
    make_writable,
    open_for_reading,
    open_for_writing,
)
from autostrada.store.schema import schema_sql
from autostrada.store.writer import StoreWriter

TABLES = "SELECT table_name FROM duckdb_tables() ORDER BY ALL"
HOLD = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def everything(path):
    """Return every row of every table."""
    with duckdb.connect(path, read_only=True) as connection:
        return {
            table: connection.execute(f"SELECT * FROM {table}").fetchall()
            for (table,) in connection.execute(TABLES).fetchall()
        }


def refused(opening, path):
    """Open; expect a refusal of one line and an unchanged folder; return the line."""
    before = contents(path.parent)
    with pytest.raises(UsageError) as caught:
        opening(path)
    assert contents(path.parent) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture(params=["reading", "writing"])
def opening(request):
    return open_for_reading if request.param == "reading" else open_for_writing


@pytest.mark.parametrize("content", [b"", b"hello\n" * 1_000, bytes(20_000)])
def test_a_file_that_is_not_duckdb_is_refused(opening, path, content):
    path.write_bytes(content)
    assert "is not a DuckDB file" in refused(opening, path)


def test_another_duckdb_file_is_refused(opening, path):
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE results (x INTEGER)")
    assert "contains no results of Autostrada" in refused(opening, path)


@pytest.mark.parametrize("formats", [[1], [], [2, 2]])
def test_another_format_is_refused(opening, path, formats):
    with duckdb.connect(path) as connection:
        connection.execute(schema_sql())
        for number in formats:
            connection.execute("INSERT INTO store VALUES (?)", [number])
    assert "use the version that wrote it" in refused(opening, path)


def test_a_store_that_lacks_a_column_is_refused(opening, filled):
    with duckdb.connect(filled) as connection:
        connection.execute("ALTER TABLE second DROP COLUMN bytes")
    assert "has no column second.bytes: use the version" in refused(opening, filled)


def test_a_store_of_another_format_with_a_journal_is_refused(opening, path):
    write = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]);"
        "c.execute('CREATE TABLE store (format INTEGER)');"
        "c.execute('INSERT INTO store VALUES (1)'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", write, path], check=False)
    assert path.with_name(path.name + ".wal").exists()
    assert "store format 1," in refused(opening, path)


def test_damage_is_refused_or_affects_no_content(filled, trial):
    content = filled.read_bytes()
    rows = everything(filled)
    refusals = 0
    for at in range(0, len(content), 4_999):
        damaged = bytearray(content)
        damaged[at : at + 16] = bytes(255 - byte for byte in damaged[at : at + 16])
        filled.write_bytes(damaged)
        try:
            open_for_writing(filled).close()
        except UsageError:
            refusals += 1
            assert contents(filled.parent) == {filled.name: bytes(damaged)}
        else:
            assert everything(filled) == rows
            with StoreWriter.create_or_open(filled) as writer:
                writer.record_trial(1, trial(9))
    assert refusals > 5


@pytest.mark.parametrize("kept", [0.01, 0.1, 0.5, 0.8])
def test_a_truncated_file_is_refused(filled, kept):
    content = filled.read_bytes()
    filled.write_bytes(content[: int(len(content) * kept)])
    refused(open_for_writing, filled)


def test_a_missing_file_is_created_for_writing_and_refused_for_reading(path):
    assert "does not exist" in refused(open_for_reading, path)
    open_for_writing(path).close()
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    open_for_reading(path).close()


def test_the_journal_of_another_file_is_not_applied(path):
    path.with_name(path.name + ".wal").write_bytes(b"journal")
    assert "left over" in refused(open_for_writing, path)


def test_a_store_in_use_is_refused_with_the_process_that_uses_it(opening, filled):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, filled],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout.readline() == b"held\n"
        message = refused(opening, filled)
        holder.stdin.close()
    assert f"is in use by process {holder.pid}; wait" in message


def test_a_writable_place_is_accepted_and_unchanged(path, filled):
    before = contents(path.parent)
    check_writable(filled)
    check_writable(path.with_name("other.duckdb"))
    assert contents(path.parent) == before


def test_a_missing_folder_is_named_with_its_remedy(tmp_path):
    folder = tmp_path / "results"
    with pytest.raises(UsageError, match=re.escape(f"mkdir -p {folder}")):
        check_writable(folder / "race.duckdb")


def test_a_folder_in_place_of_a_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match="is not a file"):
        check_writable(tmp_path)


def test_a_folder_that_is_not_writable_is_refused(monkeypatch, path):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(file.tempfile, "TemporaryFile", refuse)
    with pytest.raises(UsageError, match="Permission denied; choose another file"):
        check_writable(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_refused(filled):
    filled.chmod(0o444)
    with pytest.raises(UsageError, match="Permission denied"):
        check_writable(filled)


def test_a_full_disk_is_refused(monkeypatch, path):
    usage = namedtuple("usage", "total used free")(10**12, 10**12, 5 * 2**20)
    monkeypatch.setattr(file.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(UsageError, match="only 5 MiB are free"):
        check_writable(path)


def test_a_missing_folder_is_created(tmp_path):
    make_writable(tmp_path / "results" / "today" / "race.duckdb")
    assert (tmp_path / "results" / "today").is_dir()


def test_a_folder_that_cannot_be_created_is_named_with_the_remedy(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"cannot create folder .* with --store"):
        make_writable(tmp_path / "file" / "race.duckdb")


def test_a_store_is_closed_after_its_block(path):
    with OpenStore(open_for_writing(path), path) as store:
        assert store.path == path
    with duckdb.connect(path):
        pass
