"""Two revisions of a library in a git repository: found, built, named or refused."""

import subprocess

import pytest

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import find_catalog
from autostrada.errors import UsageError
from autostrada.regress.sides import build_sides, find_revisions

BACKEND = '''
"""Writes a wheel of quick.py without any tool."""

import zipfile

VERSION = "{version}"


def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = f"quick-{{VERSION}}-py3-none-any.whl"
    info = f"quick-{{VERSION}}.dist-info"
    with zipfile.ZipFile(f"{{folder}}/{{name}}", "w") as wheel:
        wheel.write("quick.py")
        metadata = f"Metadata-Version: 2.1\\nName: quick\\nVersion: {{VERSION}}\\n"
        wheel.writestr(f"{{info}}/METADATA", metadata)
        tags = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        wheel.writestr(f"{{info}}/WHEEL", tags)
        wheel.writestr(f"{{info}}/RECORD", "")
    return name
'''
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "quick"
"""
MANIFEST = """
library  = "{library}"
homepage = ""
server.command = ["venv/bin/python", "server.py"]
"""


@pytest.fixture
def library(tmp_path):
    """Return a function that commits a version of a library's backend."""
    folder = tmp_path / "quick"
    folder.mkdir()

    def git(*arguments):
        names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        words = ["git", "-C", folder, *names, *arguments]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def commit(backend):
        (folder / "backend.py").write_text(backend)
        git("add", "--all")
        git("commit", "--quiet", "--message", "a change")
        return folder, git

    git("init", "--quiet", "--initial-branch=main")
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "quick.py").touch()
    return commit


@pytest.fixture
def catalog(tmp_path):
    """Return a catalog with a contestant for the library, and another one."""
    folder = tmp_path / "contestants"
    for name, library in (("python-mine", "quick"), ("python-other", "other")):
        own = folder / name
        own.mkdir(parents=True)
        (own / "contestant.toml").write_text(MANIFEST.format(library=library))
        (own / "server.py").touch()
        (own / "requirements.lock").touch()
    return find_catalog(folder)


@pytest.fixture
def builder(catalog, tmp_path):
    return Builder(kits=catalog.root / "kits", builds=tmp_path / "builds")


def test_two_revisions_are_built_beside_the_changed_checkout(library, catalog, builder):
    library(BACKEND.format(version="1.0"))
    folder, git = library(BACKEND.format(version="2.0"))
    (folder / "backend.py").write_text("raise ValueError")
    before, announced = git("status"), []
    texts = ("main~1", "HEAD")
    with find_revisions(folder, texts, None, catalog, is_same=False) as sides:
        build_sides(sides, builder, announced.append)
        versions = [
            builder.build(side.contestant, announce=announced.append).version
            for side in sides
        ]
    assert versions == ["1.0", "2.0"]
    labels = [side.label for side in sides]
    assert labels == ["main~1", "HEAD (without uncommitted changes)"]
    hashes = git("log", "--format=%h", "--abbrev=12", "--reverse").split()
    assert [side.contestant.name for side in sides] == [
        f"python-mine=={commit}" for commit in hashes
    ]
    assert len(announced) == 2
    assert git("status") == before
    assert git("worktree", "list").count("\n") == 1


def test_a_revision_that_does_not_build_shows_why(library, catalog, builder):
    library(BACKEND.format(version="1.0"))
    folder, _ = library("raise ValueError('no such type')")
    with (
        find_revisions(
            folder, ("main", "main~1"), None, catalog, is_same=False
        ) as sides,
        pytest.raises(UsageError, match=r"(?s)^main: .*no such type"),
    ):
        build_sides(sides, builder, lambda _: None)


@pytest.mark.parametrize(
    ("texts", "name", "message"),
    [
        (("main", "HEAD"), None, "main and HEAD are the same: .*--same to test"),
        (("main", "mian"), None, "has no revision 'mian': git log --oneline"),
        (("main", "HEAD"), "python-mien", "did you mean python-mine"),
        (
            ("main", "HEAD"),
            "python-other",
            "python-other measures other",
        ),
    ],
)
def test_wrong_revisions_and_contestants_are_refused(
    library, catalog, texts, name, message
):
    folder, _ = library(BACKEND.format(version="1.0"))
    with (
        pytest.raises(UsageError, match=message),
        find_revisions(folder, texts, name, catalog, is_same=False),
    ):
        pass


def test_a_folder_without_a_repository_is_refused(catalog, tmp_path):
    with (
        pytest.raises(UsageError, match="not a git repository"),
        find_revisions(tmp_path, ("a", "b"), None, catalog, is_same=False),
    ):
        pass


def test_a_revision_is_compared_with_itself_only_if_asked_for(library, catalog):
    folder, _ = library(BACKEND.format(version="1.0"))
    texts = ("main", "HEAD")
    with find_revisions(folder, texts, None, catalog, is_same=True) as sides:
        first, second = (side.contestant.name for side in sides)
    assert first.endswith("-before")
    assert second.endswith("-after")
