"""What ``autostrada new`` does: makes a contestant's folder that already passes."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import Contestant, source_files
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
    try:
        folder.mkdir(parents=True)
        for relative, path in source_files(model.folder).items():
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, folder / relative)
        manifest = folder / "contestant.toml"
        text = manifest.read_text(encoding="utf-8")
        manifest.write_text(renamed(text, name), encoding="utf-8")
        (folder / "README.md").write_text(README.format(name=name), encoding="utf-8")
    except FileExistsError as error:
        raise UsageError(f"{folder} is already there: take another name") from error
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror}") from error
    print(
        f"{folder}: a copy of {model.folder.name}, which keeps the contract.\n"
        f"Put your library in its place, then: autostrada verify {name}"
        + (f" --contestants {further}" if further else "")
    )
    return folder


def find_model(language: str, contestants: Iterable[Contestant]) -> Contestant | None:
    """Return the contestant to copy: it plays most, and of these it is the shortest."""
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
    manifest = contestant.manifest
    workloads = len(manifest.client.workloads) if manifest.client else 0
    size = sum(path.stat().st_size for path in source_files(contestant.folder).values())
    return -workloads - len(manifest.programs()), size, contestant.name


def renamed(manifest: str, name: str) -> str:
    """Return a manifest that is about another library."""
    library = name.partition("-")[2]
    text = re.sub(
        r"^library(\s*)=.*$", rf'library\1= "{library}"', manifest, count=1, flags=re.M
    )
    text = re.sub(
        r"^homepage(\s*)=.*$", r'homepage\1= "https://…"', text, count=1, flags=re.M
    )
    return re.sub(r"^#[^\n]*\n", "# The library, in one sentence.\n", text, count=1)
