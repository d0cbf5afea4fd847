"""
A server in a trial: a contestant that is told by its environment, or the engine.

A contestant that does not listen, or ends by itself, is a finding, and a failure.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autostrada.errors import Crashed, EngineError, Hung
from autostrada.machine.ports import ADDRESS, await_listener, reserved_port
from autostrada.machine.process import Command, Process
from autostrada.runner.trial.cast import Course, Program
from autostrada.runner.trial.client import how_it_ended

LISTEN_LIMIT_S = 30.0
"""Until a server listens: a language may start slowly."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunningServer:
    """A server that listens at ``address``, host and port."""

    process: Process
    address: str
    is_engine: bool

    def check(self) -> None:
        """
        Make sure that it still runs.

        Raises:
            Crashed: it has ended, and is a contestant.
            EngineError: it has ended, and is the engine.
        """
        status = self.process.status()
        if status is None:
            return
        self.process.end()
        stderr = self.process.stderr_tail
        if self.is_engine:
            raise EngineError(
                f"engine {how_it_ended(status)} while it served: {stderr}"
            )
        raise Crashed(
            f"{how_it_ended(status)} while it served",
            stderr_tail=stderr,
            process="server",
        )


@contextmanager
def running_contestant(
    course: Course, program: Program, environment: Mapping[str, str]
) -> Iterator[RunningServer]:
    """
    Run a contestant's server on a port of its own.

    Raises:
        ContestantError: it cannot be started, ends, or does not listen in time.
    """
    with reserved_port() as port:
        command = Command(
            words=program.words,
            folder=program.folder,
            environment={
                **program.environment,
                **environment,
                "HOST": ADDRESS,
                "PORT": str(port),
            },
            cpus=course.host.server_cpus,
            is_measured=True,
        )
        try:
            process = Process(command)
        except OSError as error:
            raise Crashed(f"cannot be started: {error}", process="server") from error
        with process:
            server = RunningServer(
                process=process, address=f"{ADDRESS}:{port}", is_engine=False
            )
            _await(server, port)
            yield server


@contextmanager
def running_engine(
    course: Course, plan: Callable[[str], Mapping[str, object]]
) -> Iterator[RunningServer]:
    """
    Run the engine's server; ``plan`` makes its plan of where it listens.

    Raises:
        EngineError: it does not get ready.
    """
    with reserved_port() as port:
        command = Command(
            words=[str(course.engine), "serve", "--plan"],
            folder=Path(),
            cpus=course.host.server_cpus,
            is_measured=True,
        )
        with Process(command) as process:
            address = f"{ADDRESS}:{port}"
            process.send(json.dumps(plan(address)) + "\n")
            server = RunningServer(process=process, address=address, is_engine=True)
            _await(server, port)
            yield server


def _await(server: RunningServer, port: int) -> None:
    """
    Wait until it listens.

    Raises:
        AutostradaError: it does not, or has ended.
    """
    try:
        await_listener(server.process, port, time.monotonic() + LISTEN_LIMIT_S)
    except TimeoutError as error:
        server.process.end()
        limit = f"did not listen on its port within {LISTEN_LIMIT_S:.0f} s"
        if server.is_engine:
            raise EngineError(f"engine {limit}") from error
        tail = server.process.stderr_tail
        raise Hung(limit, stderr_tail=tail, process="server") from error
    server.check()
