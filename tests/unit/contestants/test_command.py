"""Building by name: one line each, a summary, the exit status; concurrent builds."""

import io
import os
import re
import threading

import pytest
from rich.console import Console

from autostrada.contestants import command
from autostrada.contestants.build import Builder, Built
from autostrada.contestants.catalog import choose_builds
from autostrada.contestants.command import build, make_ready
from autostrada.contestants.provision import provision
from autostrada.errors import UsageError
from autostrada.machine.orphans import children_of


@pytest.fixture(autouse=True)
def catalog(monkeypatch, catalog_builder):
    monkeypatch.setattr(
        command, "find_catalog", lambda extra_contestants=None: catalog_builder.catalog
    )


def test_all_are_built_by_default(catalog_builder, capsys):
    catalog_builder.add("small")
    assert build() == 0
    first = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[:3] for line in first[:-1]) == [
        ["built", "ada-fast", "1.2.3"],
        ["built", "ada-small", "1.2.3"],
    ]
    assert first[-1] == "2 built"
    assert build(names=("ada-small+tasks",)) == 0
    second = capsys.readouterr().out.splitlines()
    assert second[0].split() == ["ready", "ada-small", "1.2.3"]


def test_a_missing_requirement_stops_only_its_contestants(catalog_builder, capsys):
    catalog_builder.add("slow", gnat="GNAT 9")
    assert build() == 0
    printed = capsys.readouterr().out
    assert "needs gnat (found GNAT 9): apt install gnat" in printed
    assert "1 built, 1 not installed: ada-slow (autostrada doctor --in" in printed
    assert build(names=("ada-slow",)) == 1


def test_a_failed_build_shows_its_last_lines_and_its_log(catalog_builder, capsys):
    catalog_builder.add("broken", build="echo no such unit >&2; exit 4")
    assert build(jobs=1) == 1
    printed = capsys.readouterr().out
    assert "\n    no such unit\n" in printed
    assert (
        str(catalog_builder.catalog.root / ".build" / "ada-broken" / "build.log")
        in printed
    )


def test_a_terminal_shows_a_bar_and_a_line_for_each_failure(catalog_builder):
    catalog_builder.add("broken", build="echo no such unit >&2; exit 4")
    catalog_builder.add("slow", gnat="GNAT 9")
    output = io.StringIO()
    console = Console(file=output, width=80, force_terminal=True, color_system=None)
    contestants = choose_builds([], catalog_builder.catalog.contestants())
    make_ready(catalog_builder.catalog, contestants, 1, console)
    shown = output.getvalue()
    assert "━━━━━━━━━━━━━╌╌╌╌╌╌╌ built 2 of 3" in shown
    assert "· building ada-" in shown
    assert re.search(r"failed  ada-broken, see \S+/ada-broken/build\.log\n", shown)
    assert "no such unit" not in shown
    assert "gnat" not in shown


def test_the_contestants_of_an_experiment_are_built(
    catalog_builder, capsys, experiment
):
    catalog_builder.add("small")
    folder = catalog_builder.catalog.root / "experiments"
    folder.mkdir()
    (folder / "race.toml").write_text(experiment)
    assert build(experiment="race", is_quick=True) == 0
    assert "1 built" in capsys.readouterr().out
    with pytest.raises(UsageError, match="unknown experiment 'rice'"):
        build(experiment="rice")


@pytest.fixture
def provisioned(catalog_builder, tmp_path):
    """Return a function that starts to build all contestants."""
    builder = Builder(kits=tmp_path / "kits", builds=tmp_path / "builds")

    def start(jobs=2, begin=lambda name: None):
        return provision(
            catalog_builder.contestants.values(), builder, jobs=jobs, begin=begin
        )

    return start


def test_the_given_number_is_built_at_once(catalog_builder, provisioned, tmp_path):
    # Each waits for the other, so that sequential builds would never end.
    for name, other in (("one", "two"), ("two", "one")):
        wait = f"touch {tmp_path}/{name}; until test -e {tmp_path}/{other}; do :; done"
        catalog_builder.add(name, build=wait)
    assert all(isinstance(each.outcome, Built) for each in provisioned(jobs=2))


def test_closing_the_iterator_ends_the_builds(catalog_builder, provisioned, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    catalog_builder.add("endless", build=f"echo $$ >{fifo}; exec sleep 600")
    begun = threading.Event()
    provisions = provisioned(begin=lambda name: begun.set())
    assert next(provisions).contestant.folder.name == "ada-fast"
    pid = int(fifo.read_text())
    provisions.close()
    assert pid not in children_of(os.getpid())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
