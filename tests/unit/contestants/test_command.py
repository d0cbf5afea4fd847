"""Building by name: a line for each, a sum, and the exit status."""

import pytest

from autostrada.contestants import command
from autostrada.contestants.command import Choice, build
from autostrada.errors import UsageError


@pytest.fixture(autouse=True)
def catalog(monkeypatch, fair):
    monkeypatch.setattr(command, "find_catalog", lambda further=None: fair.catalog)


def test_all_are_built_where_none_is_named(fair, capsys):
    fair.add("small")
    assert build(Choice()) == 0
    first = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[:3] for line in first[:-1]) == [
        ["built", "ada-fast", "1.2.3"],
        ["built", "ada-small", "1.2.3"],
    ]
    assert first[-1] == "2 ready, 0 missing, 0 failed"
    assert build(Choice(names=("ada-small+tasks",))) == 0
    second = capsys.readouterr().out.splitlines()
    assert second[0].split() == ["ready", "ada-small", "1.2.3"]


def test_what_is_missing_stops_only_who_asked_for_it(fair, capsys):
    fair.add("slow", gnat="GNAT 9")
    assert build(Choice()) == 0
    printed = capsys.readouterr().out
    assert "needs gnat (found GNAT 9): apt install gnat" in printed
    assert "autostrada doctor --install" in printed
    assert build(Choice(names=("ada-slow",))) == 1


def test_a_build_that_fails_shows_its_last_lines_and_its_log(fair, capsys):
    fair.add("broken", build="echo no such unit >&2; exit 4")
    assert build(Choice(jobs=1)) == 1
    printed = capsys.readouterr().out
    assert "\n    no such unit\n" in printed
    assert str(fair.catalog.root / ".build" / "ada-broken" / "build.log") in printed


def test_a_name_that_is_unknown_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match="no contestant 'ada-fist'; there is ada-fast"):
        build(Choice(names=("ada-fist",)))


def test_those_of_an_experiment_are_built(fair, capsys, experiment):
    fair.add("small")
    folder = fair.catalog.root / "experiments"
    folder.mkdir()
    (folder / "race.toml").write_text(experiment)
    assert build(Choice(experiment="race", is_quick=True)) == 0
    assert "1 ready" in capsys.readouterr().out
    with pytest.raises(UsageError, match="no experiment 'rice'"):
        build(Choice(experiment="rice"))
