"""Builds of a contestant: with its own program and with a bare program."""

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import Catalog, unknown
from autostrada.contestants.contestant import (
    ROLES,
    Contestant,
    Role,
    source_files,
)

FOLDER = Path(__file__).parents[1] / "harness"
"""Contains a folder with the contestant's name for each bare program."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramCommand:
    """Command line, folder and environment of a program."""

    arguments: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class HarnessPair:
    """A contestant and its bare program, built in the same way."""

    contestant: Contestant
    version: str
    ours: Path
    """Folder of the contestant's build."""

    bare: Path

    def launches(self, role: Role) -> tuple[ProgramCommand, ProgramCommand]:
        """Return how to start the contestant and the bare program, in their folders."""
        ours, bare = (
            ProgramCommand(
                arguments=self.contestant.command(role),
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
        UsageError: a contestant has no bare program.
    """
    found = {path.name: path for path in sorted(folder.iterdir()) if path.is_dir()}
    for name in names:
        if name not in found:
            raise unknown("bare program", name, found)
    return [found[name] for name in dict.fromkeys(names)] or list(found.values())


def roles_of(folder: Path) -> list[Role]:
    """Return the roles for which a folder has a bare program."""
    stems = {path.stem.lower() for path in folder.iterdir()}
    return [role for role in ROLES if role in stems]


def build_pair(
    bare: Path, catalog: Catalog, announce: Callable[[str], None]
) -> HarnessPair:
    """
    Build a contestant, and a copy of it with the files of ``bare``.

    Both have the contestant's manifest, lock files and build commands.

    Raises:
        ContestantError: it cannot be built here; the message names the remedy.
    """
    contestant = catalog.contestants()[bare.name]
    builder = Builder.of(catalog)
    ours = builder.build(contestant, announce=announce)
    folder = builder.builds / "harness"
    staged = stage(contestant, bare, folder / "sources" / bare.name)
    built = Builder(kits=builder.kits, builds=folder).build(
        staged, announce=lambda text: announce(f"{text}, with its bare program")
    )
    return HarnessPair(
        contestant=contestant,
        version=ours.version,
        ours=ours.folder,
        bare=built.folder,
    )


def stage(contestant: Contestant, bare: Path, target: Path) -> Contestant:
    """Copy a contestant's sources to ``target``, then those of ``bare`` over them."""
    shutil.rmtree(target, ignore_errors=True)
    for folder in (contestant.folder, bare):
        for relative, path in source_files(folder).items():
            copy = target / relative
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
    return replace(contestant, folder=target)
