"""Working copies: folders outside a contestant that its files name as dependencies."""

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from os.path import normpath
from pathlib import Path

from autostrada.errors import UsageError

NAMED_BY = {
    "go.mod": r"=>\s*(\.{0,2}/\S+)",
    "go.work": r"^\s*(?:use\s+)?(\.{1,2}/\S+)",
    "Cargo.toml": r'\bpath\s*=\s*"([^"]+)"',
    "package.json": r':\s*"(?:file|link):([^"]+)"',
    "requirements.*": r"^(?:-e\s+|--editable[ =])?(?:[\w.\[\]-]+\s*@\s*file://)?"
    r"(\.{0,2}/[^\s;#]+)",
    "Gemfile": r"\bpath:\s*[\"']([^\"']+)[\"']",
    "build.zig.zon": r'\.path\s*=\s*"([^"]+)"',
    "*.csproj": r'<ProjectReference\s+Include="([^"]+)"',
}
"""By the name of a file: how it names a folder of this machine."""


def working_copies(contestant: Path, place: str) -> dict[str, Path]:
    """
    Return the folders and files outside a contestant that it depends on.

    The keys are where they lie in a build: a path from the build's folder, in which the
    contestant is at ``place``, or the absolute path that the contestant's file names.

    Raises:
        UsageError: one of them would lie outside the build's folder.
    """
    found = {}
    for file, written in _named(contestant):
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


def _named(contestant: Path) -> Iterator[tuple[str, str]]:
    """Yield the files that name a path, each with the path as it is written."""
    for path in sorted(contestant.iterdir()):
        for pattern, names in NAMED_BY.items():
            if path.is_file() and fnmatch(path.name, pattern):
                text = path.read_text(encoding="utf-8", errors="replace")
                for match in re.finditer(names, text, re.MULTILINE):
                    yield path.name, match[1]
