"""
A server in a trial: a contestant that is told by its environment, or the engine.

A contestant that does not listen, or ends by itself, is a finding, and a failure.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from autostrada.errors import Crashed, Hung
from autostrada.machine.ports import ADDRESS, await_listener, reserved_port
from autostrada.machine.process import Command, Process
from autostrada.runner.engine import Server, serving
from autostrada.runner.trial.cast import Course, Program
from autostrada.runner.trial.client import how_it_ended

READY_LIMIT_S = 30.0
"""How long a server may take until it listens: languages start slowly on one core."""


class Listening(Protocol):
    """A server that listens."""

    @property
    def pid(self) -> int:
        """Its process."""

    @property
    def address(self) -> str:
        """Where it listens: ``127.0.0.1:8008``."""

    def check(self) -> None:
        """
        Make sure that it still runs.

        Raises:
            ContestantError: it does not, and is a contestant.
            EngineError: it does not, and is the engine.
        """


@dataclass(frozen=True, slots=True)
class ContestantServer:
    """A contestant's server that listens."""

    process: Process
    address: str

    @property
    def pid(self) -> int:
        """Its process."""
        return self.process.pid

    def check(self) -> None:
        """
        Make sure that it still runs.

        Raises:
            Crashed: it has ended.
        """
        status = self.process.status()
        if status is None:
            return
        self.process.end()
        raise Crashed(
            f"{how_it_ended(status)} while it served",
            stderr_tail=self.process.stderr_tail,
            process="server",
        )


@dataclass(frozen=True, slots=True)
class EngineServer:
    """The engine's server."""

    server: Server

    @property
    def pid(self) -> int:
        """Its process."""
        return self.server.pid

    @property
    def address(self) -> str:
        """Where it listens: ``127.0.0.1:8008``."""
        return self.server.url.partition("://")[2]

    def check(self) -> None:
        """
        Make sure that it still runs.

        Raises:
            EngineError: it has failed.
        """
        self.server.check()


@contextmanager
def contestant_serving(
    program: Program, environment: Mapping[str, str], cpus: frozenset[int]
) -> Iterator[ContestantServer]:
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
            cpus=cpus,
            is_measured=True,
        )
        try:
            process = Process(command)
        except OSError as error:
            raise Crashed(f"cannot be started: {error}", process="server") from error
        with process:
            server = ContestantServer(process, f"{ADDRESS}:{port}")
            try:
                await_listener(process, port, time.monotonic() + READY_LIMIT_S)
            except TimeoutError as error:
                process.end()
                raise Hung(
                    f"did not listen on its port within {READY_LIMIT_S:.0f} s",
                    stderr_tail=process.stderr_tail,
                    process="server",
                ) from error
            server.check()
            yield server


@contextmanager
def engine_serving(course: Course, plan: Mapping[str, object]) -> Iterator[Listening]:
    """Run the engine's server with a plan."""
    with serving(course.engine, plan, cpus=course.host.server_cpus) as server:
        yield EngineServer(server)
