"""A contestant's program in a test: how it is started, and its output."""

import json
import time
from dataclasses import dataclass

from autostrada.machine.process import Command, Process

LIMIT_S = 120

# A program that runs for a second or two does not regain the cost of the optimizing
# compiler, and does not need to compile modules that an earlier one has cached,
# whatever a developer's settings. A contestant's own environment has precedence.
QUICK_START = {
    "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1",
    "DOTNET_TieredPGO": "0",
    "PYTHONDONTWRITEBYTECODE": "",
}
NOTICE = f"Picked up JAVA_TOOL_OPTIONS: {QUICK_START['JAVA_TOOL_OPTIONS']}"


@dataclass(frozen=True)
class Finished:
    """The whole output of a program, and its exit status."""

    status: int
    lines: list[str]
    stderr: str

    @property
    def result(self):
        return json.loads(self.lines[-1])


def start(contestant, built, role, environment, *, published=False):
    """Start a client or a server; ``published``: that of a published comparison."""
    program = contestant.program(role, published=published)
    given = contestant.environment(program)
    return Process(
        Command(
            arguments=program.command,
            folder=built.folder,
            environment=QUICK_START | given | environment,
        )
    )


def finish(process):
    """Wait for a program's end; return its status and unread output."""
    deadline_s = time.monotonic() + LIMIT_S
    lines = []
    while (line := process.read_line(deadline_s)) is not None:
        lines.append(line)
    status = process.wait(deadline_s)
    # The JVM's notice about the options that were passed to it.
    stderr = process.stderr_tail.removeprefix(NOTICE).lstrip()
    return Finished(status, lines, stderr)


def cpu_ns(pid):
    """Return the CPU time of a process: clock_getcpuclockid(3)."""
    return time.clock_gettime_ns((~pid << 3) | 2)
