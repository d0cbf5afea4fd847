"""
Reads the lines that a process of a trial prints, and its exit: docs/contract.md, 3.3.

A contestant that breaks its contract is recorded as a failure.
"""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from autostrada.errors import (
    ContestantError,
    Crashed,
    InvalidOutput,
    LeftBehind,
    TimedOut,
)
from autostrada.experiment.document import first_fault
from autostrada.machine.process import LineTooLongError, RunningProgram
from autostrada.workloads.report import START_S_MAX, SecondReport

EXIT_LIMIT_S = 5.0
"""
Time in which a client must exit after it has printed its result, and in which the
output of one that has exited must end.
"""


Result = TypeVar("Result", bound=BaseModel)


@dataclass(slots=True)
class Received(Generic[Result]):
    """Everything that a client has printed."""

    result: Result
    seconds: list[SecondReport]


def receive(
    process: RunningProgram,
    deadline_s: float,
    result: type[Result],
    note: Callable[[SecondReport], None] = lambda _: None,
) -> Received[Result]:
    """
    Read a client's lines up to its result, a document of the type ``result``.

    ``note`` is called with the report of each second as soon as it is read.
    ``deadline_s`` is a monotonic time.

    Raises:
        ContestantError: the client prints invalid output, ends without a result or
            does not print it by the deadline.
    """
    seconds: list[SecondReport] = []
    seconds_max = START_S_MAX + deadline_s - time.monotonic()
    while True:
        line = _read(process, deadline_s)
        event = parse_line(line, result)
        if isinstance(event, result):
            return Received(event, seconds)
        if isinstance(event, SecondReport):
            # Limits the list: a client must not be able to exhaust the memory.
            if event.second != len(seconds) or event.second > seconds_max:
                raise InvalidOutput(f"printed {line[:80]!r} as second {len(seconds)}")
            seconds.append(event)
            note(event)


def next_line(
    process: RunningProgram, deadline_s: float, event: type[Result]
) -> Result:
    """Return the next line of the engine that is of a type; skip those before it."""
    while True:
        line = _read(process, deadline_s)
        with suppress(ValidationError):
            return event.model_validate_json(line)


def _read(process: RunningProgram, deadline_s: float) -> str:
    try:
        line = _line_of_running(process, deadline_s)
    except TimeoutError as error:
        raise _out_of_time(process) from error
    except LineTooLongError as error:
        raise InvalidOutput("printed a line without an end") from error
    if line is None:
        raise _ended_without_result(process, deadline_s)
    return line


def _line_of_running(process: RunningProgram, deadline_s: float) -> str | None:
    """Return the next line; await it no longer than ``EXIT_LIMIT_S`` after the exit."""
    while (step_s := time.monotonic() + EXIT_LIMIT_S) < deadline_s:
        is_running = process.status() is None
        try:
            return process.read_line(step_s)
        except TimeoutError:
            if not is_running:
                raise
    return process.read_line(deadline_s)


def parse_line(line: str, result: type[Result]) -> SecondReport | Result | None:
    """
    Parse one line of a client; return ``None`` for the event ``ready``.

    Raises:
        InvalidOutput: the contract does not define such a line.
    """
    try:
        document = json.loads(line)
        event = document.get("event")
        if event == "second":
            return SecondReport.model_validate(document)
        if event == "result":
            return result.model_validate_json(line)
    except ValidationError as error:
        raise InvalidOutput(f"printed {line[:80]!r}: {first_fault(error)}") from error
    except (ValueError, AttributeError, RecursionError) as error:
        raise InvalidOutput(f"printed no JSON object: {line[:80]!r}") from error
    if event != "ready":
        raise InvalidOutput(f"printed an unknown event: {line[:80]!r}")
    return None


def _out_of_time(process: RunningProgram) -> ContestantError:
    """Return the failure of a client whose output does not end by the deadline."""
    status = process.status()
    if status is None:
        return TimedOut("was still running at its time limit")
    return Crashed(
        f"{describe_exit(status)} before it printed a result; a process that it "
        f"started keeps its output open"
    )


def _ended_without_result(
    process: RunningProgram, deadline_s: float
) -> ContestantError:
    try:
        status = process.wait(deadline_s)
    except TimeoutError:
        if process.status() is not None:
            return _out_of_time(process)
        return TimedOut("closed its output and did not exit")
    return Crashed(f"{describe_exit(status)} before it printed a result")


def expect_exit(process: RunningProgram, deadline_s: float) -> None:
    """
    Wait for a client's exit after its result.

    Raises:
        ContestantError: the client prints more lines, does not exit with status 0
            within ``EXIT_LIMIT_S``, or leaves processes behind.
    """
    try:
        deadline_s = min(deadline_s, time.monotonic() + EXIT_LIMIT_S)
        while (line := process.read_line(deadline_s)) is not None:
            raise InvalidOutput(f"printed {line[:80]!r} after its result")
        status = process.wait(deadline_s)
    except TimeoutError as error:
        if process.status() is not None:
            left = LeftBehind("a process that it started keeps its output open")
            raise left from error
        raise TimedOut(
            f"did not exit within {EXIT_LIMIT_S:.0f} s of its result"
        ) from error
    except LineTooLongError as error:
        raise InvalidOutput("printed a line without an end") from error
    if status != 0:
        raise Crashed(f"{describe_exit(status)} after its result")
    if process.has_group():
        raise LeftBehind("processes of its group outlived it")


def describe_exit(status: int) -> str:
    """Describe an exit status; a negative one is the number of a signal."""
    return f"ended by signal {-status}" if status < 0 else f"exited with {status}"
