"""The rows of the store as values: what the runner writes and the report reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from autostrada.plan.matrix import Attempt

REFERENCE = "reference"
"""The contestant's name under which the engine's own client is recorded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One invocation of an experiment; fields as in ``schema.sql``."""

    experiment: str
    definition: str
    plan: str
    command: str
    started_at: datetime
    autostrada_version: str
    host: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ContestantVersion:
    """What was measured under a contestant's name."""

    contestant: str
    library: str
    language: str
    homepage: str
    version: str | None
    toolchain: str | None
    digest: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessSample:
    """One process over the measured window; ``process`` is client or server."""

    process: str
    cpu_ns: int
    resident_bytes: int
    peak_resident_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Second:
    """What one process counted in one second, from 0."""

    process: str
    second: int
    messages: int
    bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """A trial that succeeded; durations by the engine's clock unless named."""

    messages: int
    payload_bytes: int
    duration_ns: int
    client_duration_ns: int
    server_busy_share: float
    server_blocked_share: float
    client_busy_share: float
    congestion_control: str
    processes: tuple[ProcessSample, ...]
    seconds: tuple[Second, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A trial, or a whole contestant, that broke its contract."""

    kind: str
    message: str
    stderr_tail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One attempt at one cell, with its outcome."""

    contestant: str
    workload: str
    repetition: int
    is_warm_up: bool
    started_at: datetime
    outcome: Measurement | Failure


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredRun:
    """A run with the number the store gave it."""

    run_id: int
    run: Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Resumption:
    """What a run that goes on must know of what it already did."""

    stored: StoredRun
    digests: Mapping[str, str]
    """By contestant: what was measured under its name."""

    failed: frozenset[str]
    """Contestants that failed as a whole, before any trial."""

    attempts: frozenset[Attempt]
    """Those with an outcome, be it a measurement or a failure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibrationReading:
    """A figure of one weight beside what it must be; fields as in ``schema.sql``."""

    weight: str
    arrangement: str
    outcome: str
    attempts: int
    reason: str
    figure: str | None = None
    seen: float | None = None
    expected: float | None = None
    tolerance: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """How the instrument showed known weights; fields as in ``schema.sql``."""

    started_at: datetime
    command: str
    extent: str
    autostrada_version: str
    engine_version: str
    host: str
    machine: str
    outcome: str
