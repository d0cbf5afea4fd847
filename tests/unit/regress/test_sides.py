"""How the sides of a comparison are found, named, and built or refused."""

import shutil

import pytest
from tests.unit.contestants.conftest import CatalogBuilder

from autostrada.contestants.build import Builder
from autostrada.errors import UsageError
from autostrada.regress.sides import build_sides, find_sides


@pytest.fixture
def site(tmp_path):
    site = CatalogBuilder(tmp_path)
    site.add("slow", build="echo built >made")
    site.add("broken", build="echo no such type >&2; false")
    site.add("old", gnat="GNAT 9")
    python = site.contestants["ada-fast"].folder.with_name("python-quick")
    shutil.copytree(site.contestants["ada-fast"].folder, python)
    return site


def names(site, *texts, is_same=False):
    with find_sides(texts, site.catalog, is_same=is_same) as sides:
        return [side.contestant.name for side in sides]


def refusal(site, *texts, **options):
    with pytest.raises(UsageError) as caught:
        names(site, *texts, **options)
    return str(caught.value)


def copied(site, folder, text=""):
    """Copy a contestant's folder, and add a comment to its manifest."""
    copy = site.catalog.root / folder / "ada-fast"
    shutil.copytree(site.contestants["ada-fast"].folder, copy)
    with (copy / "contestant.toml").open("a") as manifest:
        manifest.write(text)
    return str(copy)


def test_names_and_folders_are_sides_with_different_names(site):
    assert names(site, "ada-fast", "ada-slow") == ["ada-fast", "ada-slow"]
    assert names(site, "ada-fast", "ada-fast+tasks") == ["ada-fast", "ada-fast+tasks"]
    changed = copied(site, "after", "# changed\n")
    assert names(site, "ada-fast", changed) == ["ada-fast-before", "ada-fast-after"]
    assert names(site, changed, "ada-slow") == ["ada-fast", "ada-slow"]


def test_a_version_replaces_the_library_in_the_build(site):
    texts = ("python-quick==16.0", "python-quick+tasks==17.4")
    with find_sides(texts, site.catalog, is_same=False) as sides:
        before, after = (side.contestant for side in sides)
        assert before.name == "python-quick==16.0"
        assert after.name == "python-quick==17.4+tasks"
        *others, last = after.build.commands
        assert last == ("venv/bin/pip", "install", "fast==17.4")
        assert others == [*site.contestants["python-quick"].build.commands]
        assert (before.folder / "contestant.toml").is_file()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("ada-fast", "ada-slwo"), "did you mean ada-slow"),
        (("ada-fast", "./nowhere"), "nowhere has no contestant.toml"),
        (("ada-fast==1.0", "ada-fast"), "a version can be given of contestants in"),
        (("python-quick==", "python-quick"), "a version can be given"),
        (("ada-fast", "ada-fast"), "--same to test the measurement itself"),
    ],
)
def test_a_side_that_does_not_exist_is_refused(site, texts, message):
    assert message in refusal(site, *texts)


def test_the_same_side_twice_is_compared_only_if_asked_for(site):
    copy = copied(site, "after")
    assert "are the same" in refusal(site, "ada-fast", copy)
    assert names(site, "ada-fast", copy, is_same=True) == [
        "ada-fast-before",
        "ada-fast-after",
    ]
    assert "omit it" in refusal(site, "ada-fast", "ada-slow", is_same=True)


def test_both_sides_are_built_or_the_reason_is_given(site):
    builder = Builder.of(site.catalog)
    begun = []

    def build(*texts, **options):
        with find_sides(texts, site.catalog, **options) as sides:
            build_sides(sides, builder, begun.append)

    build("ada-slow", "ada-slow", is_same=True)
    assert begun == ["building ada-slow-before", "building ada-slow-after"]
    with pytest.raises(UsageError, match=r"(?s)^ada-broken: .*\nno such type$"):
        build("ada-fast", "ada-broken", is_same=False)
    needed = r"^ada-old: needs gnat \(found GNAT 9\): apt install gnat$"
    with pytest.raises(UsageError, match=needed):
        build("ada-fast", "ada-old", is_same=False)
