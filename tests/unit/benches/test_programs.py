"""Contestants with bare programs in place of their own."""

import pytest

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import parse_manifest
from autostrada.errors import UsageError
from compare.programs import bare_folders, roles_of, stage

MANIFEST = """
library  = "thing"
homepage = "https://example.org"
[client]
command = ["python", "client.py"]
delivers = "string"
validates_utf8 = true
[version]
command = ["true"]
"""


def test_bare_programs_replace_those_of_the_contestants(tmp_path):
    folder, bare = tmp_path / "contestants" / "python-thing", tmp_path / "harness"
    folder.mkdir(parents=True)
    bare.mkdir()
    (folder / "contestant.toml").write_text(MANIFEST)
    (folder / "client.py").write_text("its own")
    (folder / "lock.txt").write_text("1.2.3")
    (bare / "client.py").write_text("bare")
    contestant = parse_manifest(MANIFEST, folder=folder)[0]
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


def test_a_contestant_without_a_bare_program_is_refused():
    with pytest.raises(UsageError, match="unknown bare program 'python-think'"):
        bare_folders(["python-think"])


@pytest.mark.parametrize("folder", bare_folders([]), ids=lambda path: path.name)
def test_every_bare_program_has_a_contestant_with_that_role(folder):
    contestant = find_catalog().contestants()[folder.name]
    roles = roles_of(folder)
    assert roles
    assert all(contestant.has(role) for role in roles)
