"""Programs of contestants and bare programs of their libraries: builds and starts."""

import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import Catalog, find_catalog, unknown
from autostrada.contestants.contestant import (
    ROLES,
    Contestant,
    Role,
    source_files,
)
from autostrada.errors import EngineError
from autostrada.machine.ports import ADDRESS, await_listener, reserved_port
from autostrada.runner.context import built_program
from autostrada.runner.endpoints import BuiltProgram

from .bench import SERVE_LIMIT_S, BenchProgram, BenchSetup

FOLDER = Path(__file__).parents[1] / "harness"
"""Contains a folder with the contestant's name for each bare program."""

START_S = 30.0
"""Time within which a server must listen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HarnessPair:
    """A contestant and its bare program, built in the same way."""

    contestant: Contestant
    version: str
    ours: Path
    """Folder of the contestant's build."""

    bare: Path

    def launches(self, role: Role) -> tuple[BuiltProgram, BuiltProgram]:
        """Return how to start the contestant and the bare program, in their folders."""
        program = self.contestant.program(role)
        assert program, "there is a bare one"
        ours, bare = (
            built_program(self.contestant, program, folder)
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


def build(
    contestant: Contestant, role: Role, announce: Callable[[str], None]
) -> BuiltProgram:
    """
    Build a contestant; return one of its programs.

    Raises:
        ContestantError: it cannot be built here; the message names the remedy.
    """
    built = Builder.of(find_catalog()).build(contestant, announce=announce)
    program = contestant.program(role)
    assert program, f"{contestant.name} has no {role}"
    return built_program(contestant, program, built.folder)


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


@contextmanager
def echo_server(
    bench: BenchSetup, server: BuiltProgram
) -> Iterator[tuple[BenchProgram, str]]:
    """
    Run a server on the server's core; yield its process and the URL of its echo.

    Raises:
        EngineError: the server does not listen.
    """
    with (
        reserved_port() as port,
        bench.client(
            server.arguments,
            {**server.environment, "HOST": ADDRESS, "PORT": str(port)},
            folder=server.folder,
            cpus=bench.host.server_cpus,
            limit_s=SERVE_LIMIT_S,
        ) as process,
    ):
        try:
            is_running = await_listener(process, port, time.monotonic() + START_S)
        except TimeoutError as error:
            raise EngineError("the server does not listen") from error
        if not is_running:
            raise EngineError(f"the server ended: {process.stderr_tail}")
        yield process, f"ws://{ADDRESS}:{port}/echo"
