"""Rules for the repository; each message contains the remedy."""

import json
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

from autostrada.contestants.contestant import ROLES, read_contestants
from autostrada.contestants.kit import read_kits

ROOT = Path(__file__).parents[1]
KITS = read_kits(ROOT / "kits")
ALL = read_contestants(ROOT / "contestants", KITS)
SOURCE_SUFFIXES = {".sh", ".sql"}.union(*(kit.sources for kit in KITS.values()))
LINES_MAX = 500
FUNCTION_LINES_MAX = 70
CONTESTANT_LINES_MAX = 90
PROGRAM_NAME = re.compile(r"(client|echo|feed|server(_[a-z]+)?)\.", re.IGNORECASE)
BANNED_NAMES = {"util", "utils", "helper", "helpers", "common", "misc", "manager"}
BANNED_MARKS = re.compile(
    r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b"
)
UNCHECKED = {"requirements.lock", "requirements-dev.lock", "Cargo.lock", "LICENSE"}
GENERATED = {Path("src/autostrada/engine/messages.py")}


def tracked_files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = (Path(line) for line in listed.stdout.splitlines())
    return [path for path in paths if (ROOT / path).is_file()]


FILES = tracked_files()
SOURCES = [path for path in FILES if path.suffix in SOURCE_SUFFIXES]
TEXTS = [
    path
    for path in FILES
    if path.name not in UNCHECKED
    and path.suffix in SOURCE_SUFFIXES | {".md", ".toml", ".html", ".css", ".yml"}
]
CONTESTANTS = [path.parent for path in FILES if path.name == "contestant.toml"]


@cache
def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def line_count(path):
    return len(read(path).splitlines())


def test_the_files_of_the_repository_are_found():
    assert len(SOURCES) > 50
    assert len(CONTESTANTS) >= 6


def test_no_file_is_too_long():
    long = [
        f"{path}: {line_count(path)}"
        for path in SOURCES
        if path not in GENERATED and line_count(path) > LINES_MAX
    ]
    assert not long, f"more than {LINES_MAX} lines: find the second idea in {long}"


def test_no_python_function_is_too_long():
    import ast

    long = [
        f"{path}:{node.lineno} {node.name}"
        for path in SOURCES
        if path.suffix == ".py"
        for node in ast.walk(ast.parse(read(path)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.body[0].lineno >= FUNCTION_LINES_MAX
    ]
    assert not long, f"more than {FUNCTION_LINES_MAX} lines: split {long}"


def test_no_file_has_a_vague_name():
    vague = [
        str(path)
        for path in SOURCES
        if BANNED_NAMES & set(re.split(r"[/_.\-]", str(path).lower()))
    ]
    assert not vague, f"name the thing: {vague}"


def test_a_class_name_stands_for_one_thing():
    classes = [
        name
        for path in SOURCES
        if path.parts[:2] == ("src", "autostrada") and path.suffix == ".py"
        for name in re.findall(r"^class (\w+)", read(path), re.MULTILINE)
    ]
    twice = {name for name in classes if classes.count(name) > 1}
    assert not twice, f"two classes have one name: rename one of each of {twice}"


def test_nothing_is_marked_as_unfinished():
    marked = [str(path) for path in SOURCES if BANNED_MARKS.search(read(path))]
    assert not marked, f"do it, or file an issue: {marked}"


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if not path.name.endswith("_test.go")], ids=str
)
def test_a_file_begins_with_a_description(path):
    text = read(path)
    if not text.strip():
        pytest.skip("an empty file says nothing")
    first = re.sub(r"^#![^\n]*\n|^#pragma once\n", "", text).lstrip()
    starts = ('"""', "//", "/*", "--", "# ")
    assert first.startswith(starts), f"begin {path} with a sentence on what it is"


