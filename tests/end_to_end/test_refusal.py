"""Impossible requests: one line that names the remedy, and no changes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

WORKS = "faulty-client"
COMMAND = Path(sys.executable).with_name("autostrada")


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


def autostrada(*arguments):
    return subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_an_unknown_experiment_suggests_the_nearest():
    nearest = "no experiment 'rase'; there is race"
    assert line_of(autostrada("run", "rase")).startswith(nearest)
    assert line_of(autostrada("plan", "rase")).startswith(nearest)


def test_an_unknown_contestant_suggests_the_nearest(ready):
    line = line_of(ready.run("--contestant", "faulty-client+hang"))
    assert line.startswith("no contestant 'faulty-client+hang'; there is ")
    assert "faulty-client+hangs" in line
    assert not ready.store.parent.exists()


def test_an_experiment_without_known_contestants_is_refused(ready):
    ready.plan("faulty-cliemt")
    line = line_of(ready.run())
    assert line.startswith("no contestant 'faulty-cliemt'; there is faulty-client")


def test_an_error_in_an_experiment_is_reported_with_its_place(ready):
    text = ready.experiment.read_text()
    ready.experiment.write_text(text.replace("messages ", "mesages "))
    line = line_of(ready.run())
    assert line.startswith(
        f"{ready.experiment}: workload 'many-frames': messages: field required"
    )


def test_an_error_in_a_manifest_is_reported_with_its_place(ready):
    manifest = ready.contestants / WORKS / "contestant.toml"
    manifest.write_text("colour = 1\n" + manifest.read_text())
    line = line_of(ready.run())
    named = "faulty-client/contestant.toml: unknown key 'colour'"
    assert line == f"{named}; docs/contract.md section 1 has the keys"


def test_a_missing_claim_is_reported_before_the_run(ready):
    text = ready.experiment.read_text().partition("[[workload]]")[0]
    feed = '[[workload]]\nname = "feed"\nkind = "feed"\nfeed = "clock"\nseconds = 1\n'
    ready.experiment.write_text(text + feed)
    line = line_of(ready.run())
    assert line.startswith("faulty-client/contestant.toml: client.workloads has no ")
    assert not ready.store.exists()


def test_a_missing_folder_of_contestants_is_named(ready):
    shutil.rmtree(ready.contestants)
    line = f"{ready.contestants} is not a folder of contestants"
    assert line_of(ready.run()) == line
    arguments = ("plan", ready.experiment, "--contestants", ready.contestants)
    assert line_of(autostrada(*arguments)) == line


def test_a_file_in_place_of_the_results_folder_is_named(ready):
    ready.store.parent.write_text("not a folder")
    line = line_of(ready.run())
    assert line.startswith(f"cannot create folder {ready.store.parent}: ")
    assert line.endswith("choose another file with --store")


def test_a_page_that_cannot_be_written_is_named_before_the_run(ready):
    line = line_of(ready.run("--page", str(ready.folder)))
    assert line.startswith(f"{ready.folder} is not a file")
    assert not ready.store.exists()


def test_a_folder_without_write_permission_is_named(ready):
    # Not even root can write there: the kernel makes these files.
    ready.store = Path("/proc/self/store.duckdb")
    line = line_of(ready.run())
    assert line.startswith("cannot write to /proc/self/store.duckdb: ")


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
        timeout=60,
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


@pytest.fixture
def store(ready):
    """Return the path of a store whose content must not change."""
    ready.store.parent.mkdir()
    return ready.store


def refuses_untouched(workspace):
    before = workspace.store.read_bytes()
    line = line_of(workspace.run())
    assert workspace.store.read_bytes() == before
    assert sorted(os.listdir(workspace.store.parent)) == [workspace.store.name]
    return line


def test_a_file_that_is_not_a_store_is_refused_untouched(ready, store):
    store.write_text("my diary, of some length " * 1_000)
    assert "is not a DuckDB file" in refuses_untouched(ready)


def test_another_duckdb_file_is_refused_untouched(ready, store):
    with duckdb.connect(store) as connection:
        connection.execute("CREATE TABLE diary (entry VARCHAR)")
    assert "contains no results of Autostrada" in refuses_untouched(ready)


def test_a_store_of_another_format_is_refused_untouched(ready, store):
    with duckdb.connect(store) as connection:
        connection.execute("CREATE TABLE store AS SELECT 99 AS format")
    assert "has store format 99" in refuses_untouched(ready)


def test_a_damaged_store_is_refused_untouched(ready):
    assert ready.run().returncode == 0
    content = bytearray(ready.store.read_bytes())
    content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
    ready.store.write_bytes(content)
    page = ready.store.with_name("faults-1.html")
    page.unlink()
    shutil.rmtree(page.with_suffix(""))
    assert "damaged" in refuses_untouched(ready)


def test_a_store_in_use_is_refused_with_the_process_that_uses_it(ready):
    assert ready.run().returncode == 0
    with duckdb.connect(ready.store):
        line = line_of(ready.run())
    assert f"is in use by process {os.getpid()}" in line


def test_a_page_without_results_is_refused(ready):
    line = line_of(autostrada("report", "--store", ready.store))
    assert line == f"{ready.store} does not exist; autostrada run creates it"
    assert ready.run().returncode == 0
    line = line_of(autostrada("report", "--store", ready.store, "--run", "7"))
    assert "holds no run 7, only 1" in line
