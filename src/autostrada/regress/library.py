"""What replaces the library in a contestant's build: another version, or a folder."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.contestants.contestant import Build, Command, Contestant
from autostrada.errors import UsageError

CONFIGURE_CARGO = 'cargo add --quiet --path "$1" "$0" && cargo update --workspace'
"""Replaces a dependency, and in the lock file only what depends on it."""


INSTALL_JAR = """
mvn -q -B -f "$1" -DskipTests package && rm -f lib/"$0"-[0-9]*.jar &&
cp "$(ls "$1/target/$0"-[0-9]*.jar | grep -v -e sources -e javadoc -e with-dep)" lib/
"""
"""Replaces the jar of an artifact by that of a folder."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Replacement:
    """How a package of a language is named, and replaced in a build."""

    file: str
    """The file of a package's folder that has its name."""

    name: str
    """Regular expression of the name in this file."""

    commands: tuple[Command, ...] = ()
    """They replace ``{package}`` by ``{requirement}``: a version, or a folder."""

    prefix: Command = ()
    """Precedes each command of the build, with ``{requirement}`` as well."""

    version: str = ""
    """The requirement of a ``{version}``; empty if there can be none."""

    is_compiled: bool = False
    """Whether the build compiles the library, so that it is replaced before."""


REPLACEMENTS: Mapping[str, Replacement] = {
    "python": Replacement(
        file="pyproject.toml",
        name=r"""^name\s*=\s*["']([^"']+)""",
        commands=(("venv/bin/pip", "install", "{requirement}"),),
        version="{package}=={version}",
    ),
    "javascript": Replacement(
        file="package.json",
        name=r'"name"\s*:\s*"([^"]+)"',
        commands=(
            (
                *("npm", "install", "--no-save", "--ignore-scripts"),
                *("--install-links", "{requirement}"),
            ),
        ),
        version="{package}@{version}",
    ),
    "go": Replacement(
        file="go.mod",
        name=r"^module\s+(\S+)",
        commands=(
            ("go", "mod", "edit", "-replace={package}={requirement}"),
            ("go", "mod", "tidy"),
        ),
        is_compiled=True,
    ),
    "rust": Replacement(
        file="Cargo.toml",
        name=r'^name\s*=\s*"([^"]+)"',
        commands=(("sh", "-c", CONFIGURE_CARGO, "{package}", "{requirement}"),),
        is_compiled=True,
    ),
    "java": Replacement(
        file="pom.xml",
        name=r"(?s)<modelVersion>(?:.*?</parent>)?.*?<artifactId>\s*([\w.-]+)",
        commands=(("sh", "-c", INSTALL_JAR, "{package}", "{requirement}"),),
    ),
    # Libraries of headers alone.
    "cpp": Replacement(
        file="CMakeLists.txt",
        name=r"^\s*project\s*\(\s*(?:boost_)?([\w-]+)",
        prefix=("env", "CPLUS_INCLUDE_PATH={requirement}:{requirement}/include"),
    ),
}
"""By kit; versions of compiled libraries need a folder of their own."""


def with_version(contestant: Contestant, version: str) -> Contestant:
    """
    Return a contestant whose build replaces the library by another version.

    Raises:
        UsageError: it is not known how its language does that.
    """
    replacement = REPLACEMENTS.get(contestant.kit)
    if replacement is None or not (replacement.version and version):
        known = sorted(name for name, each in REPLACEMENTS.items() if each.version)
        raise UsageError(
            f"{contestant.folder.name}=={version}: a version can be given of "
            f"contestants in {' and '.join(known)}: give a folder with that version"
        )
    library = contestant.manifest.library
    requirement = replacement.version.format(package=library, version=version)
    return _replaced(contestant, replacement, library, requirement)


def with_folder(contestant: Contestant, folder: Path) -> Contestant:
    """
    Return a contestant whose build replaces the library by a folder with its source.

    Raises:
        UsageError: the folder has another library.
    """
    package = package_name(folder, contestant.kit)
    if package is None or not _is_library(package, contestant):
        raise UsageError(
            f"{contestant.name} measures {contestant.manifest.library}, but the "
            f"repository has {package or 'no package in its language'}: name a "
            f"contestant with its library"
        )
    return _replaced(contestant, REPLACEMENTS[contestant.kit], package, str(folder))


def find_contestant(folder: Path, contestants: Mapping[str, Contestant]) -> Contestant:
    """
    Return the contestant whose library is that of a folder.

    Raises:
        UsageError: there is not exactly one without a variant; the message names them.
    """
    found = [
        contestant
        for contestant in contestants.values()
        if contestant.variant is None
        and (package := package_name(folder, contestant.kit))
        and _is_library(package, contestant)
    ]
    if len(found) == 1:
        return found[0]
    names = ", ".join(contestant.name for contestant in found)
    raise UsageError(
        f"{folder} is the library of {names or 'no contestant'}: name one after the "
        f"revisions (autostrada list shows all)"
    )


def package_name(folder: Path, kit: str) -> str | None:
    """Return the name of the package in a folder; ``None`` if it has none of a kit."""
    replacement = REPLACEMENTS.get(kit)
    if replacement is None or not (folder / replacement.file).is_file():
        return None
    text = (folder / replacement.file).read_text(encoding="utf-8", errors="replace")
    found = re.search(replacement.name, text, re.MULTILINE)
    return found[1] if found else None


def _is_library(package: str, contestant: Contestant) -> bool:
    """
    Whether a package is a contestant's library.

    Its path may end with the library's name, or it may have that of its repository.
    """
    name = re.sub(r"/v\d+$", "", package)
    repository = contestant.manifest.homepage.rpartition("/")[2]
    return name == repository or f"/{name}".endswith(f"/{contestant.manifest.library}")


def _replaced(
    contestant: Contestant, replacement: Replacement, package: str, requirement: str
) -> Contestant:
    """Return a contestant with further commands in its build."""

    def filled(command: Command) -> Command:
        return tuple(
            word.replace("{package}", package).replace("{requirement}", requirement)
            for word in command
        )

    more = tuple(map(filled, replacement.commands))
    prefix = filled(replacement.prefix)
    own = tuple((*prefix, *command) for command in contestant.build.commands)
    commands = (*more, *own) if replacement.is_compiled else (*own, *more)
    build = Build(commands=commands)
    manifest = contestant.manifest
    builds = dict.fromkeys(manifest.builds, build)
    changed = manifest.model_copy(update={"build": build, "builds": builds})
    return replace(contestant, manifest=changed)
