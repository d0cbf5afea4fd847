"""Modules of a crate that are side by side use each other in one direction only."""

import re
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CRATES = Path(__file__).parents[1] / "crates"
COMMENT = re.compile(r"//[^\n]*")
PATH = re.compile(r"\b(?:crate|super)(?:::\w+)*(?:::(?=\{))?")
TESTS = "#[cfg(test)]"

ENGINE_FOUNDATION = {"ended", "line", "log", "plan"}
"""Modules of the engine that all others may use, and that use no other one."""


def modules_of(crate):
    """Return the file of each module by its path, without modules of tests."""
    source = CRATES / crate / "src"
    found = {}
    for file in source.rglob("*.rs"):
        parts = file.relative_to(source).with_suffix("").parts
        if "tests" not in parts:
            path = parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts
            found[path] = file
    return found


def paths_in(text):
    """Yield the paths to other modules, those in braces each for itself."""
    for match in PATH.finditer(text):
        path = match[0].removesuffix("::")
        if not match[0].endswith("::"):
            yield path
            continue
        depth, name = 0, ""
        for character in text[match.end() :]:
            depth += (character == "{") - (character == "}")
            if depth == 1 and character not in "{},":
                name += character
            elif depth <= 1 and name.strip():
                yield f"{path}::{name.strip().removesuffix('::')}"
                name = ""
            if depth == 0:
                break


def absolute(path, module):
    """Return the parts of a path that is used in a module."""
    first, *rest = path.split("::")
    parts = list(module if first == "super" else ())
    for part in [first, *rest]:
        if part == "super":
            parts = parts[:-1]
        elif part not in ("crate", "self"):
            parts.append(part)
    return tuple(parts)


def siblings_used(crate):
    """Return, for each pair of modules side by side, which one uses which."""
    modules = modules_of(crate)
    used = defaultdict(lambda: defaultdict(set))
    for module, file in modules.items():
        text = COMMENT.sub("", file.read_text(encoding="utf-8").partition(TESTS)[0])
        for path in paths_in(text):
            other = absolute(path, module)
            while other not in modules:
                other = other[:-1]
            shared = 0
            while shared < min(len(module), len(other)) and (
                module[shared] == other[shared]
            ):
                shared += 1
            if shared < min(len(module), len(other)):
                used[module[:shared]][module[shared]].add(other[shared])
    return used


@pytest.mark.parametrize("crate", sorted(each.name for each in CRATES.iterdir()))
def test_modules_side_by_side_have_no_cycle(crate):
    for parent, graph in siblings_used(crate).items():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            where = "::".join(parent) or "the crate"
            pytest.fail(f"in {where}: {' -> '.join(error.args[1])}")


def test_what_all_modules_of_the_engine_use_uses_no_other():
    used = siblings_used("autostrada-engine")[()]
    for module in ENGINE_FOUNDATION:
        assert used[module] <= ENGINE_FOUNDATION, module


def test_paths_are_those_in_braces_too():
    text = "use crate::{a, b::{C, d}, e::F}; super::g::h(); use super::super::i::J;"
    assert [*paths_in(text)] == [
        *("crate::a", "crate::b", "crate::e::F"),
        *("super::g::h", "super::super::i::J"),
    ]
    assert absolute("super::super::i::J", ("x", "y", "z")) == ("x", "i", "J")
    assert absolute("crate::a", ("x",)) == ("a",)
