"""A new contestant's folder, created from the template of its language."""

import tomllib

import pytest

from autostrada.contestants import template
from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import parse_manifest, read_contestants
from autostrada.contestants.kit import read_kits
from autostrada.contestants.template import new
from autostrada.errors import UsageError

KITS = read_kits(find_catalog().root / "kits")
LANGUAGES = [each.name for each in find_catalog().root.glob("kits/*/template/*")]


KIT = """
sources = [".adb"]
server.command  = ["./server"]
client.command  = ["./client"]
client.delivers = "bytes"
"""


@pytest.fixture
def catalog(monkeypatch, catalog_builder):
    monkeypatch.setattr(template, "find_catalog", lambda: catalog_builder.catalog)
    programs = catalog_builder.catalog.root / "kits" / "ada" / "template" / "ada"
    programs.mkdir(parents=True)
    (programs.parents[1] / "kit.toml").write_text(KIT)
    (programs / "manifest.toml").write_text('version.command = ["LIBRARY"]')
    (programs / "client.adb").write_text(
        "-- LIBRARY: connect\n-- client.adb lacks the calls of the library\n"
    )
    return catalog_builder


def test_it_is_created_from_the_template_of_its_language(catalog, capsys):
    folder = new("ada-novel", None)
    assert folder == catalog.catalog.root / "contestants" / "ada-novel"
    manifest = catalog.contestants["ada-novel"].manifest
    assert (manifest.library, manifest.version.command) == ("novel", ("novel",))
    assert not (folder / "manifest.toml").exists()
    assert (folder / "README.md").read_text().startswith("# ada-novel\n")
    assert "-- novel: connect" in (folder / "client.adb").read_text()
    printed = capsys.readouterr().out
    assert "Add the calls of your library at the marks in client.adb" in printed
    assert "autostrada verify ada-novel\n" in printed


def test_it_may_be_created_in_any_folder(catalog, tmp_path, capsys):
    new("ada-novel", tmp_path / "mine")
    kits = read_kits(catalog.catalog.root / "kits")
    assert "ada-novel" in read_contestants(tmp_path / "mine", kits)
    assert f"--contestants {tmp_path / 'mine'}" in capsys.readouterr().out


@pytest.mark.usefixtures("catalog")
def test_a_language_without_a_template_is_answered_with_those_that_have_one():
    with pytest.raises(UsageError, match=r"no template for 'cobol'.*one for ada"):
        new("cobol-ws", None)


@pytest.mark.parametrize("name", ["ada", "Ada-fast", "ada-", "ada-../fast", "-fast"])
def test_an_invalid_name_is_refused(name):
    with pytest.raises(UsageError, match="not a contestant's name"):
        new(name, None)


def test_an_existing_folder_is_not_changed(catalog):
    manifest = catalog.catalog.root / "contestants" / "ada-fast" / "contestant.toml"
    before = manifest.read_text()
    with pytest.raises(UsageError, match="exists already: choose another name"):
        new("ada-fast", None)
    assert manifest.read_text() == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_template_is_a_first_tier_that_names_no_other_library(language, tmp_path):
    folder = new(f"{language}-novel-two", tmp_path)
    text = (folder / "contestant.toml").read_text()
    (contestant,) = parse_manifest(text, folder=folder, kits=KITS)
    manifest = contestant.manifest
    assert (manifest.library, manifest.language) == ("novel-two", language)
    assert manifest.client.reply
    assert not manifest.client.deflate
    server = manifest.server
    assert server.publish
    assert not (server.tls)
    assert not (server.deflate)
    others = {
        tomllib.loads(path.read_text())["library"].lower()
        for path in find_catalog().root.glob("contestants/*/contestant.toml")
    } - {"ws", "node.js", "bun", ".net"}
    for path in folder.iterdir():
        found = {each for each in others if each in path.read_text().lower()}
        assert not found, path
