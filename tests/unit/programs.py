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


def read_all(process, deadline_s):
    """Return the lines that a program prints until its end."""
    return list(iter(lambda: process.read_line(deadline_s), None))


def fake_engine(folder, script):
    """Return the path of an engine that runs a script in Python."""
    program = folder / "engine"
    program.write_text(f"#!{sys.executable}\n{script}")
    program.chmod(0o755)
    return program


def shell(script, **settings):
    return started("sh", "-c", script, **settings)
