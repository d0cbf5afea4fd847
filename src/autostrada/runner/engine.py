"""The engine as a process: its plans on stdin, its lines from stdout, typed."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from autostrada.errors import EngineError, UsageError
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.workload import Push
from autostrada.machine.process import Command, LineTooLongError, Process

FORMAT = 2
READY_LIMIT_S = 10.0
RESULT_LIMIT_S = 5.0

Count = Annotated[int, Field(ge=0, lt=2**63)]
"""Of messages, bytes or nanoseconds: what the store's columns can hold."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Ready(_Line):
    """The engine listens at ``url``."""

    event: Literal["ready"]
    format: int
    version: str
    url: str


class Second(_Line):
    """
    What was counted in one second, from 0; also a contestant's line.

    The engine's own client adds more of its own.
    """

    model_config = ConfigDict(extra="ignore")

    event: Literal["second"]
    second: Count
    messages: Count
    bytes: Count = 0
    """Not told by a contestant that is pushed to: docs/contract.md, 3.2."""

    read_bytes: Count = 0
    """On the wire, here and below; told by the engine's own client."""

    written_bytes: Count = 0

    closed: Count = 0
    """Connections that ended; told by the engine's own client."""


class Observed(_Line):
    """What one process used while it was measured."""

    cpu_ns: Count
    resident_bytes: Count
    peak_resident_bytes: Count


class ServeResult(_Line):
    """What the engine, as the server, saw of one connection: ``docs/format.md``."""

    event: Literal["result"]
    messages: Count
    bytes: Count
    acknowledged_bytes: Count | None
    wire_bytes: Count
    write_calls: Count
    first_sent_ns: Count
    last_sent_ns: Count
    closed_ns: Count
    busy_ns: Count
    blocked_ns: Count
    close_code: int | None
    ended: Literal["complete", "closed", "reset", "violation"]
    congestion_control: str
    processes: dict[str, Observed]

    @property
    def duration_ns(self) -> int:
        """From before the first byte until the closing frame had come."""
        return self.closed_ns - self.first_sent_ns

    @property
    def working_ns(self) -> int:
        """
        How long it did not wait, be it for room or, when all was sent, for the end.

        Where something else had its core meanwhile, that is more than its CPU time.
        """
        sending_ns = self.last_sent_ns - self.first_sent_ns - self.blocked_ns
        return max(self.busy_ns, sending_ns)


@dataclass(slots=True)
class Served:
    """All that a server has printed."""

    result: ServeResult
    seconds: list[Second] = field(default_factory=list)


def serve_plan(experiment: Experiment, workload: Push) -> dict[str, object]:
    """Return the plan of the push server for one trial."""
    plan: dict[str, object] = {
        "format": FORMAT,
        "listen": "127.0.0.1:0",
        "workload": {
            "kind": workload.kind,
            "payload": {"text": workload.payload_text},
            "frames_per_write": workload.frames_per_write,
        },
        "connections": 1,
        "hold_until_observing": True,
    }
    if experiment.congestion_control is not None:
        plan["congestion_control"] = experiment.congestion_control
    if workload.deflate:
        plan["compression"] = {}
    return plan


def load_plan(experiment: Experiment, workload: Push, url: str) -> dict[str, object]:
    """Return the plan of the reference client for one trial."""
    plan: dict[str, object] = {
        "format": FORMAT,
        "url": url,
        "workload": {
            "kind": "receive",
            "messages": workload.messages,
            "payload": {"text": workload.payload_text},
        },
        "limit_s": max(1, round(experiment.limit_s)),
    }
    if workload.deflate:
        plan["compression"] = {}
    return plan


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


class Server:
    """A running ``serve``; its address is ``url``, without a path."""

    def __init__(self, process: Process) -> None:
        """
        Wait until it listens.

        Raises:
            EngineError: it ends, or does not get ready.
        """
        self._process = process
        try:
            line = self._read(time.monotonic() + READY_LIMIT_S)
        except TimeoutError as error:
            raise EngineError("engine does not get ready") from error
        self.url = Ready.model_validate(line).url

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def observe(self, processes: Mapping[str, int]) -> None:
        """Name the processes to be read; it answers no handshake before."""
        self._process.send(json.dumps({"observe": processes}) + "\n")

    def served(self) -> Served | None:
        """
        Return what it saw of its one connection; ``None`` where that is not over.

        Raises:
            EngineError: it ended without a result.
        """
        deadline_s = time.monotonic() + RESULT_LIMIT_S
        seconds = []
        while True:
            try:
                line = self._read(deadline_s)
            except TimeoutError:
                return None
            if line.get("event") == "second":
                seconds.append(Second.model_validate(line))
                continue
            return Served(result=ServeResult.model_validate(line), seconds=seconds)

    def check(self) -> None:
        """
        Make sure that it has not failed.

        Raises:
            EngineError: it has; whatever its client then did is no fault of the client.
        """
        status = self._process.status()
        if status not in (None, 0):
            raise EngineError(f"engine ended: {self._process.stderr_tail}")

    def _read(self, deadline_s: float) -> dict[str, Any]:
        try:
            line = self._process.read_line(deadline_s)
            if line is None:
                self._process.wait(deadline_s)
                raise EngineError(f"engine ended: {self._process.stderr_tail}")
            document = json.loads(line)
        except (LineTooLongError, json.JSONDecodeError) as error:
            raise EngineError(f"engine printed no line: {error!r}") from error
        if not isinstance(document, dict):
            raise EngineError(f"engine printed {line!r}")
        return document


@contextmanager
def serving(
    engine: Path, plan: Mapping[str, object], *, cpus: frozenset[int] | None
) -> Iterator[Server]:
    """Run ``serve`` with a plan."""
    command = Command(
        words=[str(engine), "serve", "--plan"],
        folder=Path(),
        cpus=cpus,
        is_measured=True,
    )
    with Process(command) as process:
        process.send(json.dumps(plan) + "\n")
        try:
            yield Server(process)
        except ValidationError as error:
            raise EngineError(f"engine printed an unknown line: {error}") from error
