"""The version of this installation, with the commit that it was built from."""

import json
import subprocess
from importlib.metadata import distribution
from pathlib import Path

COMMIT_DIGITS = 12


def version() -> str:
    """
    Return the version with its commit, as the engine does: ``0.1.0 (fe233e0f1a2b)``.

    A plus sign after the commit means that tracked files differ from it. A package that
    was not installed from a repository has no commit.
    """
    installed = distribution("autostrada")
    commit = _commit_of(Path(__file__).parents[3]) or _installed_commit(
        installed.read_text("direct_url.json")
    )
    return f"{installed.version} ({commit})" if commit else installed.version


def _commit_of(root: Path) -> str:
    """Return the commit of a checkout; ``""`` without a checkout or git."""
    if not (root / ".git").exists():
        return ""
    commit = _git(root, "rev-parse", f"--short={COMMIT_DIGITS}", "HEAD")
    if not commit:
        return ""
    is_changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    return commit + "+" * bool(is_changed)


def _git(root: Path, *arguments: str) -> str:
    try:
        ended = subprocess.run(
            ["git", "-C", root, *arguments], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return ended.stdout.strip() if ended.returncode == 0 else ""


def _installed_commit(direct_url: str | None) -> str:
    """Return the commit that pip recorded (PEP 610); ``""`` if there is none."""
    if direct_url is None:
        return ""
    origin = json.loads(direct_url).get("vcs_info", {})
    return str(origin.get("commit_id", ""))[:COMMIT_DIGITS]
