"""The rows of the store as values, which the runner writes and the report reads."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from autostrada.stats.evidence import End, EndName, Pacing

SAME_MACHINE = ("cpu_model", "cores", "memory_bytes", "kernel", "virtualization")
"""Facts of a host that identify a machine and its configuration."""

REFERENCE = "reference"
"""Name of the engine in place of a contestant, as a server or as a client."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkloadPoint:
    """A workload at one combination of the values of its swept parameters."""

    workload: str
    parameters: Mapping[str, str]
    """Values by parameter, as written in the name; empty without a sweep."""

    @classmethod
    def named(cls, name: str) -> Self:
        """Return the point with a name such as ``json processes=2 stocks=10``."""
        workload, *words = name.split()
        pairs = (word.partition("=") for word in words)
        return cls(workload=workload, parameters={key: text for key, _, text in pairs})

    def __str__(self) -> str:
        words = (f"{key}={text}" for key, text in self.parameters.items())
        return " ".join([self.workload, *words])


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Cell:
    """One point of the matrix. Cells that compare equal are the same test."""

    server: str = REFERENCE
    client: str = REFERENCE
    workload: str
    """Name of the workload's point."""

    @property
    def point(self) -> WorkloadPoint:
        """The workload and the values of its parameters."""
        return WorkloadPoint.named(self.workload)

    @property
    def contestant(self) -> str:
        """The measured contestant, or both; the engine if there is none."""
        names = dict.fromkeys((self.server, self.client))
        return " × ".join(name for name in names if name != REFERENCE) or REFERENCE

    def __str__(self) -> str:
        return f"{self.contestant} in {self.workload}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """A repetition of a cell, from 0."""

    cell: Cell
    repetition: int


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
    published: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContestantVersion:
    """The measured version of a contestant; fields as in ``schema.sql``."""

    contestant: str
    library: str
    language: str
    homepage: str
    version: str | None
    toolchain: str | None
    digest: str
    delivers: str | None = None
    validates_utf8: bool | None = None
    settings: str | None = None
    failed_cases: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessTotal:
    """Resources of one process, or of all clients, during the measured window."""

    process: str
    cpu_ns: int
    resident_bytes: int
    peak_resident_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class EndEvidence(End):
    """One end of a measurement; fields as in ``schema.sql``."""

    process: EndName


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessSample:
    """One sample of a process tree; fields as in ``schema.sql``."""

    process: str
    since_start_ns: int
    cpu_ns: int
    user_ns: int | None
    system_ns: int | None
    resident_bytes: int
    proportional_bytes: int | None
    peak_resident_bytes: int
    threads: int | None
    switches_voluntary: int | None
    switches_forced: int | None
    faults_minor: int | None
    faults_major: int | None
    files: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SocketSample:
    """One sample of a process's TCP sockets; fields as in ``schema.sql``."""

    process: str
    since_start_ns: int
    connections: int
    sampled: int
    send_queue_bytes: int
    send_queue_bytes_max: int
    send_queues_filled: int
    receive_queue_bytes: int
    receive_queue_bytes_max: int
    receive_queues_filled: int
    unsent_bytes: int
    memory_bytes: int
    sent_bytes: int
    received_bytes: int
    segments_out: int
    segments_in: int
    retransmits: int
    rtt_ns_median: int
    busy_ns: int
    receive_window_limited_ns: int
    send_buffer_limited_ns: int


