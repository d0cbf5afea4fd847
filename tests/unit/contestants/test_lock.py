"""Lock files are created by the language's own command, beside the kit."""

import json
from pathlib import Path

import pytest

from autostrada.contestants import lock as module
from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import parse_manifest
from autostrada.contestants.kit import read_kits
from autostrada.contestants.lock import lock, newer_language
from autostrada.errors import UsageError

MANIFEST = """
library  = "ws"
homepage = ""
client.command  = ["./client"]
client.delivers = "bytes"
client.validates_utf8 = true
version.command = ["echo", "1"]
requires.go = { command = ["go", "version"], matches = 'go1\\.(2[3-9])', install = "" }
"""
KIT = """
sources = [".adb"]
test = [["true"]]

[[packages]]
file   = "wish"
lock   = {command}
locked = ["exact"]
"""


@pytest.fixture
def locked_by(monkeypatch, catalog_builder):
    """Return a function: a command locks a made-up language; returns its contestant."""
    monkeypatch.setattr(module, "find_catalog", lambda: catalog_builder.catalog)

    def make(*arguments):
        kit = catalog_builder.catalog.root / "kits" / "ada"
        kit.mkdir(parents=True)
        (kit / "kit.toml").write_text(KIT.format(command=json.dumps(arguments)))
        (kit / "help").write_text("2.0")
        folder = catalog_builder.catalog.root / "contestants" / "ada-fast"
        (folder / "wish").write_text("1")
        return folder

    return make


def test_the_lock_is_created_beside_the_kit_wherever_the_folder_is(locked_by, tmp_path):
    folder = locked_by("cp", "../../kits/ada/help", "exact")
    mine = folder.rename(tmp_path / "ada-fast")
    assert lock(mine) == [mine / "exact"]
    assert (mine / "exact").read_text() == "2.0"


def test_a_contestants_name_stands_for_its_folder(locked_by):
    folder = locked_by("cp", "wish", "exact")
    lock(Path("ada-fast"))
    assert (folder / "exact").read_text() == "1"


def test_a_failed_command_leaves_nothing(locked_by):
    folder = locked_by("cp", "missing", "exact")
    with pytest.raises(UsageError, match=r"'cp missing exact' failed:\n.*missing"):
        lock(folder)
    assert not (folder / "exact").exists()


def test_a_contestant_without_dependencies_is_reported(locked_by):
    folder = locked_by("true")
    (folder / "wish").unlink()
    with pytest.raises(UsageError, match="has none of wish: see its README"):
        lock(folder)


@pytest.mark.parametrize(
    ("go", "message"),
    [("1.23.0", ""), ("1.25", "needs go 1.25, but requires.go accepts 1.23")],
)
def test_a_lock_that_needs_a_newer_language_is_named(tmp_path, go, message):
    folder = tmp_path / "go-ws"
    folder.mkdir()
    (folder / "go.mod").write_text(f"module contestant\n\ngo {go}\n")
    [contestant] = parse_manifest(MANIFEST, folder=folder)
    packages = read_kits(find_catalog().root / "kits")["go"].packages[0]
    found = newer_language(contestant, packages.file, packages.language)
    assert message in found
    assert bool(message) == bool(found)
