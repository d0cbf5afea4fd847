"""What a machine must have: whether it has it, and the remedy."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from autostrada.contestants.contestant import Requirement
from autostrada.errors import NotInstalled
from autostrada.machine.process import Command, run_to_end

LIMIT_S = 20.0
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""Some programs colour what they print whoever reads it."""

Requirements = Mapping[str, Requirement]


def check(requirements: Requirements, folder: Path) -> str:
    """
    Return what the requirements' commands print, one line each.

    Raises:
        NotInstalled: one of them is not there, or is too old.
    """
    lines = []
    for name, requirement in requirements.items():
        output = _ask(requirement, folder)
        if not _is_met(requirement, output):
            found = output.splitlines()[0] if output else "nothing"
            raise NotInstalled(f"needs {name} (found {found}): {requirement.install}")
        lines.append(output.splitlines()[0])
    return "\n".join(lines)


def remedies(requirements: Requirements, folder: Path) -> tuple[str, ...]:
    """Return the remedy for each requirement that this machine does not meet."""
    return tuple(
        requirement.install
        for requirement in requirements.values()
        if not _is_met(requirement, _ask(requirement, folder))
    )


def forget() -> None:
    """Ask anew from now on: something may have been installed."""
    _answer.cache_clear()


def _is_met(requirement: Requirement, output: str) -> bool:
    return bool(output and re.search(requirement.matches, output))


def _ask(requirement: Requirement, folder: Path) -> str:
    """Return what a requirement's command prints; nothing, where it cannot be run."""
    words = requirement.command
    # Of programs that look at no file of the folder, one answer is everybody's.
    is_own = any((folder / word).exists() for word in words)
    return _answer(words, folder if is_own else Path("/"))


@cache
def _answer(words: tuple[str, ...], folder: Path) -> str:
    command = Command(words=words, folder=folder)
    try:
        output = run_to_end(command, limit_s=LIMIT_S)[1]
        return COLOURS.sub("", output).strip()
    except (OSError, TimeoutError):
        return ""
