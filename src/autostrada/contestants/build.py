"""Builds contestants in a copy of their folder, and reads the library's version."""

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from pydantic import TypeAdapter, ValidationError

from autostrada.contestants.catalog import Catalog
from autostrada.contestants.contestant import (
    Contestant,
    content_digest,
    source_files,
)
from autostrada.contestants.kit import all_packages
from autostrada.contestants.requirement import check
from autostrada.contestants.working_copy import working_copies
from autostrada.errors import BuildFailed, UsageError
from autostrada.machine.process import Command, run_to_end

BUILD_LIMIT_S = 900.0
RECEIPT = "receipt.json"
LOG = "build.log"
TAIL_LINES = 12
STDERR_BYTES_MAX = 1024 * 1024

SHARED_FOLDERS = {"CARGO_BUILD_BUILD_DIR": "cargo"}
"""Folders of intermediate products that builds share, by the environment variable that
names them: dependencies in Rust are compiled once for all contestants."""

Announce = Callable[[str], None]
"""Receives a short description of a long operation before it starts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Built:
    """A contestant that is ready to run."""

    folder: Path
    """Copy of the contestant's folder, in which its commands run."""

    version: str
    """Version of the library, as printed by the contestant's version command."""

    toolchain: str
    """Output of the requirements' commands, one line each."""

    digest: str
    """SHA-256 of the sources: ``Builder.digest``."""


_BUILT = TypeAdapter(Built)


def build_of(folder: Path) -> tuple[Path, str]:
    """Return the build in whose ``folder`` commands run, and a name for its content."""
    build = folder.parents[1]
    receipt = hashlib.sha256((build / RECEIPT).read_bytes()).hexdigest()
    return build, f"{build.name}-{receipt[:16]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Builder:
    """The folder in which contestants are built, and the folder of the kits."""

    kits: Path
    builds: Path

    @classmethod
    def of(cls, catalog: Catalog) -> Self:
        """Return the builder of a catalog."""
        return cls(kits=catalog.root / "kits", builds=catalog.builds)

    def folder(self, contestant: Contestant) -> Path:
        """Return the folder in which a contestant's commands run after its build."""
        return self.target(contestant) / "contestants" / contestant.folder.name

    def digest(self, contestant: Contestant) -> str:
        """
        Return the SHA-256 of the sources of a contestant, its kit and libraries.

        The manifest, and the description of the kit, from which it inherits, are among
        the sources.
        """
        return content_digest(self.sources(contestant))

    def build(self, contestant: Contestant, *, announce: Announce) -> Built:
        """
        Build a contestant, unless the same sources were built with the same tools.

        ``announce`` is called only if a build is necessary.

        Raises:
            NotInstalled: a requirement is not installed; the message has the remedy.
            BuildFailed: a build or version command failed.
            UsageError: the folder for builds is not writable.
        """
        toolchain = check(contestant.manifest.requires, contestant.folder)
        base = self.builds / contestant.build_name
        try:
            base.mkdir(parents=True, exist_ok=True)
            with _locked(base / "lock"):
                return self._build(contestant, base, toolchain, announce)
        except OSError as error:
            raise UsageError(
                f"cannot build in {base}: {error.strerror}; free disk space, or "
                f"change its permissions"
            ) from error

    def _build(
        self, contestant: Contestant, base: Path, toolchain: str, announce: Announce
    ) -> Built:
        digest = self.digest(contestant)
        target, folder = self.target(contestant), self.folder(contestant)
        receipt = target / RECEIPT
        earlier = _read_receipt(receipt)
        # Build products may contain absolute paths, so a moved build is repeated.
        if earlier and (earlier.folder, earlier.toolchain) == (folder, toolchain):
            return earlier
        announce(f"building {contestant.build_name}")
        for other in base.iterdir():
            if other.is_dir():
                shutil.rmtree(other)
        self.copy_sources(contestant, target)
        shared = {
            variable: str((self.builds / name).resolve())
            for variable, name in SHARED_FOLDERS.items()
        }
        with (base / LOG).open("w", encoding="utf-8") as log:
            for command in contestant.build.commands:
                _run(contestant, command, folder, log, shared)
            version = _version(contestant, folder, log)
        built = Built(
            folder=folder, version=version, toolchain=toolchain, digest=digest
        )
        receipt.write_bytes(_BUILT.dump_json(built, indent=1))
        return built

    def target(self, contestant: Contestant) -> Path:
        """Return the folder of a contestant's build; its name has the digest."""
        base = self.builds / contestant.build_name
        return base / self.digest(contestant)[:16]

    def sources(self, contestant: Contestant) -> dict[str, Path]:
        """
        Return the folders that a contestant is built from, by path in the build folder.

        A working copy of a library that is referenced by its absolute path is not
        copied; its key is that path.
        """
        path = f"contestants/{contestant.folder.name}"
        sources = {path: contestant.folder}
        kit = self.kits / contestant.kit
        if kit.is_dir():
            sources[f"kits/{kit.name}"] = kit
        packages = all_packages(self.kits)
        return working_copies(contestant.folder, path, packages) | sources

    def copy_sources(self, contestant: Contestant, target: Path) -> None:
        """Copy the sources to ``target``, with their relative paths preserved."""
        for key, folder in self.sources(contestant).items():
            if Path(key).is_absolute():
                continue
            for relative, path in source_files(folder).items():
                copy = target / key / relative
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)


def _read_receipt(path: Path) -> Built | None:
    """Return the receipt of an earlier build; ``None`` if it is missing or invalid."""
    try:
        return _BUILT.validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _version(contestant: Contestant, folder: Path, log: IO[str]) -> str:
    output = _run(contestant, contestant.manifest.version.command, folder, log, {})
    if not output:
        raise BuildFailed(
            "its version command printed nothing: version.command of its "
            "contestant.toml must print the library's version"
        )
    return output.splitlines()[0]


def _run(
    contestant: Contestant,
    arguments: tuple[str, ...],
    folder: Path,
    log: IO[str],
    environment: Mapping[str, str],
) -> str:
    text = " ".join(arguments)
    of_programs: dict[str, str] = {}
    for program in contestant.manifest.programs().values():
        of_programs |= program.env
    command = Command(
        arguments=arguments,
        folder=folder,
        environment={**environment, **of_programs},
        stderr_bytes_max=STDERR_BYTES_MAX,
    )
    log.write(f"$ {text}\n")
    try:
        status, output = run_to_end(command, limit_s=BUILD_LIMIT_S, log=log)
    except OSError as error:
        raise BuildFailed(f"cannot run {text!r}: {error}") from error
    except TimeoutError as error:
        raise BuildFailed(
            f"{text!r} took more than {BUILD_LIMIT_S:.0f} s; its output: {log.name}"
        ) from error
    if status != 0:
        raise BuildFailed(
            f"{text!r} failed with status {status}; its output: {log.name}",
            stderr_tail="\n".join(output.splitlines()[-TAIL_LINES:]),
        )
    return output


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a file lock, so that only one process builds the same contestant."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
