"""Finds the programs that are started."""

import os
import shutil
from pathlib import Path

from autostrada.errors import UsageError

PACKAGES = {
    "ip": "iproute2",
    "perf": "linux-perf",
    "prlimit": "util-linux",
    "setarch": "util-linux",
    "setpriv": "util-linux",
    "tc": "iproute2",
}
"""Debian packages of programs, where the names differ."""


def is_executable(program: str, folder: Path) -> bool:
    """Whether a program exists: a path relative to ``folder``, or a name in PATH."""
    if "/" in program:
        return os.access(folder / program, os.X_OK)
    return shutil.which(program) is not None


def find_program(name: str) -> str:
    """
    Return the path of a program in PATH.

    Raises:
        UsageError: it is not installed; the message names its Debian package.
    """
    found = shutil.which(name)
    if found is None:
        package = PACKAGES.get(name, name)
        raise UsageError(f"{name} is missing: apt install {package}")
    return found
