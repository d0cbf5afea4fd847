"""What ``autostrada lock`` does: makes the lock file of a contestant's language."""

import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from autostrada.contestants.build import BUILD_LIMIT_S, Workshop
from autostrada.contestants.catalog import Catalog, find_catalog, unknown
from autostrada.contestants.contestant import Contestant, parse_manifest
from autostrada.errors import UsageError
from autostrada.experiment.document import read_document
from autostrada.machine.process import Command, run_to_end

_TAIL_LINES = 12
_STDERR_BYTES_MAX = 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Lock:
    """How a language locks what a file of a contestant asks for."""

    asked_in: str
    words: tuple[str, ...]
    written: tuple[str, ...]
    """The files that have the exact versions."""


LOCKS = (
    Lock(asked_in="go.mod", words=("go", "mod", "tidy"), written=("go.mod", "go.sum")),
    Lock(
        asked_in="Cargo.toml",
        words=("cargo", "generate-lockfile"),
        written=("Cargo.lock",),
    ),
    Lock(
        asked_in="package.json",
        words=("npm", "install", "--package-lock-only", "--ignore-scripts"),
        written=("package-lock.json",),
    ),
    Lock(
        asked_in="requirements.in",
        words=(
            *("uv", "pip", "compile", "--generate-hashes", "--no-header"),
            *("--output-file", "requirements.txt", "requirements.in"),
        ),
        written=("requirements.txt",),
    ),
    Lock(asked_in="Gemfile", words=("bundle", "lock"), written=("Gemfile.lock",)),
)
ENVIRONMENT = {"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod"}
"""No other toolchain is downloaded than the one that the manifest asks for."""


def lock(folder: Path) -> list[Path]:
    """
    Make the lock file of a contestant, wherever its folder is; return what was written.

    It is made in a copy, in which the kit is where the contestant expects it.

    Raises:
        UsageError: there is nothing to lock, the language's command fails, or what is
            locked needs a newer language than the manifest accepts.
    """
    catalog = find_catalog()
    contestant = _contestant(folder, catalog)
    locks = [each for each in LOCKS if (contestant.folder / each.asked_in).is_file()]
    if not locks:
        names = ", ".join(each.asked_in for each in LOCKS)
        raise UsageError(
            f"{contestant.folder} has none of {names}: its README.md says how its "
            f"versions are locked"
        )
    written = []
    with tempfile.TemporaryDirectory(prefix="autostrada-lock-") as temporary:
        target = Path(temporary)
        Workshop.of(catalog).copy_sources(contestant, target)
        copy = target / "contestants" / contestant.folder.name
        for each in locks:
            _run(each, copy)
            for name in each.written:
                if (copy / name).is_file():
                    shutil.copy2(copy / name, contestant.folder / name)
                    written.append(contestant.folder / name)
    if complaint := newer_language(contestant):
        raise UsageError(complaint)
    return written


def newer_language(contestant: Contestant) -> str:
    """Say that ``go.mod`` needs a newer Go than the manifest accepts, else ``""``."""
    path = contestant.folder / "go.mod"
    requirement = contestant.manifest.requires.get("go")
    if not path.is_file() or requirement is None:
        return ""
    asked = re.search(r"^go (\d+)\.(\d+)", path.read_text(encoding="utf-8"), re.M)
    if asked is None:
        return ""
    major, minor = int(asked[1]), int(asked[2])
    for older in range(minor):
        if re.search(requirement.matches, f"go version go{major}.{older}.0 linux"):
            return (
                f"{contestant.folder.name}/go.mod needs Go {major}.{minor}, but "
                f"requires.go of contestant.toml accepts {major}.{older}: lock an "
                f"older version of the library, or change matches"
            )
    return ""


def _contestant(folder: Path, catalog: Catalog) -> Contestant:
    """Return the contestant in a folder, or the one of that name."""
    manifest = folder / "contestant.toml"
    if not manifest.is_file():
        found = catalog.contestants()
        if str(folder) not in found:
            raise unknown("contestant", str(folder), found)
        return found[str(folder)]
    return parse_manifest(read_document(manifest), folder=folder.resolve())[0]


def _run(lock: Lock, folder: Path) -> None:
    text = " ".join(lock.words)
    command = Command(
        words=lock.words,
        folder=folder,
        environment=ENVIRONMENT,
        stderr_bytes_max=_STDERR_BYTES_MAX,
    )
    try:
        status, output = run_to_end(command, limit_s=BUILD_LIMIT_S)
    except (OSError, TimeoutError) as error:
        raise UsageError(f"cannot run {text!r}: {error}") from error
    if status != 0:
        said = "\n".join(output.splitlines()[-_TAIL_LINES:])
        raise UsageError(f"{text!r} failed:\n{said}")
