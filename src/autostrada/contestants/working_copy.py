"""Working copies: local folders outside a contestant that it depends on."""

import re
from collections.abc import Iterable, Iterator
from os.path import normpath
from pathlib import Path

from autostrada.contestants.kit import Packages
from autostrada.errors import UsageError


def working_copies(
    contestant: Path, relative_folder: str, packages: Iterable[Packages]
) -> dict[str, Path]:
    """
    Return the local folders and files outside a contestant that it depends on.

    The keys are their paths relative to the build folder, in which the contestant is at
    ``relative_folder``, or absolute paths if the contestant's file uses them.

    Raises:
        UsageError: a path would be outside the build folder.
    """
    found = {}
    for file, written in _named(contestant, packages):
        target = (contestant / written).resolve()
        if not target.exists() or target.is_relative_to(contestant.resolve()):
            continue
        key = (
            written
            if Path(written).is_absolute()
            else normpath(f"{relative_folder}/{written}")
        )
        if key.startswith(".."):
            raise UsageError(
                f"{contestant.name}/{file}: {written} is too far above the "
                f"contestant's folder: use an absolute path"
            )
        found[key] = target
    return found


def _named(contestant: Path, packages: Iterable[Packages]) -> Iterator[tuple[str, str]]:
    """Yield the name of each file that refers to a path, and the path as written."""
    paths = [path for path in sorted(contestant.iterdir()) if path.is_file()]
    for package in packages:
        for path in paths if package.folders else ():
            if package.names(path.name):
                text = path.read_text(encoding="utf-8", errors="replace")
                for match in re.finditer(package.folders or "", text, re.MULTILINE):
                    yield path.name, match[1]
