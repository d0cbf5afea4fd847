"""Finds the programs that are started."""

import os
import shutil
from pathlib import Path

from autostrada.errors import UsageError


def is_executable(program: str, folder: Path) -> bool:
    """Whether a program exists: a path relative to ``folder``, or a name in PATH."""
    if "/" in program:
        return os.access(folder / program, os.X_OK)
    return shutil.which(program) is not None


def find_setpriv() -> str:
    """
    Return the path of setpriv, which makes the kernel kill children with their parent.

    Raises:
        UsageError: it is not installed.
    """
    found = shutil.which("setpriv")
    if found is None:
        raise UsageError("setpriv is missing: apt install util-linux")
    return found
