"""
Impossible requests: one line that names the remedy, and no changes.

The reasons are tests of tests/unit/runner/test_command.py and tests/unit/store.
"""

import os
import shutil
import subprocess

import duckdb
import pytest

WORKS = "faulty-client"


@pytest.fixture
def ready(own_workspace):
    own_workspace.add()
    own_workspace.plan(WORKS, messages=1_000)
    return own_workspace


def line_of(finished):
    """Return the single line of a refusal, before which nothing was run."""
    assert finished.returncode == 2, finished.stderr
    assert finished.stdout == ""
    assert finished.stderr.startswith("autostrada: ")
    assert finished.stderr.count("\n") == 1, finished.stderr
    return finished.stderr.removeprefix("autostrada: ").rstrip()


def test_an_unknown_contestant_suggests_the_nearest(ready):
    line = line_of(ready.run("--contestant", "faulty-client+hang"))
    assert line.startswith("unknown contestant 'faulty-client+hang'; did you mean ")
    assert "faulty-client+hangs" in line
    assert not ready.store.parent.exists()


def mounted(workspace, options):
    """Run with a small file system mounted at the results folder."""
    workspace.store.parent.mkdir()
    mount = f'mount -t tmpfs -o {options} none "$0"'
    arguments = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    probe = [*arguments, mount, str(workspace.store.parent)]
    if shutil.which("unshare") is None or subprocess.run(probe, check=False).returncode:
        pytest.skip("this machine does not let us mount a file system of our own")
    script = f'{mount} && exec "$@"'
    return subprocess.run(
        [*arguments, script, str(workspace.store.parent), *workspace.arguments()],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=workspace.environment(),
    )


def test_a_read_only_folder_is_named_before_the_run(ready):
    line = line_of(mounted(ready, "ro"))
    assert line.startswith(f"cannot write to {ready.store}: Read-only file system")


def test_a_full_disk_is_named_before_the_run(ready):
    line = line_of(mounted(ready, "size=1m"))
    assert line.startswith(f"only 1 MiB are free in {ready.store.parent}")
    assert "free space" in line


def test_another_duckdb_file_is_refused_untouched(ready):
    ready.store.parent.mkdir()
    with duckdb.connect(ready.store) as connection:
        connection.execute("CREATE TABLE diary (entry VARCHAR)")
    before = ready.store.read_bytes()
    assert "contains no results of Autostrada" in line_of(ready.run())
    assert ready.store.read_bytes() == before
    assert os.listdir(ready.store.parent) == [ready.store.name]
