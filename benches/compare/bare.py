"""A contestant built twice: as it is, and with a bare program in place of its own."""

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from autostrada.contestants.build import Workshop
from autostrada.contestants.catalog import Catalog, unknown
from autostrada.contestants.contestant import (
    ROLES,
    Contestant,
    Role,
    parse_manifest,
    source_files,
)

FOLDER = Path(__file__).parents[1] / "harness"
"""A folder for each contestant that has a bare program, of the contestant's name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """How a program is started."""

    words: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """A contestant and its bare program, built alike."""

    contestant: Contestant
    version: str
    ours: Path
    """Where the contestant's programs run."""

    bare: Path

    def launches(self, role: Role) -> tuple[Launch, Launch]:
        """Return how the contestant and the bare program are started: alike."""
        ours, bare = (
            Launch(
                words=self.contestant.words(role),
                folder=folder,
                environment=self.contestant.environment(role),
            )
            for folder in (self.ours, self.bare)
        )
        return ours, bare


def bare_folders(names: Iterable[str], folder: Path = FOLDER) -> list[Path]:
    """
    Return the folders of these contestants, or of all that have a bare program.

    Raises:
        UsageError: there is no bare program for one of them.
    """
    found = {path.name: path for path in sorted(folder.iterdir()) if path.is_dir()}
    for name in names:
        if name not in found:
            raise unknown("bare program", name, found)
    return [found[name] for name in dict.fromkeys(names)] or list(found.values())


def roles_of(folder: Path) -> list[Role]:
    """Return which of a contestant's programs a folder has in its bare form."""
    stems = {path.stem.lower() for path in folder.iterdir()}
    return [role for role in ROLES if role in stems]


def build_pair(bare: Path, catalog: Catalog, announce: Callable[[str], None]) -> Pair:
    """
    Build a contestant, and once more with the files of ``bare`` in place of its own.

    Manifest, lock files and build commands are the contestant's in both.

    Raises:
        ContestantError: it cannot be built here; the message is the remedy.
    """
    contestant = catalog.contestants()[bare.name]
    workshop = Workshop.of(catalog)
    ours = workshop.build(contestant, announce=announce)
    place = workshop.builds / "harness"
    staged = stage(contestant, bare, place / "sources" / bare.name)
    built = Workshop(kits=workshop.kits, builds=place).build(
        staged, announce=lambda words: announce(f"{words}, with its bare program")
    )
    return Pair(
        contestant=contestant,
        version=ours.version,
        ours=ours.folder,
        bare=built.folder,
    )


def stage(contestant: Contestant, bare: Path, place: Path) -> Contestant:
    """Copy a contestant's sources to ``place``, and over them those of ``bare``."""
    shutil.rmtree(place, ignore_errors=True)
    for folder in (contestant.folder, bare):
        for relative, path in source_files(folder).items():
            copy = place / relative
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
    manifest = (place / "contestant.toml").read_text(encoding="utf-8")
    return parse_manifest(manifest, folder=place)[0]
