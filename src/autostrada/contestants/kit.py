"""A kit: the code shared by contestants of a language, described by ``kit.toml``."""

from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, StrictBool

from autostrada.contestants.contestant import Command, Defaults, Pattern
from autostrada.experiment.document import Document, parse_document, read_document


class Language(Document):
    """How a file of dependencies states the language version that it needs."""

    pattern: Pattern
    """Regular expression for the statement; its group is ``MAJOR.MINOR``."""

    requirement: str
    """Name of the manifest's requirement that checks the language version."""

    prints: str
    """Output of that requirement's command, with ``{version}`` for the version."""


class Packages(Document):
    """A file in which a contestant declares its dependencies, and how it is locked."""

    file: str
    """Name of the file, or a pattern for names."""

    tool: str | None = None
    """Program whose use in a build requires the lock files."""

    lock: Command | None = None
    """Command that writes the lock files; ``None`` if there is none."""

    locked: tuple[str, ...] = ()
    """Names of the lock files."""

    folders: Pattern | None = None
    """Regular expression for references to local folders; its group is the path."""

    language: Language | None = None
    """The language version that the file needs; ``None`` if it does not state it."""

    def names(self, name: str) -> bool:
        """Whether a file with this name declares or locks dependencies."""
        return fnmatch(name, self.file) or name in self.locked


class Kit(Defaults):
    """
    A language: its source files, its dependencies, and the tests of its kit.

    Manifests inherit the tables of ``Defaults``; its tests have its requirements.
    """

    sources: Annotated[
        tuple[Annotated[str, Field(pattern=r"^\.\w+$")], ...], Field(min_length=1)
    ]
    """Suffixes of the language's source files."""

    starts_slowly: StrictBool = False
    """Whether programs are compiled on each start."""

    packages: tuple[Packages, ...] = ()
    test: tuple[Command, ...] = ()
    """
    Commands that test what the contract does not. ``{tmp}`` stands for an empty folder,
    ``{kept}`` for a folder that persists between runs, and ``{python}`` for a Python
    with pytest.
    """


def read_kits(kits: Path) -> dict[str, Kit]:
    """Read the ``kit.toml`` of all subfolders; return the kits by name, sorted."""
    found = {}
    for path in sorted(kits.glob("*/kit.toml")):
        origin = f"kits/{path.parent.name}/kit.toml"
        text = read_document(path)
        found[path.parent.name] = parse_document(Kit, text, origin=origin)
    return found


@cache
def all_packages(kits: Path) -> tuple[Packages, ...]:
    """
    Return the files of dependencies of all kits.

    A contestant may use the registry of another language: Zig is installed from PyPI.
    """
    return tuple(
        packages for kit in read_kits(kits).values() for packages in kit.packages
    )
