"""The folders of contestants and experiments, and unknown names."""

import pytest

from autostrada.contestants.catalog import (
    Catalog,
    choose,
    choose_builds,
    find_catalog,
    unknown,
)
from autostrada.errors import UsageError


@pytest.fixture
def catalog(tmp_path, manifest, experiment):
    folder = tmp_path / "contestants" / "ada-fast"
    folder.mkdir(parents=True)
    (folder / "contestant.toml").write_text(manifest)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "race.toml").write_text(experiment)
    return Catalog(root=tmp_path)


def add(folder, manifest):
    folder.mkdir(parents=True)
    (folder / "contestant.toml").write_text(manifest)


@pytest.fixture
def race(catalog):
    return catalog.experiment("race").experiment


@pytest.mark.parametrize("name", find_catalog().experiments())
def test_this_checkout_has_all_contestants_of_its_experiments(name):
    catalog = find_catalog()
    found = catalog.experiment(name)
    assert found.name == name
    assert found.experiment.title in found.definition
    names = found.experiment.contestants
    assert choose(names, catalog.contestants(), found.experiment) == names


def test_contestants_and_experiments_are_named_after_their_folders(catalog):
    assert list(catalog.contestants()) == [
        "ada-fast",
        "ada-fast+tasks",
        "ada-fast+fork",
    ]
    assert list(catalog.experiments()) == ["race"]


def test_an_additional_folder_adds_contestants_and_replaces_them(
    catalog, manifest, tmp_path
):
    extra_contestants = tmp_path / "mine"
    add(extra_contestants / "ada-slow", manifest)
    add(extra_contestants / "ada-fast", manifest.replace('"fast"', '"faster"'))
    contestants = Catalog(
        root=catalog.root, extra_contestants=extra_contestants
    ).contestants()
    assert list(contestants) == [
        f"{name}{variant}"
        for name in ("ada-fast", "ada-slow")
        for variant in ("", "+tasks", "+fork")
    ]
    assert contestants["ada-fast"].manifest.library == "faster"


def test_a_missing_additional_folder_is_refused(catalog, tmp_path):
    with pytest.raises(UsageError, match="is not a folder of contestants"):
        Catalog(root=catalog.root, extra_contestants=tmp_path / "none").contestants()


def test_an_experiment_may_be_any_file(catalog, experiment, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(experiment.replace("The race", "My race"))
    found = catalog.experiment(str(path))
    assert (found.name, found.experiment.title) == ("mine", "My race")


def test_a_missing_file_is_named(catalog):
    with pytest.raises(UsageError, match=r"^none\.toml does not exist$"):
        catalog.experiment("none.toml")


def test_an_unknown_experiment_is_answered_with_the_nearest_and_all(catalog):
    with pytest.raises(UsageError) as caught:
        catalog.experiment("rase")
    assert str(caught.value) == (
        "unknown experiment 'rase'; did you mean race? available: race"
    )
    assert str(unknown("experiment", "nosuch", ["bots", "race"])) == (
        "unknown experiment 'nosuch'; available: bots, race"
    )
    assert str(unknown("experiment", "race", [])).endswith("; available: none")


def test_an_unknown_contestant_suggests_the_nearest(race):
    known = {"ada-fast": None, "ada-fast+tasks": None, "cobol-socket": None}
    with pytest.raises(UsageError) as caught:
        choose(["ada-fest"], known, race)
    assert str(caught.value) == (
        "unknown contestant 'ada-fest'; did you mean ada-fast or ada-fast+tasks? "
        "(autostrada list shows all; for a folder of your own: --contestants FOLDER)"
    )


def test_each_name_is_chosen_once_in_the_given_order(catalog, race):
    known = catalog.contestants()
    names = ("ada-fast+tasks", "ada-fast")
    assert choose([*names, *names], known, race) == names


def test_a_contestant_without_the_required_program_is_refused(catalog, race):
    with pytest.raises(UsageError, match=r"ada-fast\+fork has no \[client\]"):
        choose(["ada-fast+fork"], catalog.contestants(), race)


def test_folders_are_chosen_by_the_name_of_any_variant_or_all(catalog, manifest):
    add(catalog.root / "contestants" / "ada-slow", manifest)
    known = catalog.contestants()
    chosen = choose_builds(["ada-slow", "ada-slow+tasks"], known)
    assert [each.folder.name for each in chosen] == ["ada-slow"]
    every_folder = choose_builds([], known)
    assert [each.folder.name for each in every_folder] == ["ada-fast", "ada-slow"]
    with pytest.raises(UsageError, match="did you mean ada-fast"):
        choose_builds(["ada-fist"], known)


OLDER = """
[builds.2024]
commands = []

[[variant]]
name  = "old"
env   = {}
build = "2024"

[[variant]]
name  = "older"
env   = {}
build = "2024"
"""


def test_a_variant_with_a_build_of_its_own_is_chosen_apart(catalog, manifest):
    add(catalog.root / "contestants" / "ada-slow", manifest + OLDER)
    known = catalog.contestants()
    names = ["ada-slow+tasks", "ada-slow+old", "ada-slow+older", "ada-slow"]
    chosen = choose_builds(names, known)
    assert [each.build_name for each in chosen] == ["ada-slow", "ada-slow@2024"]
    every = [each.build_name for each in choose_builds([], known)]
    assert every == ["ada-fast", "ada-slow", "ada-slow@2024"]
