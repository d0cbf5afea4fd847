"""Loads a server with the engine, and keeps the result for others."""

import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from autostrada.engine.messages import LoadReport
from autostrada.errors import EngineError
from autostrada.experiment.document import first_fault

SHOWN_NAME = ("autostrada", "load")
"""Names of the program and its command in the help of the engine."""


def load(
    engine: Path, arguments: Sequence[str], merged: str | None = None
) -> tuple[int, LoadReport | None]:
    """
    Run ``load`` with these arguments; return its exit status and its report.

    With ``merged`` it reports these lines of several engines as one load instead.
    The report is ``None`` if there is none, as after refused arguments.
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
    return status, read_report(text) if text else None


def read_report(text: str) -> LoadReport:
    """
    Read the document of ``load --json``.

    Raises:
        EngineError: the engine has another version.
    """
    try:
        return LoadReport.model_validate_json(text)
    except ValidationError as error:
        raise EngineError(
            f"the report is that of another version of the engine "
            f"({first_fault(error)}): run make setup"
        ) from error


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
