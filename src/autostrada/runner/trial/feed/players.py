"""The processes of a feed: started, told what to do, heard, and gone in the end."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.errors import (
    AutostradaError,
    ContestantError,
    Crashed,
    EngineError,
    Hung,
    LeftBehind,
)
from autostrada.machine.ports import await_listener, reserved_port
from autostrada.machine.process import TERMINATION_S, Command, Process
from autostrada.plan.contestant import Protocol
from autostrada.plan.workload import Feed
from autostrada.runner.trial.cast import Course, Program
from autostrada.runner.trial.client import how_it_ended
from autostrada.runner.trial.feed.plans import (
    client_environment,
    client_plan,
    server_environment,
    server_plan,
)
from autostrada.runner.trial.feed.words import (
    Delivered,
    Handed,
    hear_contestant_client,
    hear_contestant_server,
    hear_engine_client,
    hear_engine_server,
)
from autostrada.runner.trial.guard import end_of_name
from autostrada.runner.trial.secure import tls_of_client, tls_of_server, tls_variables

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
            raise self.fault(Hung(limit)) from error
        raise self.fault(Crashed(f"{how_it_ended(status)} before it listened"))

    def hear(self, deadline_s: float) -> Delivered | Handed:
        """
        Read all that it says.

        Raises:
            AutostradaError: it fails.
        """
        is_server = end_of_name(self.name) == "server"
        hear = _HEAR[is_server, self.is_engine]
        try:
            return hear(self.process, deadline_s)
        except ContestantError as error:
            raise self.fault(error) from error

    def fault(self, error: ContestantError) -> AutostradaError:
        """
        Return a failure as one of this process.

        The engine's is our own; but what it waits for in vain is the other end.
        """
        stderr = self.process.stderr_tail
        end = end_of_name(self.name)
        if self.is_engine:
            if not isinstance(error, Hung):
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
            hung = Hung(f"did not end within {TERMINATION_S:.0f} s of SIGTERM")
            raise self.fault(hung) from error
        if self.process.has_group():
            raise self.fault(LeftBehind("processes of its group outlived it"))


_HEAR: dict[tuple[bool, bool], Callable[[Process, float], Delivered | Handed]] = {
    (False, False): hear_contestant_client,
    (False, True): hear_engine_client,
    (True, False): hear_contestant_server,
    (True, True): hear_engine_server,
}
"""By whether it is a server, and whether it is the engine."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """What all processes of one trial have in common."""

    course: Course
    workload: Feed
    protocol: Protocol

    @contextmanager
    def serving(self, name: str, program: Program | None) -> Iterator[Player]:
        """
        Run one of the server's processes, which listens on a port of its own.

        Raises:
            AutostradaError: it cannot be started, or does not listen.
        """
        course, workload = self.course, self.workload
        with reserved_port() as port:
            if program is None:
                plan = server_plan(course.experiment, workload, self.protocol, port)
                plan |= tls_of_server(workload, course)
                process = _engine(course, ["serve", "--plan"], course.host.server_cpus)
                process.send(json.dumps(plan) + "\n")
            else:
                environment = server_environment(workload, port)
                environment |= tls_variables(workload, course)
                cpus = course.host.server_cpus
                process = _contestant(name, program, environment, cpus)
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
        """
        course, workload = self.course, self.workload
        plan = None
        if program is None:
            plan = client_plan(course.experiment, workload, self.protocol, port)
            plan |= tls_of_client(workload, course)
            process = _engine(course, ["load"], course.host.client_cpus)
        else:
            environment = client_environment(workload, port)
            cpus = course.host.client_cpus
            gated = replace(program, words=[*GATE, *program.words])
            process = _contestant(name, gated, environment, cpus)
        with process:
            yield Player(
                name=name,
                process=process,
                is_engine=program is None,
                port=port,
                line=json.dumps(plan) if plan else "",
            )


def _engine(course: Course, words: Sequence[str], cpus: frozenset[int]) -> Process:
    return Process(
        Command(
            words=[str(course.engine), *words],
            folder=Path(),
            cpus=cpus,
            line_bytes_max=LINE_BYTES_MAX,
            is_measured=True,
        )
    )


def _contestant(
    name: str, program: Program, environment: Mapping[str, str], cpus: frozenset[int]
) -> Process:
    command = Command(
        words=program.words,
        folder=program.folder,
        environment={**program.environment, **environment},
        cpus=cpus,
        is_measured=True,
    )
    try:
        return Process(command)
    except OSError as error:
        reason = f"cannot be started: {error}"
        raise Crashed(reason, process=end_of_name(name)) from error
