"""A contestant's program in a test: how it is started, and what it has said."""

import json
import time
from dataclasses import dataclass

from autostrada.machine.process import Command, Process

LIMIT_S = 60

# A program that runs for a second or two does not earn back what its machine's
# optimizing compiler costs, and need not compile a module that the one before it has
# compiled, whatever a developer prefers. What a contestant sets itself overrules it.
QUICK_START = {
    "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1",
    "DOTNET_TieredPGO": "0",
    "PYTHONDONTWRITEBYTECODE": "",
}
NOTICE = f"Picked up JAVA_TOOL_OPTIONS: {QUICK_START['JAVA_TOOL_OPTIONS']}"


@dataclass(frozen=True)
class Finished:
    """All that a program has said."""

    status: int
    lines: list[str]
    stderr: str

    @property
    def result(self):
        return json.loads(self.lines[-1])


def start(contestant, built, role, environment):
    """Start a client or a server."""
    return Process(
        Command(
            words=contestant.words(role),
            folder=built.folder,
            environment=QUICK_START | contestant.environment(role) | environment,
        )
    )


def finish(process):
    """Wait for its end; return all that it has said and nobody has read."""
    deadline_s = time.monotonic() + LIMIT_S
    lines = []
    while (line := process.read_line(deadline_s)) is not None:
        lines.append(line)
    status = process.wait(deadline_s)
    # The machine's own line, which says what it has been told here.
    said = process.stderr_tail.removeprefix(NOTICE).lstrip()
    return Finished(status, lines, said)
