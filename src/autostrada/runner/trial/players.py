"""The processes of a trial: started, told what to do, and gone in the end."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.errors import (
    AutostradaError,
    ContestantError,
    Crashed,
    EngineError,
    LeftBehind,
    TimedOut,
)
from autostrada.machine.ports import await_listener, reserved_port
from autostrada.machine.process import TERMINATION_S, Command, Process
from autostrada.runner.trial.cast import Course, Program
from autostrada.runner.trial.client import how_it_ended
from autostrada.runner.trial.guard import end_of_name
from autostrada.runner.trial.script import Script

LINE_BYTES_MAX = 4 * 1024 * 1024
"""A result of the engine has the buckets of many histograms."""

GATE = ("sh", "-c", 'read -r line; exec "$@"', "gate")
"""Becomes the program behind it when it is told a line."""

LISTEN_LIMIT_S = 30.0
"""Until a server listens: a language may start slowly."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Player:
    """One process of a trial."""

    name: str
    process: Process
    is_engine: bool
    port: int
    """Where it listens, or connects to."""

    line: str = ""
    """What a client waits for before it does anything."""

    def begin(self) -> None:
        """Have a client begin."""
        self.process.send(self.line + "\n")

    def await_listener(self) -> None:
        """
        Wait until a server listens.

        Raises:
            AutostradaError: it does not.
        """
        deadline_s = time.monotonic() + LISTEN_LIMIT_S
        try:
            if await_listener(self.process, self.port, deadline_s):
                return
            status = self.process.wait(deadline_s)
        except TimeoutError as error:
            limit = f"did not listen on its port within {LISTEN_LIMIT_S:.0f} s"
            raise self.fault(TimedOut(limit)) from error
        raise self.fault(Crashed(f"{how_it_ended(status)} before it listened"))

    def check(self) -> None:
        """
        Make sure that a server still serves.

        Raises:
            AutostradaError: it has ended.
        """
        status = self.process.status()
        if status is not None:
            self.process.end()
            raise self.fault(Crashed(f"{how_it_ended(status)} while it served"))

    def fault(self, error: ContestantError) -> AutostradaError:
        """
        Return a failure as one of this process.

        The engine's is our own; but what it waits for in vain is the other end.
        """
        stderr = self.process.stderr_tail
        end = end_of_name(self.name)
        if self.is_engine:
            if not isinstance(error, TimedOut):
                return EngineError(f"engine as {self.name} {error}: {stderr}")
            end = "client" if end == "server" else "server"
        error.stderr_tail = stderr
        error.process = end
        return error

    def stop(self) -> None:
        """
        End a server that has served: docs/contract.md, 2.5.

        Raises:
            AutostradaError: it does not end, or leaves something behind.
        """
        self.process.ask_to_end()
        try:
            self.process.wait(time.monotonic() + TERMINATION_S)
        except TimeoutError as error:
            if self.process.status() is not None:
                left = LeftBehind("what it started holds its output open")
                raise self.fault(left) from error
            timed_out = TimedOut(f"did not end within {TERMINATION_S:.0f} s of SIGTERM")
            raise self.fault(timed_out) from error
        if self.process.has_group():
            raise self.fault(LeftBehind("processes of its group outlived it"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """What all processes of one trial have in common."""

    course: Course
    script: Script

    @contextmanager
    def serving(self, name: str, program: Program | None) -> Iterator[Player]:
        """
        Run one of the server's processes, which listens on a port of its own.

        Raises:
            AutostradaError: it cannot be started, or does not listen.
        """
        cpus = self.course.host.server_cpus
        with reserved_port() as port:
            if program is None:
                process = start_engine(self.course, ["serve", "--plan"], cpus)
                process.send(json.dumps(self.script.server_plan(port)) + "\n")
            else:
                told = self.script.server_environment(port)
                process = start_contestant(name, program, told, cpus)
            with process:
                player = Player(
                    name=name,
                    process=process,
                    is_engine=program is None,
                    port=port,
                )
                player.await_listener()
                yield player

    @contextmanager
    def listening(
        self, name: str, program: Program | None, port: int
    ) -> Iterator[Player]:
        """
        Run one of the client's processes, which waits until it is to begin.

        So it is seen from its beginning, and the server from before it is there.

        Raises:
            ContestantError: it cannot be started.
        """
        cpus = self.course.host.client_cpus
        line = ""
        if program is None:
            line = json.dumps(self.script.client_plan(port))
            process = start_engine(self.course, ["load"], cpus)
        else:
            gated = replace(program, words=[*GATE, *program.words])
            told = self.script.client_environment(port)
            process = start_contestant(name, gated, told, cpus)
        with process:
            yield Player(
                name=name,
                process=process,
                is_engine=program is None,
                port=port,
                line=line,
            )


def start_engine(course: Course, words: Sequence[str], cpus: frozenset[int]) -> Process:
    """Start the engine as one end of a trial."""
    return Process(
        Command(
            words=[str(course.engine), *words],
            folder=Path(),
            cpus=cpus,
            line_bytes_max=LINE_BYTES_MAX,
            is_measured=True,
        )
    )


def start_contestant(
    name: str, program: Program, told: Mapping[str, str], cpus: frozenset[int]
) -> Process:
    """
    Start a contestant's program, which is told by its environment.

    Raises:
        Crashed: it cannot be started.
    """
    command = Command(
        words=program.words,
        folder=program.folder,
        environment={**program.environment, **told},
        cpus=cpus,
        is_measured=True,
    )
    try:
        return Process(command)
    except OSError as error:
        reason = f"cannot be started: {error}"
        raise Crashed(reason, process=end_of_name(name)) from error
