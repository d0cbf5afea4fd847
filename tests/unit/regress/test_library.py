"""How a library is replaced in a build, and whose library a folder has."""

from pathlib import Path

import pytest

from autostrada.contestants.contestant import parse_manifest
from autostrada.errors import UsageError
from autostrada.regress.library import find_contestant, package_name, with_folder

POM = """\
<project><modelVersion>4.0.0</modelVersion>
<parent><groupId>org.example</groupId><artifactId>all</artifactId></parent>
<artifactId>quick</artifactId>
"""
FILES = {
    "python": ("pyproject.toml", '[project]\nversion = "1"\nname = "quick"\n'),
    "javascript": ("package.json", '{\n  "name": "quick",\n  "version": "1.0.0"\n}'),
    "go": ("go.mod", "module example.org/fast/quick/v2\n\ngo 1.23\n"),
    "rust": ("Cargo.toml", '[package]\nname = "quick"\n'),
    "java": ("pom.xml", POM),
    "cpp": ("CMakeLists.txt", "if (WIN32)\n  project (quick VERSION 1)\nendif ()\n"),
}
REQUIREMENTS = {
    "python": "{folder}",
    "javascript": "{folder}",
    "go": "-replace=example.org/fast/quick/v2={folder}",
    "rust": "{folder}",
    "java": "{folder}",
    "cpp": "CPLUS_INCLUDE_PATH={folder}:{folder}/include",
}
MANIFEST = """
library = "{library}"
homepage = ""
version.command = ["true"]
server.command = ["./server"]
build.commands = [["make"]]
"""


def contestant(name, library="quick"):
    text = MANIFEST.format(library=library)
    return parse_manifest(text, folder=Path(name))[0]


@pytest.fixture(params=FILES)
def kit(request, tmp_path):
    """Return a language whose library is in the folder."""
    name, text = FILES[request.param]
    (tmp_path / name).write_text(text)
    return request.param


def test_a_folder_replaces_the_library(kit, tmp_path):
    changed = with_folder(contestant(f"{kit}-mine"), tmp_path)
    commands = [*changed.build.commands]
    # What is compiled with the contestant has to be there before.
    if kit in {"go", "rust"}:
        commands.remove(("make",))
    elif kit != "cpp":
        commands.pop(0)
    assert REQUIREMENTS[kit].format(folder=tmp_path) in commands[0]
    assert changed.build.commands[-1][-1] == "make" or kit != "cpp"


def test_another_library_is_refused(kit, tmp_path):
    other = contestant(f"{kit}-other", "other")
    with pytest.raises(UsageError, match="-other measures other, but the repository"):
        with_folder(other, tmp_path)
    with pytest.raises(UsageError, match="has no package in its language"):
        with_folder(contestant("ada-mine"), tmp_path)


def test_the_contestant_with_the_library_is_found(kit, tmp_path):
    names = [f"{kit}-mine", f"{kit}-other", "ada-mine"]
    known = {
        name: contestant(name, "other" if "other" in name else "quick")
        for name in names
    }
    assert find_contestant(tmp_path, known) is known[names[0]]
    known[f"{kit}-second"] = contestant(f"{kit}-second")
    with pytest.raises(UsageError, match=f"of {kit}-mine, {kit}-second: name one"):
        find_contestant(tmp_path, known)
    with pytest.raises(UsageError, match="the library of no contestant"):
        find_contestant(tmp_path, {})


def test_a_folder_without_a_package_has_no_name(tmp_path):
    assert package_name(tmp_path, "python") is None
    (tmp_path / "pyproject.toml").write_text("[build-system]\n")
    assert package_name(tmp_path, "python") is None


def test_a_package_may_have_the_name_of_the_repository(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text("project(boost_swift)\n")
    text = MANIFEST.format(library="Boost.Swift").replace(
        'homepage = ""', 'homepage = "https://example.org/boost/swift"'
    )
    swift = parse_manifest(text, folder=Path("cpp-swift"))[0]
    assert find_contestant(tmp_path, {"cpp-swift": swift}) is swift
