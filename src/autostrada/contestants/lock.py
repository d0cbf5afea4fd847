"""The command ``autostrada lock``: writes the lock files of a contestant."""

import re
import shutil
import tempfile
from fnmatch import fnmatch
from pathlib import Path

from autostrada.contestants.build import (
    BUILD_LIMIT_S,
    STDERR_BYTES_MAX,
    TAIL_LINES,
    Builder,
)
from autostrada.contestants.catalog import Catalog, find_catalog, unknown
from autostrada.contestants.contestant import Contestant, parse_manifest
from autostrada.contestants.kit import Language, all_packages, read_kits
from autostrada.errors import UsageError
from autostrada.experiment.document import read_document
from autostrada.machine.process import Command, run_to_end


def lock(folder: Path) -> list[Path]:
    """
    Write the lock files of a contestant, given by name or folder; return their paths.

    The command runs in a copy of the folder that has the kit at its relative path.

    Raises:
        UsageError: the contestant has no file of dependencies, the command fails, or
            the locked versions need a newer language than the manifest accepts.
    """
    catalog = find_catalog()
    contestant = _contestant(folder, catalog)
    lockable = [
        package for package in all_packages(catalog.root / "kits") if package.lock
    ]
    names = sorted(path.name for path in contestant.folder.iterdir())
    packages = {
        name: each for name in names for each in lockable if fnmatch(name, each.file)
    }
    if not packages:
        files = ", ".join(each.file for each in lockable)
        raise UsageError(
            f"{contestant.folder} has none of {files}: see its README.md for how its "
            f"versions are locked"
        )
    written = []
    with tempfile.TemporaryDirectory(prefix="autostrada-lock-") as temporary:
        target = Path(temporary)
        Builder.of(catalog).copy_sources(contestant, target)
        copy = target / "contestants" / contestant.folder.name
        for package in packages.values():
            _run(package.lock or (), copy)
            for name in package.locked:
                if (copy / name).is_file():
                    shutil.copy2(copy / name, contestant.folder / name)
                    written.append(contestant.folder / name)
    for name, each in packages.items():
        language = each.language
        if language and (fault := newer_language(contestant, name, language)):
            raise UsageError(fault)
    return written


def newer_language(contestant: Contestant, file: str, language: Language) -> str:
    """Return an error if a file needs a newer language than the manifest accepts."""
    requirement = contestant.manifest.requires.get(language.requirement)
    text = (contestant.folder / file).read_text(encoding="utf-8")
    needed = re.search(language.pattern, text, re.MULTILINE)
    if requirement is None or needed is None:
        return ""
    major, minor = needed[1].split(".")
    for older in range(int(minor)):
        version = f"{major}.{older}"
        if re.search(requirement.matches, language.prints.format(version=version)):
            return (
                f"{contestant.folder.name}/{file} needs {language.requirement} "
                f"{needed[1]}, but requires.{language.requirement} accepts {version}: "
                f"lock an older version of the library, or change matches in "
                f"contestant.toml"
            )
    return ""


def _contestant(folder: Path, catalog: Catalog) -> Contestant:
    """Return the contestant in a folder, or the contestant with that name."""
    manifest = folder / "contestant.toml"
    if not manifest.is_file():
        found = catalog.contestants()
        if str(folder) not in found:
            raise unknown("contestant", str(folder), found)
        return found[str(folder)]
    return parse_manifest(
        read_document(manifest),
        folder=folder.resolve(),
        kits=read_kits(catalog.root / "kits"),
    )[0]


def _run(arguments: tuple[str, ...], folder: Path) -> None:
    text = " ".join(arguments)
    command = Command(
        arguments=arguments,
        folder=folder,
        stderr_bytes_max=STDERR_BYTES_MAX,
    )
    try:
        status, output = run_to_end(command, limit_s=BUILD_LIMIT_S)
    except (OSError, TimeoutError) as error:
        raise UsageError(f"cannot run {text!r}: {error}") from error
    if status != 0:
        tail = "\n".join(output.splitlines()[-TAIL_LINES:])
        raise UsageError(f"{text!r} failed:\n{tail}")
