"""What the suite tests, the engine or a contestant: how its programs are started."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autostrada.contestants.contestant import FOR_CLIENTS, Contestant, Role
from autostrada.engine.plans import load_plan, serve_plan
from autostrada.engine.process import (
    LINE_BYTES_MAX,
    Document,
    load_arguments,
    send_document,
    serve_arguments,
)
from autostrada.errors import Crashed
from autostrada.experiment.matrix import REFERENCE
from autostrada.machine.ports import ADDRESS
from autostrada.machine.process import Command, Process

CASE_LIMIT_S = 600.0
"""Time limit of a case, in seconds; the suite's own limit is lower."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SubjectLaunch:
    """How a program is started."""

    command: Command
    plan: Document | None = None
    """JSON document that is written to its stdin, if any."""

    @contextmanager
    def started(self) -> Iterator[Process]:
        """
        Run the program in the block.

        Raises:
            Crashed: it cannot be started.
        """
        try:
            process = Process(self.command)
        except OSError as error:
            raise Crashed(f"cannot be started: {error}") from error
        with process:
            if self.plan is not None:
                send_document(process, self.plan)
            yield process


class Subject(ABC):
    """The engine, or a contestant that is built."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the contestant."""

    @abstractmethod
    def server(self, port: int, *, compressed: bool) -> SubjectLaunch:
        """Return how a server is started that listens on a port of loopback."""

    @abstractmethod
    def client(self, url: str, *, compressed: bool) -> SubjectLaunch:
        """Return how a client is started that sends back what one connection gets."""


@dataclass(frozen=True, kw_only=True)
class EngineSubject(Subject):
    """The engine."""

    path: Path

    @property
    def name(self) -> str:
        return REFERENCE

    def server(self, port: int, *, compressed: bool) -> SubjectLaunch:
        listen = f"{ADDRESS}:{port}"
        plan = serve_plan(listen=listen, compression=_compression(compressed))
        return self._launch(serve_arguments(self.path), plan)

    def client(self, url: str, *, compressed: bool) -> SubjectLaunch:
        phases = {"opening_s": 60, "window_s": CASE_LIMIT_S, "drain_s": 0}
        workload = {"kind": "answer", "phases": phases}
        compression = _compression(compressed)
        plan = load_plan(url=url, workload=workload, compression=compression)
        return self._launch(load_arguments(self.path), plan)

    def _launch(self, arguments: list[str], plan: Document) -> SubjectLaunch:
        command = Command(
            arguments=arguments, folder=Path(), line_bytes_max=LINE_BYTES_MAX
        )
        return SubjectLaunch(command=command, plan=plan)


@dataclass(frozen=True, kw_only=True)
class ContestantSubject(Subject):
    """A contestant, with the folder in which its commands run."""

    contestant: Contestant
    folder: Path

    @property
    def name(self) -> str:
        return self.contestant.name

    def server(self, port: int, *, compressed: bool) -> SubjectLaunch:
        """Return how the server is started: docs/contract.md, 4."""
        configured = {"HOST": ADDRESS, "PORT": str(port)}
        return self._launch("server", configured, compressed=compressed)

    def client(self, url: str, *, compressed: bool) -> SubjectLaunch:
        """Return how the client is started: docs/contract.md, 3."""
        configured = {"VERB": "reply", "URL": url, "CONNECTIONS": "1", **FOR_CLIENTS}
        return self._launch("client", configured, compressed=compressed)

    def _launch(
        self, role: Role, configured: dict[str, str], *, compressed: bool
    ) -> SubjectLaunch:
        program = self.contestant.program(role)
        assert program, f"{self.name} has no {role}"
        environment = self.contestant.environment(program) | configured
        if compressed:
            environment["COMPRESSION"] = "deflate"
        command = Command(
            arguments=program.command,
            folder=self.folder,
            environment=environment,
        )
        return SubjectLaunch(command=command)


def _compression(is_on: bool) -> Document | None:
    """Return the compression of a plan of the engine, with its defaults."""
    return {} if is_on else None
