"""The two sides of a comparison: how each is found, named and built."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import Catalog, unknown
from autostrada.contestants.contestant import (
    Contestant,
    content_digest,
    parse_manifest,
)
from autostrada.contestants.kit import read_kits
from autostrada.errors import BuildFailed, ContestantError, UsageError
from autostrada.experiment.document import read_document
from autostrada.regress.library import find_contestant, with_folder, with_version
from autostrada.regress.revisions import checked_out, find_commit, is_modified

COMMIT_DIGITS = 12
"""Number of digits of a commit's hash in the name of a side."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RegressSide:
    """A side: what it is called, and the contestant that is built and run."""

    label: str
    contestant: Contestant
    version: str | None = None
    """Version, or commit, of the library; ``None`` for the locked one."""


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
    sides = [_find_side(text, catalog) for text in texts]
    expect_sameness(sides, is_same=is_same)
    replaced = [
        side
        if side.version is None
        else replace(side, contestant=with_version(side.contestant, side.version))
        for side in sides
    ]
    with tempfile.TemporaryDirectory(prefix="autostrada-regress-") as folder:
        yield _with_names(replaced, Path(folder))


@contextmanager
def find_revisions(
    repository: Path,
    texts: Sequence[str],
    name: str | None,
    catalog: Catalog,
    *,
    is_same: bool,
) -> Iterator[tuple[RegressSide, RegressSide]]:
    """
    Find two revisions of a library's repository, which are checked out for the block.

    ``name`` is the contestant that measures the library; ``None`` for the only one.

    Raises:
        UsageError: a revision or contestant does not exist, the contestant has another
            library, or both revisions are the same commit contrary to ``is_same``.
    """
    contestants = catalog.contestants()
    if name is not None and name not in contestants:
        raise unknown("contestant", name, contestants)
    head = find_commit(repository, "HEAD")
    modified = head if is_modified(repository) else None
    commits = [find_commit(repository, text) for text in texts]
    labels = [
        f"{text} (without uncommitted changes)" if commit == modified else text
        for text, commit in zip(texts, commits, strict=True)
    ]
    with ExitStack() as stack:
        links = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folders = {
            commit: stack.enter_context(checked_out(repository, commit, links / commit))
            for commit in dict.fromkeys(commits)
        }
        sides = []
        for label, commit in zip(labels, commits, strict=True):
            found = (
                contestants[name]
                if name is not None
                else find_contestant(folders[commit], contestants)
            )
            side = RegressSide(
                label=label,
                contestant=with_folder(found, folders[commit]),
                version=commit[:COMMIT_DIGITS],
            )
            sides.append(side)
        expect_sameness(sides, is_same=is_same)
        yield _with_names(sides, links)


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


def expect_sameness(sides: Sequence[RegressSide], *, is_same: bool) -> None:
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
        for side in sides
    )
    if is_same and one != other:
        raise UsageError("--same is for one side given twice: omit it, or give A A")
    if one == other and not is_same:
        labels = " and ".join(side.label for side in sides)
        raise UsageError(
            f"{labels} are the same: give another side, or --same to test the "
            f"measurement itself"
        )


def _with_names(
    sides: Sequence[RegressSide], folder: Path
) -> tuple[RegressSide, RegressSide]:
    """Return the sides with different names, by links in a folder."""
    first, second = (
        side if side.version is None else _rename(side, folder, f"=={side.version}")
        for side in sides
    )
    if first.contestant.name == second.contestant.name:
        first = _rename(first, folder, "-before")
        second = _rename(second, folder, "-after")
    return first, second


def _rename(side: RegressSide, folder: Path, suffix: str) -> RegressSide:
    """Return a side whose contestant's name has a suffix, by a link to its folder."""
    own = side.contestant.folder
    link = folder / f"{own.name}{suffix}"
    if not link.is_symlink():
        link.symlink_to(own)
    return replace(side, contestant=replace(side.contestant, folder=link))
