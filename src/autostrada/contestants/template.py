"""
What ``autostrada new`` does: makes a contestant's folder from one of its language.

Its programs are those of the other contestant, to be rewritten for another library. All
else that is about that library stays behind: dependencies, locks, claims, variants.
"""

import re
import shutil
from collections import Counter
from collections.abc import Iterable, Set
from itertools import chain
from pathlib import Path

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import Contestant, source_files
from autostrada.contestants.kit import Packages, all_packages
from autostrada.errors import UsageError

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
README = """\
# {name}

[library](https://…) version: its server and client.

The code follows the library's documentation: which page.

What the library cannot do: …

## Known to be unfair

- …

## Lock file

How it is made: a command.
"""


def new(name: str, further: Path | None) -> Path:
    """
    Make a folder as a copy of a contestant of the same language; return it.

    Raises:
        UsageError: the name is none for a contestant or is taken, no contestant of
            its language is there to be copied, or the folder cannot be written.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no contestant's name: <language>-<library>, in lower case, "
            f"digits and hyphens"
        )
    catalog = find_catalog()
    contestants = catalog.contestants()
    language = name.partition("-")[0]
    model = find_model(language, contestants.values())
    if model is None:
        languages = sorted({each.manifest.language for each in contestants.values()})
        raise UsageError(
            f"no contestant in {language!r} to begin with: write a kit first "
            f"(CONTRIBUTING.md); there is {', '.join(languages)}"
        )
    folder = (further or catalog.root / "contestants") / name
    packages = all_packages(catalog.root / "kits")
    locked = {name for each in packages for name in each.locked if name != each.file}
    try:
        folder.mkdir(parents=True)
        for relative, path in source_files(model.folder).items():
            if relative not in locked:
                (folder / relative).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, folder / relative)
        for each in packages:
            _leave_libraries_out(each, folder, model.folder)
        manifest = folder / "contestant.toml"
        common = common_requirements(language, contestants.values())
        text = emptied(manifest.read_text(encoding="utf-8"), name, common)
        manifest.write_text(text, encoding="utf-8")
        (folder / "README.md").write_text(README.format(name=name), encoding="utf-8")
    except FileExistsError as error:
        raise UsageError(f"{folder} is already there: take another name") from error
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror}") from error
    print(
        f"{folder}: made from {model.folder.name}.\n"
        f"Its programs still use the library of {model.folder.name}: rewrite them for "
        f"yours, and say in contestant.toml how its version is printed.\n"
        f"Then: autostrada lock {folder}; autostrada verify {name}"
        + (f" --contestants {further}" if further else "")
    )
    return folder


def _leave_libraries_out(packages: Packages, folder: Path, model: Path) -> None:
    """Make the file of dependencies one that names no library."""
    path = folder / packages.file
    if packages.libraries and path.is_file():
        text = re.sub(
            packages.libraries,
            lambda found: "".join(group or "" for group in found.groups()),
            path.read_text(encoding="utf-8"),
            flags=re.MULTILINE,
        )
        path.write_text(text, encoding="utf-8")
    elif packages.example and any((model / name).is_file() for name in packages.locked):
        path.write_text(packages.example, encoding="utf-8")


def find_model(language: str, contestants: Iterable[Contestant]) -> Contestant | None:
    """Return the contestant to begin with: the shortest that has both programs."""
    return min(
        (
            each
            for each in contestants
            if each.manifest.language == language and each.variant is None
        ),
        key=_rank,
        default=None,
    )


def _rank(contestant: Contestant) -> tuple[int, int, str]:
    programs = len(contestant.manifest.programs())
    size = sum(path.stat().st_size for path in source_files(contestant.folder).values())
    return -programs, size, contestant.name


def common_requirements(
    language: str, contestants: Iterable[Contestant]
) -> frozenset[str]:
    """Return the requirements that most contestants of a language have."""
    found = [
        set(each.manifest.requires)
        for each in contestants
        if each.manifest.language == language
    ]
    counts = Counter(chain.from_iterable(found))
    return frozenset(each for each in counts if counts[each] > len(found) / 2)


def emptied(manifest: str, name: str, requirements: Set[str]) -> str:
    """Return a manifest that claims nothing but a client that receives."""
    library = name.partition("-")[2]
    text = "".join(
        section
        for section in re.split(r"^(?=\[)", manifest, flags=re.M)
        if not section.startswith(("[version]", "[[variant]]"))
        and (
            not (required := re.match(r"\[requires\.([\w-]+)\]", section))
            or required[1] in requirements
        )
    )
    claims = r"^(client\.|server\.)?(deflate|workers|tls|refusals)\s*=.*\n"
    text = re.sub(rf"{claims}|^version\..*\n", "", text, flags=re.M)
    for key, value in (
        ("library", f'"{library}"'),
        ("homepage", '"https://…"'),
        (r"(?:client\.)?workloads", '["receive"]'),
    ):
        text = re.sub(rf"^({key}\s*)=.*$", rf"\1= {value}", text, count=1, flags=re.M)
    text = re.sub(r"\A(#[^\n]*\n)+", "# The library, in one sentence.\n", text)
    return text.rstrip() + VERSION


VERSION = """

[version]                          # prints the version of the library
command = ["false"]
"""
