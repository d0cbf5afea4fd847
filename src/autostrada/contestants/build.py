"""Builds contestants: requirements, a copy, its build commands, its version."""

import fcntl
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Self

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
LOG = "build.log"
_TAIL_LINES = 12
_STDERR_BYTES_MAX = 1024 * 1024

Announce = Callable[[str], None]
"""Is told, in a few words, what takes a while."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Built:
    """A contestant that is ready to run."""

    folder: Path
    """The copy of its folder; its commands run here."""

    version: str
    toolchain: str
    digest: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Workshop:
    """Where contestants are built, and the kits that are built into them."""

    kits: Path
    builds: Path

    @classmethod
    def of(cls, catalog: Catalog) -> Self:
        """Return that of a checkout."""
        return cls(kits=catalog.root / "kits", builds=catalog.root / ".build")

    def folder(self, contestant: Contestant) -> Path:
        """Return where a contestant's commands run once it is built."""
        return self._target(contestant) / "contestants" / contestant.folder.name

    def digest(self, contestant: Contestant) -> str:
        """Return what identifies the sources of a contestant, its kit and libraries."""
        return content_digest(self.sources(contestant))

    def build(self, contestant: Contestant, *, announce: Announce) -> Built:
        """
        Return the contestant, built now or earlier from the same sources and tools.

        Raises:
            NotInstalled: this machine lacks something; the message is the remedy.
            BuildFailed: a build or version command failed.
            UsageError: the folder for builds cannot be written.
        """
        toolchain = check(contestant.manifest.requires, contestant.folder)
        place = self.builds / contestant.folder.name
        try:
            place.mkdir(parents=True, exist_ok=True)
            with _locked(place / "lock"):
                return self._build(contestant, place, toolchain, announce)
        except OSError as error:
            raise UsageError(
                f"cannot build in {place}: {error.strerror}; make room there, or "
                f"change its permissions"
            ) from error

    def _build(
        self, contestant: Contestant, place: Path, toolchain: str, announce: Announce
    ) -> Built:
        digest = self.digest(contestant)
        target, folder = self._target(contestant), self.folder(contestant)
        receipt = target / "receipt.json"
        earlier = _read_receipt(receipt)
        # What a build has made may hold its own path: a moved one is made again.
        if earlier and (earlier.folder, earlier.toolchain) == (folder, toolchain):
            return earlier
        announce(f"building {contestant.folder.name}")
        self._copy(contestant, target)
        with (place / LOG).open("w", encoding="utf-8") as log:
            for command in contestant.manifest.build.commands:
                _run(contestant, command, folder, log)
            version = _version(contestant, folder, log)
        built = Built(
            folder=folder, version=version, toolchain=toolchain, digest=digest
        )
        document = asdict(built) | {"folder": str(folder)}
        receipt.write_text(json.dumps(document, indent=1), encoding="utf-8")
        return built

    def _target(self, contestant: Contestant) -> Path:
        place = self.builds / contestant.folder.name
        return place / self.digest(contestant)[:16]

    def sources(self, contestant: Contestant) -> dict[str, Path]:
        """
        Return what a contestant is built from, by its place in the build's folder.

        A working copy of a library that is named by its absolute path stays there.

        Raises:
            UsageError: a working copy would lie outside the build's folder.
        """
        place = f"contestants/{contestant.folder.name}"
        sources = {place: contestant.folder}
        kit = self.kits / contestant.kit
        if kit.is_dir():
            sources[f"kits/{kit.name}"] = kit
        packages = all_packages(self.kits)
        return working_copies(contestant.folder, place, packages) | sources

    def _copy(self, contestant: Contestant, target: Path) -> None:
        """Copy the sources to ``target``, in place of all earlier builds."""
        for earlier in target.parent.iterdir():
            if earlier.is_dir():
                shutil.rmtree(earlier)
        self.copy_sources(contestant, target)

    def copy_sources(self, contestant: Contestant, target: Path) -> None:
        """Copy the sources to ``target``, at their places relative to each other."""
        for place, folder in self.sources(contestant).items():
            if Path(place).is_absolute():
                continue
            for relative, path in source_files(folder).items():
                copy = target / place / relative
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)


def _read_receipt(path: Path) -> Built | None:
    """Return what an earlier build was; ``None`` where it left no receipt of ours."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return Built(**document | {"folder": Path(document["folder"])})
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _version(contestant: Contestant, folder: Path, log: IO[str]) -> str:
    output = _run(contestant, contestant.manifest.version.command, folder, log)
    if not output:
        raise BuildFailed(
            "its version command printed nothing: version.command of its "
            "contestant.toml must print the library's version"
        )
    return output.splitlines()[0]


def _run(
    contestant: Contestant, words: tuple[str, ...], folder: Path, log: IO[str]
) -> str:
    text = " ".join(words)
    environment: dict[str, str] = {}
    for program in contestant.manifest.programs().values():
        environment |= program.env
    command = Command(
        words=words,
        folder=folder,
        environment=environment,
        stderr_bytes_max=_STDERR_BYTES_MAX,
    )
    log.write(f"$ {text}\n")
    try:
        status, output = run_to_end(command, limit_s=BUILD_LIMIT_S, log=log)
    except OSError as error:
        raise BuildFailed(f"cannot run {text!r}: {error}") from error
    except TimeoutError as error:
        raise BuildFailed(
            f"{text!r} took more than {BUILD_LIMIT_S:.0f} s; what it said: {log.name}"
        ) from error
    if status != 0:
        raise BuildFailed(
            f"{text!r} failed with status {status}; all that it said: {log.name}",
            stderr_tail="\n".join(output.splitlines()[-_TAIL_LINES:]),
        )
    return output


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Wait until no other run builds the same contestant; the lock dies with us."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
