"""Contestants with bare programs in place of their own."""

import pytest

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import parse_manifest
from autostrada.errors import UsageError
from compare.bare import FOLDER, HarnessPair, bare_folders, roles_of, stage

MANIFEST = """
library  = "thing"
language = "python"
homepage = "https://example.org"
protocol = "websocket"
[client]
command = ["python", "client.py"]
env     = { COLOUR = "red" }
delivers = "string"
validates_utf8 = true
[version]
command = ["true"]
"""


@pytest.fixture
def contestant(tmp_path):
    folder = tmp_path / "contestants" / "python-thing"
    folder.mkdir(parents=True)
    (folder / "contestant.toml").write_text(MANIFEST)
    (folder / "client.py").write_text("its own")
    (folder / "lock.txt").write_text("1.2.3")
    return parse_manifest(MANIFEST, folder=folder)[0]


@pytest.fixture
def bare(tmp_path):
    folder = tmp_path / "harness" / "python-thing"
    folder.mkdir(parents=True)
    (folder / "client.py").write_text("bare")
    return folder


def test_bare_programs_replace_those_of_the_contestants(contestant, bare, tmp_path):
    place = tmp_path / "sources" / "python-thing"
    place.mkdir(parents=True)
    (place / "left over").touch()
    staged = stage(contestant, bare, place)
    found = {path.name: path.read_text() for path in place.iterdir()}
    assert found == {
        "contestant.toml": MANIFEST,
        "client.py": "bare",
        "lock.txt": "1.2.3",
    }
    assert (staged.name, staged.manifest) == (contestant.name, contestant.manifest)


def test_both_are_started_alike_each_in_its_own_folder(contestant, tmp_path):
    pair = HarnessPair(
        contestant=contestant, version="1", ours=tmp_path / "a", bare=tmp_path / "b"
    )
    ours, bare = pair.launches("client")
    assert (ours.folder, bare.folder) == (tmp_path / "a", tmp_path / "b")
    assert ours.arguments == bare.arguments == ("python", "client.py")
    assert ours.environment == bare.environment == {"COLOUR": "red"}


def test_a_bare_program_is_chosen_by_its_contestant(bare):
    assert bare_folders(["python-thing"], bare.parent) == [bare]
    assert bare_folders([], bare.parent) == [bare]
    with pytest.raises(UsageError, match="unknown bare program 'python-think'"):
        bare_folders(["python-think"], bare.parent)


def test_the_roles_are_those_of_the_files(bare):
    assert roles_of(bare) == ["client"]
    (bare / "Server.java").touch()
    assert roles_of(bare) == ["client", "server"]


@pytest.mark.parametrize("folder", bare_folders([]), ids=lambda path: path.name)
def test_every_bare_program_has_a_contestant_with_that_role(folder):
    contestant = find_catalog().contestants()[folder.name]
    roles = roles_of(folder)
    assert roles
    assert all(contestant.has(role) for role in roles)
    assert folder.parent == FOLDER
