"""Loads a server with the engine, and keeps the result for others."""

import json
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SHOWN_NAME = ("autostrada", "load")
"""Names of the program and its command in the help of the engine."""


def load(
    engine: Path, arguments: Sequence[str], merged: str | None = None
) -> tuple[int, dict[str, Any] | None]:
    """
    Run ``load`` with these arguments; return its exit status and its result.

    With ``merged`` it reports these lines of several engines as one load instead.
    The result is ``None`` if there is none, as after refused arguments.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "result.json")
        merging = [] if merged is None else ["--merge", "-"]
        with (
            subprocess.Popen(
                [*SHOWN_NAME, *arguments, *merging, "--result", file],
                executable=engine,
                stdin=None if merged is None else subprocess.PIPE,
                text=True,
            ) as process,
            _signals_left_to(process),
        ):
            process.communicate(merged)
            status = process.returncode
        text = file.read_text(encoding="utf-8") if file.exists() else ""
    return status, json.loads(text) if text else None


@contextmanager
def _signals_left_to(process: subprocess.Popen[str]) -> Iterator[None]:
    """
    Leave signals to the engine, which then reports what it has measured.

    Ctrl-C reaches both processes, SIGTERM only this one.
    """
    handlers = {
        signal.SIGINT: lambda *_: None,
        signal.SIGTERM: lambda number, _: process.send_signal(number),
    }
    before = {each: signal.signal(each, handler) for each, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
