"""Runs the engine as a process: finds it, sends it a plan, and reads its lines."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autostrada.errors import EngineError, UsageError
from autostrada.machine.process import (
    Command,
    LineTooLongError,
    RunningProgram,
)

LINE_BYTES_MAX = 4 * 1024 * 1024
"""Longest line of the engine: a result has the buckets of many histograms."""

LIMIT_S = 30.0
"""Default time to wait for a line."""

Document = Mapping[str, Any]
"""A JSON object: a plan, a command, or a line of output."""


def find_engine() -> Path:
    """
    Return the path of the engine, in the folder of this Python or in ``PATH``.

    Raises:
        UsageError: it is not built.
    """
    sibling = Path(sys.executable).with_name("autostrada-engine")
    if os.access(sibling, os.X_OK):
        return sibling
    found = shutil.which("autostrada-engine")
    if found is None:
        raise UsageError("autostrada-engine is not built: run make setup")
    return Path(found)


def engine_version(engine: Path) -> str:
    """
    Return the version of the engine, with the commit of its build.

    Raises:
        EngineError: the engine does not run.
    """
    answer = subprocess.run(
        [engine, "--version"], capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        raise EngineError(f"{engine} does not run: {answer.stderr.strip()}")
    return answer.stdout.strip().removeprefix("autostrada-engine ")


def serve_arguments(engine: Path) -> list[str]:
    """Return the command line of a server, which reads its plan from stdin."""
    return [str(engine), "serve", "--plan"]


def load_arguments(engine: Path) -> list[str]:
    """Return the command line of a client, which reads its plan from stdin."""
    return [str(engine), "load", "--plan", "-"]


def observe_arguments(engine: Path) -> list[str]:
    """Return the command line of an observer, which reads its plan from stdin."""
    return [str(engine), "observe"]


def engine_command(
    arguments: Sequence[str], cpus: frozenset[int] | None, output: int | None = None
) -> Command:
    """Return the command of an engine; with ``output`` it is not a measured process."""
    return Command(
        arguments=arguments,
        folder=Path(),
        cpus=cpus,
        line_bytes_max=LINE_BYTES_MAX,
        output=output,
        is_measured=output is None,
    )


def send_document(process: RunningProgram, document: Document) -> None:
    """Write a plan or a command to a process's stdin."""
    process.send(json.dumps(document) + "\n")


def read_event(
    process: RunningProgram, event: str, limit_s: float = LIMIT_S
) -> Document:
    """
    Return the next line of a process with this event; skip all others.

    Raises:
        EngineError: the output ends or is invalid, or ``limit_s`` has passed.
    """
    deadline_s = time.monotonic() + limit_s
    while True:
        try:
            text = process.read_line(deadline_s)
            if text is None:
                process.wait(deadline_s)
                raise EngineError(f"engine ended: {process.stderr_tail}")
            document = json.loads(text)
        except (TimeoutError, LineTooLongError, ValueError) as error:
            raise EngineError(f"engine printed no {event}: {error!r}") from error
        if isinstance(document, dict) and document.get("event") == event:
            return document
