"""Checks whether requirements of contestants and kits are installed."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from autostrada.contestants.contestant import Requirement
from autostrada.errors import NotInstalled
from autostrada.machine.process import Command, run_to_end

LIMIT_S = 120.0
"""Time in which a program prints its version; on a busy machine a JVM takes long."""

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""Escape sequences for colours, which some programs print even into a pipe."""

Requirements = Mapping[str, Requirement]


def check(requirements: Requirements, folder: Path) -> str:
    """
    Return the first line of each requirement's output, separated by newlines.

    Raises:
        NotInstalled: a requirement is missing or has the wrong version.
    """
    lines = []
    for name, requirement in requirements.items():
        output = _output_of(requirement, folder)
        if not _is_met(requirement, output):
            found = output.splitlines()[0] if output else "nothing"
            raise NotInstalled(f"needs {name} (found {found}): {requirement.install}")
        lines.append(output.splitlines()[0])
    return "\n".join(lines)


def remedies(requirements: Requirements, folder: Path) -> tuple[str, ...]:
    """Return the remedies of all requirements that are not met."""
    return tuple(
        requirement.install
        for requirement in requirements.values()
        if not _is_met(requirement, _output_of(requirement, folder))
    )


def clear_cache() -> None:
    """Clear the cache, after an installation."""
    _run.cache_clear()


def _is_met(requirement: Requirement, output: str) -> bool:
    return bool(output and re.search(requirement.matches, output))


def _output_of(requirement: Requirement, folder: Path) -> str:
    """Return the output of a requirement's command; ``""`` if it cannot be run."""
    arguments = requirement.command
    # Commands that do not refer to a file of the folder share one cached answer.
    is_own = any((folder / argument).exists() for argument in arguments)
    return _run(arguments, folder if is_own else Path("/"))


@cache
def _run(arguments: tuple[str, ...], folder: Path) -> str:
    command = Command(arguments=arguments, folder=folder)
    try:
        output = run_to_end(command, limit_s=LIMIT_S)[1]
        return COLOURS.sub("", output).strip()
    except (OSError, TimeoutError):
        return ""
