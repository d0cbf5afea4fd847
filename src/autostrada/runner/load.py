"""Loads a server with the engine, and keeps the result for others."""

import json
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from autostrada.errors import UsageError

JSON_OPTION = "--json"
WRONG_USAGE = 2


def load(engine: Path, arguments: Sequence[str]) -> tuple[int, dict[str, Any] | None]:
    """
    Run ``load`` with these arguments; return its exit status and its result.

    The result is ``None`` if the engine has refused the arguments.

    Raises:
        UsageError: the result is to be printed, so that nobody else can have it.
    """
    with tempfile.TemporaryDirectory() as folder:
        given = _json_path(arguments)
        file = given or Path(folder, "load.json")
        further = [] if given else [JSON_OPTION, str(file)]
        with (
            subprocess.Popen([engine, "load", *arguments, *further]) as process,
            _signals_left_to(process),
        ):
            status = process.wait()
        if status == WRONG_USAGE or not file.exists():
            return status, None
        text = file.read_text(encoding="utf-8")
    return status, json.loads(text) if text else None


def _json_path(arguments: Sequence[str]) -> Path | None:
    """Return the file of ``--json``; ``None`` without one."""
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == JSON_OPTION:
            path = value if equals else following
            if path == "-":
                raise UsageError("--json - and --html exclude each other: name a file")
            return Path(path)
    return None


@contextmanager
def _signals_left_to(process: subprocess.Popen[bytes]) -> Iterator[None]:
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
