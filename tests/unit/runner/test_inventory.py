"""Lists of contestants and experiments, and what this machine lacks for them."""

import pytest

from autostrada.contestants.catalog import Catalog
from autostrada.errors import UsageError
from autostrada.runner import inventory


@pytest.fixture(autouse=True)
def catalog(monkeypatch, tmp_path, manifest):
    (tmp_path / "contestants" / "ada-fast").mkdir(parents=True)
    (tmp_path / "contestants" / "ada-fast" / "contestant.toml").write_text(manifest)
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
    assert ["ada-fast", "fast", "client,", "server"] in printed
    assert ["ada-fast+fork", "fast", "server"] in printed
    assert any(row[:1] == ["race"] for row in printed)


def test_a_missing_engine_is_named_with_its_remedy(capsys, monkeypatch):
    def find_none():
        raise UsageError("autostrada-engine is not built: run make setup")

    monkeypatch.setattr(inventory, "find_engine", find_none)
    assert not inventory.examine_machine(None, installs=False)
    assert "not built: run make setup" in capsys.readouterr().out
