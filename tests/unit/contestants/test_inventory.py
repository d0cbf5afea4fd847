"""Lists of contestants and experiments."""

import pytest

from autostrada.contestants import inventory
from autostrada.contestants.catalog import Catalog


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