@pytest.mark.parametrize("folder", CONTESTANTS, ids=str)
def test_a_contestant_folder_is_complete(folder):
    names = {path.name for path in FILES if path.parent == folder}
    assert "README.md" in names, f"{folder}: write README.md, with its known unfairness"
    contestant = ALL[folder.name]
    commands = contestant.build.commands
    tools = {Path(argument).name for arguments in commands for argument in arguments}
    locks = {
        name
        for kit in KITS.values()
        for packages in kit.packages
        if packages.tool in tools
        for name in packages.locked
    }
    assert locks <= names, f"{folder}: lock the versions: {locks - names}"
    programs = sorted(name for name in names if PROGRAM_NAME.match(name))
    stems = {name.partition(".")[0].lower() for name in programs}
    assert {role for role in ROLES if contestant.has(role)} <= stems
    for program in programs:
        lines = line_count(folder / program)
        assert lines <= CONTESTANT_LINES_MAX, (
            f"{folder}: move to the kit what is not the library"
        )


@pytest.mark.parametrize("folder", CONTESTANTS, ids=str)
def test_no_contestant_is_named_outside_its_folder(folder):
    name = folder.name
    if tomllib.loads(read(folder / "contestant.toml"))["library"] == name:
        pytest.skip("its library has the same name, which others may use")
    allowed = {"experiments", "docs", "contestants"}
    naming = [
        str(path)
        for path in TEXTS
        if folder not in path.parents
        and path.parts[0] not in allowed
        and path.parts[:3] != ("src", "autostrada", "cli")
        and path.suffix != ".md"
        and name in read(path)
        and re.search(rf"\b{re.escape(name)}\b", read(path))
    ]
    assert not naming, f"only experiments, documents and help may name {name}: {naming}"


def test_contestants_do_not_name_other_contestants():
    names = [folder.name for folder in CONTESTANTS]
    naming = [
        f"{path} names {name}"
        for path in TEXTS
        if path.parts[0] == "contestants"
        for name in names
        if path.parts[1] != name
        and name in read(path)
        and re.search(rf"\b{re.escape(name)}\b(?!-)", read(path))
    ]
    assert not naming


def test_documents_have_one_title():
    wrong = [
        str(path)
        for path in FILES
        if path.suffix == ".md"
        and len(
            re.findall(r"^# ", re.sub(r"```.*?```", "", read(path), flags=re.S), re.M)
        )
        != 1
    ]
    assert not wrong, f"one question, one title: {wrong}"


def test_links_between_documents_resolve():
    broken = [
        f"{path}: {target}"
        for path in FILES
        if path.suffix == ".md"
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", read(path))
        if not (ROOT / path.parent / target).exists()
    ]
    assert not broken


def test_links_to_headings_resolve():
    def anchors(path):
        text = re.sub(r"```.*?```", "", read(path), flags=re.DOTALL)
        headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
        named = re.findall(r'id="([^"]+)"', text)
        return {*named, *(heading.replace(" ", "-") for heading in plain)}

    broken = [
        f"{path}: {target}#{anchor}"
        for path in FILES
        if path.suffix == ".md"
        for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", read(path))
        if target.endswith(".md") or not target
        if anchor not in anchors(Path(path.parent / target) if target else path)
    ]
    assert not broken


def test_files_that_documents_name_exist():
    roots = [Path(), Path("crates/autostrada-engine/src"), Path("benches")]
    suffixes = "|".join(suffix[1:] for suffix in sorted(SOURCE_SUFFIXES | {".toml"}))
    named = re.compile(rf"`([\w.-]+(?:/[\w.-]+)+\.(?:{suffixes}))`")
    missing = [
        f"{path}: {target}"
        for path in FILES
        if path.suffix == ".md" and path.parts[0] != "contestants"
        for target in named.findall(read(path))
        if not any((ROOT / root / target).exists() for root in [path.parent, *roots])
    ]
    assert not missing, f"name the files as they are: {missing}"


def test_plans_in_the_documents_are_json():
    text = read(Path("docs/format.md"))
    plans = re.findall(r"<<'PLAN'\n(.*?)\nPLAN", text, re.S)
    assert len(plans) >= 7
    for plan in plans:
        assert json.loads(plan)["format"] == 2
