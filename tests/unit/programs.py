"""Programs, also in Python and of the shell, as processes."""

import sys
from pathlib import Path

from autostrada.machine.process import Command, Process


def started(*arguments, **settings):
    """Start a program; ``settings`` are those of its command."""
    command = Command(
        arguments=[str(each) for each in arguments], folder=Path("/"), **settings
    )
    return Process(command)


def python(code, *arguments, **settings):
    return started(sys.executable, "-c", code, *arguments, **settings)


def shell(script, **settings):
    return started("sh", "-c", script, **settings)
