"""The version of this installation, with the commit that it was made of."""

import json
import subprocess
from importlib.metadata import distribution
from pathlib import Path

COMMIT_DIGITS = 12


def version() -> str:
    """
    Return the version with its commit, as the engine does: ``0.1.0 (fe233e0f1a2b)``.

    A plus sign behind the commit means that files differ from it. Of a package that
    was installed from no repository, there is the version alone.
    """
    installed = distribution("autostrada")
    commit = _commit_of(Path(__file__).parents[3]) or _installed_commit(
        installed.read_text("direct_url.json")
    )
    return f"{installed.version} ({commit})" if commit else installed.version


def _commit_of(root: Path) -> str:
    """Return the commit of a checkout, ``""`` where there is none, or no git."""
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
    """Return the commit that pip noted (PEP 610), ``""`` where there is none."""
    if direct_url is None:
        return ""
    noted = json.loads(direct_url).get("vcs_info", {})
    return str(noted.get("commit_id", ""))[:COMMIT_DIGITS]
