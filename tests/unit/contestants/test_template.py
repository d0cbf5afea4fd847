"""A new contestant's folder: a copy of the best example in its language."""

import pytest

from autostrada.contestants import template
from autostrada.contestants.contestant import read_contestants
from autostrada.contestants.template import find_model, new, renamed
from autostrada.errors import UsageError


@pytest.fixture(autouse=True)
def catalog(monkeypatch, fair):
    monkeypatch.setattr(template, "find_catalog", lambda: fair.catalog)


def test_it_is_a_copy_under_another_name(fair, capsys):
    folder = new("ada-novel", None)
    assert folder == fair.catalog.root / "contestants" / "ada-novel"
    made = fair.contestants["ada-novel"]
    assert made.manifest.library == "novel"
    assert made.manifest.client == fair.contestants["ada-fast"].manifest.client
    assert (folder / "README.md").read_text().startswith("# ada-novel\n")
    printed = capsys.readouterr().out
    assert "a copy of ada-fast" in printed
    assert "autostrada verify ada-novel\n" in printed


def test_it_may_lie_in_a_folder_of_ones_own(tmp_path, capsys):
    new("ada-novel", tmp_path / "mine")
    assert "ada-novel" in read_contestants(tmp_path / "mine")
    assert f"--contestants {tmp_path / 'mine'}" in capsys.readouterr().out


def test_the_model_is_the_one_that_plays_most_and_of_these_the_shortest(fair):
    fair.add("short", build="")
    fair.add("whole", workloads=("receive", "feed", "echo"))
    contestants = fair.contestants
    assert find_model("ada", contestants.values()).name == "ada-whole"
    del contestants["ada-whole"]
    assert find_model("ada", contestants.values()).name == "ada-short"
    assert find_model("c", contestants.values()) is None


def test_a_language_without_an_example_is_named_with_those_that_have_one():
    with pytest.raises(UsageError, match=r"in 'cobol' to begin with.*there is ada"):
        new("cobol-ws", None)


@pytest.mark.parametrize("name", ["ada", "Ada-fast", "ada-", "ada-../fast", "-fast"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(UsageError, match="no contestant's name"):
        new(name, None)


def test_a_folder_that_is_there_is_left_as_it_is(fair):
    manifest = fair.catalog.root / "contestants" / "ada-fast" / "contestant.toml"
    before = manifest.read_text()
    with pytest.raises(UsageError, match="already there: take another name"):
        new("ada-fast", None)
    assert manifest.read_text() == before


def test_only_what_names_the_library_is_changed():
    text = '# Fast: tasks.\n\nlibrary  = "fast"\nhomepage = "https://fast"\nx = 1\n'
    assert renamed(text, "ada-novel-two") == (
        '# The library, in one sentence.\n\nlibrary  = "novel-two"\n'
        'homepage = "https://…"\nx = 1\n'
    )
