"""What there is, what this machine lacks of it, and what a trial is given."""

import json

import pytest

from autostrada.errors import UsageError
from autostrada.plan.catalog import Catalog
from autostrada.plan.matrix import REFERENCE
from autostrada.runner import inventory

MANIFEST = """
library  = "fast"
language = "ada"
homepage = ""
protocol = "websocket"
client.command  = ["./client"]
version.command = ["./version"]

[[variant]]
name = "tasks"
env  = {}
"""


@pytest.fixture
def contestants(tmp_path):
    """Add a contestant to a catalog that has no other, and our experiments."""
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
        lambda further=None: Catalog(root=tmp_path, further=further),
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


def test_an_engine_that_is_missing_is_named_with_its_remedy(capsys, monkeypatch):
    def find_none():
        raise UsageError("autostrada-engine is not built: make setup")

    monkeypatch.setattr(inventory, "find_engine", find_none)
    assert not inventory.examine_machine(None, installs=False)
    assert "not built: make setup" in capsys.readouterr().out


def test_a_plan_is_a_document_for_each_workload(capsys):
    inventory.print_plan("race", None)
    text = capsys.readouterr().out
    decoder = json.JSONDecoder()
    documents = []
    while text := text.strip():
        document, end = decoder.raw_decode(text)
        documents.append(document)
        text = text[end:]
    workloads = [document["workload"] for document in documents]
    assert workloads == ["batched", "write-each", "write-each-deflate"]
    for document in documents:
        url = document["contestant"]["URL"]
        assert url.endswith(f"/{document['contestant']['MESSAGES']}")
        assert document["reference"]["url"] == url
        assert document["serve"]["workload"]["kind"] == "push"
        is_granted = "compression" in document["serve"]
        assert ("COMPRESSION" in document["contestant"]) == is_granted


def test_a_plan_of_bots_has_what_both_ends_are_told(capsys):
    inventory.print_plan("bots", None)
    document, _ = json.JSONDecoder().raw_decode(capsys.readouterr().out)
    assert document["workload"] == "binary connections=100"
    assert document["serve"]["listen"] == "127.0.0.1:8008"
    assert document["reference"]["workload"]["kind"] == "bots"
    assert document["reference"]["connections"] == 100
    assert document["client"]["CONNECTIONS"] == "100"
    assert document["server"] == {"HOST": "127.0.0.1", "PORT": "8008"}


def test_a_plan_is_in_the_protocol_of_contestants_of_ones_own(capsys, tmp_path):
    invited = inventory.find_catalog().experiment("bots").experiment.contestants
    name = next(each for each in invited if each != REFERENCE and "+" not in each)
    folder = tmp_path / "mine" / name
    folder.mkdir(parents=True)
    manifest = MANIFEST.replace("ada", name.partition("-")[0])
    manifest = manifest.replace("websocket", "framed-tcp")
    (folder / "contestant.toml").write_text(manifest.replace("client", "server"))
    for further, protocol in [(None, "websocket"), (folder.parent, "framed-tcp")]:
        inventory.print_plan("bots", further)
        document, _ = json.JSONDecoder().raw_decode(capsys.readouterr().out)
        assert document["protocol"] == protocol


def test_a_plan_of_an_unknown_experiment_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match="there is race"):
        inventory.print_plan("rase", None)
