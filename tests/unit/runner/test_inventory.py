"""Lists of contestants and experiments, and what this machine lacks for them."""

import pytest

from autostrada.contestants.catalog import Catalog
from autostrada.errors import UsageError
from autostrada.runner import inventory

MANIFEST = """
library  = "fast"
homepage = ""
client.command  = ["./client"]
client.delivers = "bytes"
client.validates_utf8 = true
version.command = ["./version"]

[[variant]]
name = "tasks"
env  = {}
"""


@pytest.fixture
def contestants(tmp_path):
    """Return a function that adds a contestant to an otherwise empty catalog."""
    folder = tmp_path / "contestants"

    def add(name, manifest):
        (folder / name).mkdir(parents=True)
        (folder / name / "contestant.toml").write_text(manifest)

    add("ada-fast", MANIFEST)
    return add


@pytest.fixture(autouse=True)
def catalog(monkeypatch, tmp_path, contestants):
    (tmp_path / "experiments").symlink_to(inventory.find_catalog().root / "experiments")
    monkeypatch.setattr(
        inventory,
        "find_catalog",
        lambda extra_contestants=None: Catalog(
            root=tmp_path, extra_contestants=extra_contestants
        ),
    )
    monkeypatch.setenv("COLUMNS", "200")


def rows(text):
    return [line.split() for line in text.splitlines()]


def test_contestants_and_experiments_are_listed(capsys):
    inventory.print_inventory(None)
    printed = rows(capsys.readouterr().out)
    assert ["ada-fast", "fast", "client"] in printed
    assert ["ada-fast+tasks", "fast", "client"] in printed
    assert any(row[:1] == ["race"] for row in printed)


def test_a_missing_engine_is_named_with_its_remedy(capsys, monkeypatch):
    def find_none():
        raise UsageError("autostrada-engine is not built: run make setup")

    monkeypatch.setattr(inventory, "find_engine", find_none)
    assert not inventory.examine_machine(None, installs=False)
    assert "not built: run make setup" in capsys.readouterr().out
