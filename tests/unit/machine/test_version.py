"""The version includes the commit that it was built from."""

import subprocess
from importlib.metadata import version as installed_version

import pytest

from autostrada.machine.version import _commit_of, _installed_commit, version

ROLE = ("-c", "user.name=A", "-c", "user.email=a@example.org")


def git(folder, *arguments):
    command = ["git", "-C", folder, *ROLE, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return ended.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    git(tmp_path, "init", "--quiet")
    (tmp_path / "file").write_text("1")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    return tmp_path


def test_the_version_begins_with_that_of_the_package():
    assert version().startswith(installed_version("autostrada"))


def test_a_checkout_has_a_commit(checkout):
    assert _commit_of(checkout) == git(checkout, "rev-parse", "HEAD")[:12]


def test_a_changed_file_is_marked_and_an_untracked_one_is_not(checkout):
    (checkout / "other").write_text("1")
    assert not _commit_of(checkout).endswith("+")
    (checkout / "file").write_text("2")
    assert _commit_of(checkout).endswith("+")


def test_without_a_repository_there_is_no_commit(tmp_path):
    assert _commit_of(tmp_path) == ""


@pytest.mark.parametrize(
    ("direct_url", "commit"),
    [
        (None, ""),
        ('{"url": "file:///home", "dir_info": {"editable": true}}', ""),
        ('{"vcs_info": {"commit_id": "0123456789abcdef"}}', "0123456789ab"),
    ],
)
def test_the_commit_that_pip_recorded_is_the_commit_of_a_package(direct_url, commit):
    assert _installed_commit(direct_url) == commit
