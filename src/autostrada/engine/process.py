"""The engine as a process: found, started with a plan, and read line by line."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from autostrada.engine.messages import Ready
from autostrada.errors import EngineError, UsageError
from autostrada.machine.process import Command, LineTooLongError, Process

LINE_BYTES_MAX = 4 * 1024 * 1024
"""A result has the buckets of many histograms."""

LIMIT_S = 30.0
"""How long a line is waited for, where nothing else is said."""

Document = Mapping[str, Any]
"""A plan, a command, or a line."""


def find_engine() -> Path:
    """
    Return the engine's program: beside this Python, or on the path.

    Raises:
        UsageError: it is not there.
    """
    beside = Path(sys.executable).with_name("autostrada-engine")
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which("autostrada-engine")
    if found is None:
        raise UsageError("autostrada-engine is not built: make setup")
    return Path(found)


def engine_version(engine: Path) -> str:
    """Return the version that the engine reports, with the commit of its build."""
    answer = subprocess.run(
        [engine, "--version"], capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        raise EngineError(f"{engine} does not run: {answer.stderr.strip()}")
    return answer.stdout.strip().removeprefix("autostrada-engine ")


def serve_words(engine: Path) -> list[str]:
    """Return how the engine is called as a server: its plan is on stdin."""
    return [str(engine), "serve", "--plan"]


def load_words(engine: Path) -> list[str]:
    """Return how the engine is called as a client: its plan is on stdin."""
    return [str(engine), "load"]


def observe_words(engine: Path) -> list[str]:
    """Return how the engine is called as an observer: its plan is on stdin."""
    return [str(engine), "observe"]


def engine_command(
    words: Sequence[str], cpus: frozenset[int] | None, output: int | None = None
) -> Command:
    """Return how the engine is started; an observer writes to a file, unmeasured."""
    return Command(
        words=words,
        folder=Path(),
        cpus=cpus,
        line_bytes_max=LINE_BYTES_MAX,
        output=output,
        is_measured=output is None,
    )


def send_document(process: Process, document: Document) -> None:
    """Write a plan or a command to a process's stdin."""
    process.send(json.dumps(document) + "\n")


class PlannedProcess:
    """A process that is configured by a plan, and answers in JSON lines."""

    def __init__(self, process: Process) -> None:
        self.process = process

    @property
    def pid(self) -> int:
        """Its process."""
        return self.process.pid

    def send(self, document: Document) -> None:
        """Write a plan or a command to its stdin."""
        send_document(self.process, document)

    def line(self, event: str, limit_s: float = LIMIT_S) -> Document:
        """
        Return its next line of a kind; others are left out.

        Raises:
            EngineError: it ends before, or takes too long.
        """
        deadline_s = time.monotonic() + limit_s
        while True:
            try:
                text = self.process.read_line(deadline_s)
                if text is None:
                    self.process.wait(deadline_s)
                    raise EngineError(f"engine ended: {self.process.stderr_tail}")
                document = json.loads(text)
            except (TimeoutError, LineTooLongError, ValueError) as error:
                raise EngineError(f"engine printed no {event}: {error!r}") from error
            if isinstance(document, dict) and document.get("event") == event:
                return document

    def ready(self) -> Ready:
        """
        Return its first line; a server listens from then on.

        Raises:
            EngineError: it does not get ready.
        """
        return Ready.model_validate(self.line("ready"))

    def wait(self) -> int:
        """Wait for its end; return its status. What it has used is known then."""
        return self.process.wait(time.monotonic() + LIMIT_S)


@contextmanager
def planned(
    words: Sequence[str], plan: Document, *, cpus: frozenset[int] | None = None
) -> Iterator[PlannedProcess]:
    """Run a program of ours with a plan: the engine, or a peer of it."""
    with Process(engine_command(words, cpus)) as process:
        started = PlannedProcess(process)
        started.send(plan)
        yield started
