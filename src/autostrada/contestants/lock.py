"""What ``autostrada lock`` does: makes the lock file of a contestant's language."""

import re
import shutil
import tempfile
from pathlib import Path

from autostrada.contestants.build import BUILD_LIMIT_S, Workshop
from autostrada.contestants.catalog import Catalog, find_catalog, unknown
from autostrada.contestants.contestant import Contestant, parse_manifest
from autostrada.contestants.kit import Language, all_packages
from autostrada.errors import UsageError
from autostrada.experiment.document import read_document
from autostrada.machine.process import Command, run_to_end

_TAIL_LINES = 12
_STDERR_BYTES_MAX = 1024 * 1024


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
    packages = {
        each.file: each for each in all_packages(catalog.root / "kits") if each.lock
    }
    asked = [name for name in packages if (contestant.folder / name).is_file()]
    if not asked:
        names = ", ".join(packages)
        raise UsageError(
            f"{contestant.folder} has none of {names}: its README.md says how its "
            f"versions are locked"
        )
    written = []
    with tempfile.TemporaryDirectory(prefix="autostrada-lock-") as temporary:
        target = Path(temporary)
        Workshop.of(catalog).copy_sources(contestant, target)
        copy = target / "contestants" / contestant.folder.name
        for each in (packages[name] for name in asked):
            _run(each.lock or (), copy)
            for name in each.locked:
                if (copy / name).is_file():
                    shutil.copy2(copy / name, contestant.folder / name)
                    written.append(contestant.folder / name)
    for name in asked:
        language = packages[name].language
        if language and (complaint := newer_language(contestant, name, language)):
            raise UsageError(complaint)
    return written


def newer_language(contestant: Contestant, file: str, language: Language) -> str:
    """Say that a file needs a newer language than the manifest accepts, else ``""``."""
    requirement = contestant.manifest.requires.get(language.requirement)
    text = (contestant.folder / file).read_text(encoding="utf-8")
    asked = re.search(language.pattern, text, re.MULTILINE)
    if requirement is None or asked is None:
        return ""
    major, minor = asked[1].split(".")
    for older in range(int(minor)):
        version = f"{major}.{older}"
        if re.search(requirement.matches, language.prints.format(version=version)):
            return (
                f"{contestant.folder.name}/{file} needs {language.requirement} "
                f"{asked[1]}, but requires.{language.requirement} of contestant.toml "
                f"accepts {version}: lock an older version of the library, or change "
                f"matches"
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


def _run(words: tuple[str, ...], folder: Path) -> None:
    text = " ".join(words)
    command = Command(
        words=words,
        folder=folder,
        stderr_bytes_max=_STDERR_BYTES_MAX,
    )
    try:
        status, output = run_to_end(command, limit_s=BUILD_LIMIT_S)
    except (OSError, TimeoutError) as error:
        raise UsageError(f"cannot run {text!r}: {error}") from error
    if status != 0:
        said = "\n".join(output.splitlines()[-_TAIL_LINES:])
        raise UsageError(f"{text!r} failed:\n{said}")
