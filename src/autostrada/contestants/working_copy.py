"""Working copies: folders outside a contestant that its files name as dependencies."""

import re
from collections.abc import Iterable, Iterator
from os.path import normpath
from pathlib import Path

from autostrada.contestants.kit import Packages
from autostrada.errors import UsageError


def working_copies(
    contestant: Path, place: str, packages: Iterable[Packages]
) -> dict[str, Path]:
    """
    Return the folders and files outside a contestant that it depends on.

    The keys are where they lie in a build: a path from the build's folder, in which the
    contestant is at ``place``, or the absolute path that the contestant's file names.

    Raises:
        UsageError: one of them would lie outside the build's folder.
    """
    found = {}
    for file, written in _named(contestant, packages):
        target = (contestant / written).resolve()
        if not target.exists() or target.is_relative_to(contestant.resolve()):
            continue
        key = written if Path(written).is_absolute() else normpath(f"{place}/{written}")
        if key.startswith(".."):
            raise UsageError(
                f"{contestant.name}/{file}: {written} lies too far above the "
                f"contestant's folder: write its absolute path"
            )
        found[key] = target
    return found


def _named(contestant: Path, packages: Iterable[Packages]) -> Iterator[tuple[str, str]]:
    """Yield the files that name a path, each with the path as it is written."""
    paths = [path for path in sorted(contestant.iterdir()) if path.is_file()]
    for each in packages:
        for path in paths if each.folders else ():
            if each.names(path.name):
                text = path.read_text(encoding="utf-8", errors="replace")
                for match in re.finditer(each.folders or "", text, re.MULTILINE):
                    yield path.name, match[1]
