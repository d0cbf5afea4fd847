"""A kit: what the contestants of a language share, described by its ``kit.toml``."""

from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, StrictBool

from autostrada.contestants.contestant import Command, Pattern, Requirement
from autostrada.experiment.document import Document, parse_document, read_document


class Language(Document):
    """The version of the language that a file of dependencies asks for."""

    pattern: Pattern
    """How the file states it; the group is two numbers with a point between them."""

    requirement: str
    """The requirement of a manifest that accepts versions."""

    prints: str
    """What the command of that requirement prints, with ``{version}`` in it."""


class Packages(Document):
    """A file in which a contestant states its dependencies, and how it is locked."""

    file: str
    """Its name, or a pattern of names."""

    tool: str | None = None
    """A build that runs this program needs the lock files."""

    lock: Command | None = None
    """The command that makes the lock files."""

    locked: tuple[str, ...] = ()
    """The files that have the exact versions."""

    folders: Pattern | None = None
    """How it names a folder of this machine: the group is the path."""

    language: Language | None = None

    def names(self, name: str) -> bool:
        """Whether a file of this name states dependencies, or locks them."""
        return fnmatch(name, self.file) or name in self.locked


class Kit(Document):
    """A language: its source files, its dependencies, and what tests its kit."""

    sources: Annotated[
        tuple[Annotated[str, Field(pattern=r"^\.\w+$")], ...], Field(min_length=1)
    ]
    """The suffixes of its source files."""

    starts_slowly: StrictBool = False
    """Programs are compiled each time that they are started."""

    packages: tuple[Packages, ...] = ()
    requires: dict[str, Requirement] = Field(default_factory=dict)
    test: Annotated[tuple[Command, ...], Field(min_length=1)]
    """
    In its words, ``{tmp}`` is an empty folder, ``{kept}`` one that is as it was
    left the time before, and ``{python}`` has pytest.
    """


def read_kits(kits: Path) -> dict[str, Kit]:
    """
    Read the ``kit.toml`` of every folder; return the kits by name, in order.

    Raises:
        UsageError: it is no TOML, or a key is missing or unknown.
    """
    found = {}
    for path in sorted(kits.glob("*/kit.toml")):
        origin = f"kits/{path.parent.name}/kit.toml"
        text = read_document(path)
        found[path.parent.name] = parse_document(Kit, text, origin=origin)
    return found


@cache
def all_packages(kits: Path) -> tuple[Packages, ...]:
    """
    Return the files of dependencies of every kit.

    A contestant may use those of another language: Zig comes from Python's registry.
    """
    return tuple(
        packages for kit in read_kits(kits).values() for packages in kit.packages
    )
