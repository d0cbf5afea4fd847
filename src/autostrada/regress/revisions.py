"""Revisions of a library's git repository, each in a folder of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.machine.process import Command, run_to_end

LIMIT_S = 120.0
"""Time limit of a git command in seconds."""


def find_commit(repository: Path, revision: str) -> str:
    """
    Return the hash of the commit that a revision names, such as ``main`` or ``HEAD~2``.

    Raises:
        UsageError: the folder is in no git repository, or it has no such revision.
    """
    _git(repository, "rev-parse", "--git-dir")
    try:
        return _git(repository, "rev-parse", "--verify", f"{revision}^{{commit}}")
    except UsageError as error:
        raise UsageError(
            f"{repository} has no revision {revision!r}: git log --oneline lists them; "
            f"fetch those that a shallow clone lacks"
        ) from error


def is_modified(repository: Path) -> bool:
    """Whether files of the checkout differ from its commit; new ones do not count."""
    return bool(_git(repository, "status", "--porcelain", "--untracked-files=no"))


@contextmanager
def checked_out(repository: Path, commit: str, folder: Path) -> Iterator[Path]:
    """
    Check out a commit into a new folder for the block.

    Yield what corresponds to ``repository``, which may be a folder of its checkout. The
    new folder is a worktree, and that checkout does not change. Hooks do not run.

    Raises:
        UsageError: git refuses.
    """
    without_hooks = ("-c", "core.hooksPath=/dev/null")
    options = ("--quiet", "--detach", "--force")
    _git(repository, *without_hooks, "worktree", "add", *options, str(folder), commit)
    try:
        yield folder / _git(repository, "rev-parse", "--show-prefix")
    finally:
        _git(repository, "worktree", "remove", "--force", str(folder))


def _git(repository: Path, *arguments: str) -> str:
    """
    Return what git prints in a repository.

    Raises:
        UsageError: it fails, or is not installed.
    """
    # Without optional locks, the index of the repository is not refreshed.
    path = str(repository.absolute())
    words = ("git", "--no-optional-locks", "-C", path, *arguments)
    try:
        status, output = run_to_end(
            Command(arguments=words, folder=Path.cwd()), limit_s=LIMIT_S
        )
    except (OSError, TimeoutError) as error:
        raise UsageError(f"cannot run git: {error}: apt install git") from error
    if status:
        _, _, last = output.rpartition("\n")
        raise UsageError(f"--git {repository}: {last}")
    return output