@dataclass(frozen=True, kw_only=True, slots=True)
class HostSample:
    """One sample of the machine; fields as in ``schema.sql``."""

    since_start_ns: int
    zero_windows_sent: int | None
    zero_windows_wanted: int | None
    pruned: int | None
    receive_drops: int | None
    listen_overflows: int | None
    listen_drops: int | None
    retransmits: int | None
    loopback_bytes: int | None
    memory_available_bytes: int | None
    slab_bytes: int | None
    tcp_memory_bytes: int | None
    pressure_cpu_some_ns: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CoreSample:
    """One sample of a core of the machine; fields as in ``schema.sql``."""

    since_start_ns: int
    core: int
    busy_ns: int
    idle_ns: int
    steal_ns: int | None
    softirq_ns: int
    loops: int | None = None
    loops_ns: int | None = None
    messages: int | None = None
    messages_ns: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class MissingMetric:
    """A metric that could not be observed, with the reason."""

    metric: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """The samples of a trial, taken by observation from outside its processes."""

    process_samples: tuple[ProcessSample, ...] = ()
    socket_samples: tuple[SocketSample, ...] = ()
    host_samples: tuple[HostSample, ...] = ()
    core_samples: tuple[CoreSample, ...] = ()
    missing_metrics: tuple[MissingMetric, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SecondRow:
    """Messages and bytes that one process counted in one second, from 0."""

    process: str
    second: int
    messages: int
    bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkRow:
    """Messages that a client had processed when it answered a ping."""

    since_start_ns: int
    messages: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceRow:
    """
    One slice of a start: a cell's turn in a round; fields as in ``schema.sql``.

    All cells that a start compares have a slice in each of its rounds.
    """

    since_start_ns: int
    """Time of its first message since all cells of the start began to be started."""

    duration_ns: int
    """From the first message until the last answer."""

    messages: int
    server_cpu_ns: int | None
    """CPU time until the cell's next turn; ``None`` if it is not known."""

    client_cpu_ns: int | None
    server_loop_ns: float | None = None
    """Time of a loop of fixed length on the end's cores; ``None`` if not known."""

    client_loop_ns: float | None = None
    core_message_ns: float | None = None
    """Time of a message in memory from one end's core to the other's, and back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricValue:
    """A metric reported by or measured of one process; fields as in ``schema.sql``."""

    process: str
    metric: str
    value: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Bucket:
    """A rounded duration and its count; fields as in ``schema.sql``."""

    process: str
    metric: str
    value_ns: int
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """
    The outcome of a trial that succeeded; fields as in ``schema.sql``.

    Durations are by the engine's clock unless the name says otherwise.
    """

    messages: int
    payload_bytes: int
    duration_ns: int
    server_utilization: float | None
    client_utilization: float | None
    processes: tuple[ProcessTotal, ...]
    """Observed processes; ``missing_metrics`` has the reason for all others."""

    ends: tuple[EndEvidence, ...]
    seconds: tuple[SecondRow, ...]
    client_duration_ns: int | None = None
    server_blocked_share: float | None = None
    congestion_control: str | None = None
    sender: EndName = "server"
    pacing: Pacing = Pacing.CONTINUOUS
    achieved_share: float | None = None
    engine_limit: str = ""
    faults: str = ""
    violation: str = ""
    metrics: tuple[MetricValue, ...] = ()
    buckets: tuple[Bucket, ...] = ()
    marks: tuple[MarkRow, ...] = ()
    slices: tuple[SliceRow, ...] = ()
    """In the order of their rounds; empty if the trial was not measured in slices."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """The failure of a trial, or of a contestant as a whole."""

    kind: str
    message: str
    stderr_tail: str
    process: EndName = "client"
    """The end of a trial that failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OtherLoad:
    """Load of the machine before and during a trial; fields as in ``schema.sql``."""

    settled_ns: int = 0
    load_before: float = 0.0
    disturbance: str = ""
    stolen_share: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One attempt at one cell, with its outcome and observation."""

    cell: Cell
    repetition: int
    started_at: datetime
    outcome: Measurement | Failure
    retry: int = 0
    other_load: OtherLoad = OtherLoad()
    observation: Observation = Observation()
    taken_ns: int = 0
    """Duration of the whole attempt, with the wait for an idle machine."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredRun:
    """A run with its number in the store."""

    run_id: int
    run: Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Resumption:
    """The state of a run that is resumed."""

    stored: StoredRun
    digests: Mapping[str, str]
    """Digest of the sources of each contestant."""

    failed: frozenset[str]
    """Contestants that failed as a whole, before any trial."""

    attempts: frozenset[Attempt]
    """Attempts with an outcome, which may be a measurement or a failure."""

    retries: Mapping[Attempt, int] = field(default_factory=dict)
    """Number of repetitions of each attempt because of disturbances."""

    disturbed: frozenset[Attempt] = frozenset()
    """Attempts whose trials were all disturbed."""

    taken_ns: int = 0
    """Duration of all trials."""

    rounds: int = 0
    """Number of the next round, which no trial has, superseded ones included."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibrationReading:
    """A metric of a fault case and its expected value; fields as in ``schema.sql``."""

    fault_case: str
    topology: str
    outcome: str
    attempts: int
    reason: str
    metric: str | None = None
    seen: float | None = None
    expected: float | None = None
    tolerance: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """A calibration of the engine by injected faults; fields as in ``schema.sql``."""

    started_at: datetime
    command: str
    extent: str
    autostrada_version: str
    engine_version: str
    host: str
    machine: str
    outcome: str

    def is_of(self, engine_version: str, host: str) -> bool:
        """Whether it is a complete one of this build of the engine and this machine."""
        return (
            self.extent != "some"
            and self.engine_version == engine_version
            and _machine(self.host) == _machine(host)
        )


def _machine(host: str) -> Mapping[str, object]:
    facts = json.loads(host)
    return {name: facts.get(name) for name in SAME_MACHINE}
