"""The two sides of a comparison: how each is found, named and built."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import Catalog, unknown
from autostrada.contestants.contestant import (
    Build,
    Command,
    Contestant,
    content_digest,
    parse_manifest,
)
from autostrada.contestants.kit import read_kits
from autostrada.errors import BuildFailed, ContestantError, UsageError
from autostrada.experiment.document import read_document

VERSIONS: Mapping[str, Command] = {
    "python": ("venv/bin/pip", "install", "{library}=={version}"),
    "javascript": (
        *("npm", "install", "--no-save", "--ignore-scripts"),
        "{library}@{version}",
    ),
}
"""By kit, the command that replaces the library of a build by another version."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RegressSide:
    """A side: what the user calls it, and the contestant that is built and run."""

    label: str
    contestant: Contestant
    version: str | None = None
    """Version that replaces that of the library; ``None`` for the locked one."""


@contextmanager
def find_sides(
    texts: Sequence[str], catalog: Catalog, *, is_same: bool
) -> Iterator[tuple[RegressSide, RegressSide]]:
    """
    Find both sides, each the name of a contestant, ``NAME==VERSION``, or a folder.

    A folder has a manifest. The sides have different names: one that is not in the
    catalog under its own name has a link to its folder, which lasts for the block.
    ``is_same`` says that both are meant to be the same.

    Raises:
        UsageError: a side does not exist or has no such version, or they are the same
            contrary to ``is_same``.
    """
    before, after = (_find_side(text, catalog) for text in texts)
    _expect_sameness(before, after, is_same=is_same)
    with tempfile.TemporaryDirectory(prefix="autostrada-regress-") as folder:
        first, second = (_with_version(side, Path(folder)) for side in (before, after))
        if first.contestant.name == second.contestant.name:
            first = _rename(first, Path(folder), "-before")
            second = _rename(second, Path(folder), "-after")
        yield first, second


def build_sides(
    sides: Sequence[RegressSide], builder: Builder, announce: Callable[[str], None]
) -> None:
    """
    Build both sides, unless they are.

    Raises:
        UsageError: a toolchain is missing, or a build fails; the message ends with the
            last lines of the command that failed.
    """
    for side in sides:
        try:
            builder.build(side.contestant, announce=announce)
        except BuildFailed as error:
            tail = f"\n{error.stderr_tail}" if error.stderr_tail else ""
            raise UsageError(f"{side.label}: {error}{tail}") from error
        except ContestantError as error:
            raise UsageError(f"{side.label}: {error}") from error


def _find_side(text: str, catalog: Catalog) -> RegressSide:
    """Return a side whose contestant has its own name."""
    if "/" in text or text in {".", ".."}:
        return RegressSide(label=text, contestant=_of_folder(Path(text), catalog))
    name, equals, version = text.partition("==")
    contestants = catalog.contestants()
    if name not in contestants:
        raise unknown("contestant", name, contestants)
    return RegressSide(
        label=text,
        contestant=contestants[name],
        version=version if equals else None,
    )


def _of_folder(path: Path, catalog: Catalog) -> Contestant:
    manifest = path / "contestant.toml"
    if not manifest.is_file():
        raise UsageError(
            f"{path} has no contestant.toml: give a contestant's folder, or a name of "
            f"autostrada list"
        )
    text, kits = read_document(manifest), read_kits(catalog.root / "kits")
    return parse_manifest(text, folder=path.resolve(), kits=kits)[0]


def _expect_sameness(before: RegressSide, after: RegressSide, *, is_same: bool) -> None:
    """
    Check that the sides are the same if that is wanted, and else that they are not.

    Raises:
        UsageError: it is not so; the message names the option.
    """
    one, other = (
        (
            content_digest({"": side.contestant.folder}),
            side.contestant.variant,
            side.version,
        )
        for side in (before, after)
    )
    if is_same and one != other:
        raise UsageError("--same is for one side given twice: omit it, or give A A")
    if one == other and not is_same:
        raise UsageError(
            f"{before.label} and {after.label} are the same: give another side, or "
            f"--same to test the measurement itself"
        )


def _rename(side: RegressSide, folder: Path, suffix: str) -> RegressSide:
    """Return a side whose contestant's name has a suffix, by a link to its folder."""
    own = side.contestant.folder
    link = folder / f"{own.name}{suffix}"
    link.symlink_to(own)
    return replace(side, contestant=replace(side.contestant, folder=link))


def _with_version(side: RegressSide, folder: Path) -> RegressSide:
    """
    Return a side whose build replaces the library by the version of its label.

    Raises:
        UsageError: it is not known how its language does that.
    """
    if side.version is None:
        return side
    contestant, manifest = side.contestant, side.contestant.manifest
    command = VERSIONS.get(contestant.kit)
    if command is None or not side.version:
        raise UsageError(
            f"{side.label}: a version can be given of contestants in "
            f"{' and '.join(sorted(VERSIONS))}: give a folder with that version"
        )
    named = {"library": manifest.library, "version": side.version}
    more = tuple(word.format_map(named) for word in command)
    build = Build(commands=(*contestant.build.commands, more))
    builds = dict.fromkeys(manifest.builds, build)
    changed = manifest.model_copy(update={"build": build, "builds": builds})
    pinned = replace(side, contestant=replace(contestant, manifest=changed))
    return _rename(pinned, folder, f"=={side.version}")
