"""Working copies of libraries are found in the dependency files of each language."""

import pytest

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.kit import all_packages
from autostrada.contestants.working_copy import working_copies
from autostrada.errors import UsageError

RELATIVE_FOLDER = "contestants/ada-fast"
PACKAGES = all_packages(find_catalog().root / "kits")


@pytest.fixture
def contestant(tmp_path):
    folder = tmp_path / "mine" / "ada-fast"
    folder.mkdir(parents=True)
    (tmp_path / "mine" / "library").mkdir()
    (tmp_path / "mine" / "library" / "code").write_text("1")
    return folder


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("go.mod", "replace example.org/ws => ../library\n"),
        ("go.mod", "replace (\n\texample.org/ws v1.2.3 => ../library\n)\n"),
        ("Cargo.toml", '[dependencies]\nws = { version = "1", path = "../library" }\n'),
        ("package.json", '{"dependencies": {"ws": "file:../library"}}'),
        ("requirements.lock", "# comment\n-e ../library\nother==1.0\n"),
        ("requirements.in", "../library\n"),
        ("Gemfile", "gem 'ws', path: '../library'\n"),
        ("go.work", "go 1.23\n\nuse ../library\n"),
        ("build.zig.zon", '.ws = .{ .path = "../library" },'),
        ("client.csproj", '<ProjectReference Include="../library" />'),
    ],
)
def test_a_folder_that_a_file_names_is_found(contestant, file, text):
    (contestant / file).write_text(text)
    library = contestant.parent / "library"
    assert working_copies(contestant, RELATIVE_FOLDER, PACKAGES) == {
        "contestants/library": library
    }


def test_an_absolute_path_is_kept(contestant):
    library = contestant.parent / "library"
    (contestant / "go.mod").write_text(f"replace example.org/ws => {library}\n")
    assert working_copies(contestant, RELATIVE_FOLDER, PACKAGES) == {
        str(library): library
    }


def test_a_dependency_inside_the_folder_or_from_a_registry_is_no_working_copy(
    contestant,
):
    (contestant / "Cargo.toml").write_text(
        '[[bin]]\npath = "client.rs"\n[dependencies]\nws = { path = "../missing" }\n'
    )
    (contestant / "client.rs").write_text("")
    (contestant / "go.mod").write_text("replace a/b => example.org/b v1.0.0\n")
    assert working_copies(contestant, RELATIVE_FOLDER, PACKAGES) == {}


def test_a_path_too_far_above_is_refused(contestant):
    (contestant.parents[1] / "library").mkdir()
    (contestant / "go.mod").write_text("replace a/b => ../../library\n")
    assert list(working_copies(contestant, RELATIVE_FOLDER, PACKAGES)) == ["library"]
    (contestant / "go.mod").write_text("replace a/b => ../../../library\n")
    (contestant.parents[2] / "library").mkdir(exist_ok=True)
    with pytest.raises(UsageError, match="use an absolute path"):
        working_copies(contestant, RELATIVE_FOLDER, PACKAGES)


def test_a_changed_working_copy_is_rebuilt(catalog_builder, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    (library / "code").write_text("1")
    catalog_builder.describe_languages()
    builder = Builder.of(catalog_builder.catalog)
    contestant = catalog_builder.contestants["ada-fast"]
    (contestant.folder / "go.mod").write_text(f"replace a/b => {library}\n")
    built = []
    builder.build(contestant, announce=built.append)
    builder.build(contestant, announce=built.append)
    assert len(built) == 1
    (library / "code").write_text("2")
    builder.build(contestant, announce=built.append)
    assert len(built) == 2


def test_a_working_copy_with_a_relative_path_is_copied_beside_the_contestant(
    catalog_builder,
):
    catalog_builder.describe_languages()
    library = catalog_builder.catalog.root / "contestants" / "library"
    library.mkdir()
    (library / "code").write_text("1")
    contestant = catalog_builder.contestants["ada-fast"]
    (contestant.folder / "go.mod").write_text("replace a/b => ../library\n")
    built = Builder.of(catalog_builder.catalog).build(
        contestant, announce=lambda _: None
    )
    assert (built.folder / "../library/code").read_text() == "1"
