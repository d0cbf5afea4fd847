"""Who plays in a trial, and what all trials of a run have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autostrada.contestants.contestant import ROLES, Contestant, Protocol, Role
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import Cell
from autostrada.machine.certificates import Certificates
from autostrada.machine.host import Host


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """How to start one program of a contestant that is built."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    protocol: Protocol = "websocket"
    deflate: bool = False
    """It knows ``COMPRESSION``."""


Programs = Mapping[Role, Program]
"""Of one contestant; the engine's are none."""


def programs_of(contestant: Contestant, folder: Path) -> Programs:
    """Return the programs of a contestant that is built in that folder."""
    return {
        role: Program(
            words=contestant.words(role),
            folder=folder,
            environment=contestant.environment(role),
            protocol=contestant.protocol,
            deflate=contestant.has_deflate(role),
        )
        for role in ROLES
        if contestant.has(role)
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class Cast:
    """The two ends of a trial; ``None`` is the engine."""

    server: Program | None = None
    client: Program | None = None

    @property
    def can_meet(self) -> bool:
        """Whether both ends speak one protocol; the engine serves no Socket.IO."""
        if self.client and not self.server:
            return self.client.protocol != "socketio"
        ends = [each for each in (self.server, self.client) if each]
        return len({each.protocol for each in ends}) < 2


def cast_of(cell: Cell, programs: Mapping[str, Programs]) -> Cast:
    """Return who plays in a cell, of the programs of all contestants by name."""
    return Cast(
        server=programs[cell.server].get("server"),
        client=programs[cell.client].get("client"),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """What all trials of a run have in common."""

    experiment: Experiment
    engine: Path
    host: Host
    certificates: Certificates | None = None
    """Of servers that speak TLS, where any does."""
