"""Who plays in a trial, and what all trials of a run have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autostrada.machine.certificates import Certificates
from autostrada.machine.host import Host
from autostrada.plan.contestant import Protocol
from autostrada.plan.experiment import Experiment


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """How to start one program of a contestant that is built."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    protocol: Protocol = "websocket"
    deflate: bool = False
    """It knows ``COMPRESSION``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cast:
    """The two ends of a trial; ``None`` is the engine."""

    server: Program | None = None
    client: Program | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """What all trials of a run have in common."""

    experiment: Experiment
    engine: Path
    host: Host
    certificates: Certificates | None = None
    """Of servers that speak TLS, where any does."""
