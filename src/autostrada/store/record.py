"""
The rows of the store as values, which the runner writes and the report reads.

``schema.py`` makes a table of each of them: the fields are the columns, and ``None`` is
NULL. Names are the same in the engine's output, in Python, in queries and on pages.
"""

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
    """One invocation of an experiment."""

    experiment: str  # name of the experiment, without .toml
    definition: str  # text of the experiment file that was run
    plan: str  # JSON: settings of the run, docs/schema.md
    command: str  # command line
    started_at: datetime  # UTC
    autostrada_version: str  # version that ran the experiment
    host: str  # JSON: facts of the machine, docs/schema.md
    # text of the experiment's publication file; "" if there is none
    published: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContestantVersion:
    """The measured version of a contestant."""

    contestant: str  # name of the folder, followed by +variant for a variant
    library: str  # name of the library, as its authors write it
    language: str  # language of the program
    homepage: str  # homepage of the library
    version: str | None  # None if the contestant could not be built
    toolchain: str | None  # output of the commands of its requirements
    digest: str  # digest of the folder and its kit
    # what a client holds of a text: docs/contract.md 3.5; None without a client
    delivers: str | None = None
    # whether the client's library refuses a text that is not UTF-8
    validates_utf8: bool | None = None
    # JSON: settings of the library that decide a rank, by role and name
    settings: str | None = None
    # JSON: cases of the Autobahn test suite that it fails, by role; without a role that
    # was not tested
    failed_cases: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessTotal:
    """Resources of one process, or of all clients, during the measured window."""

    process: str  # 'server', 'client' (all clients together), 'client 2', 'reference'
    cpu_ns: int  # user and system time
    resident_bytes: int  # resident size at the end
    peak_resident_bytes: int  # maximum resident size until then


@dataclass(frozen=True, kw_only=True, slots=True)
class EndEvidence(End):
    """One end of a measurement."""

    process: EndName


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessSample:
    """One sample of a process tree; counters since its start."""

    process: str  # as in process_total
    since_start_ns: int  # time since the first byte sent; negative before it
    cpu_ns: int  # user and system time
    user_ns: int | None  # None, here and below: table missing_metric
    system_ns: int | None
    resident_bytes: int
    proportional_bytes: int | None  # shared memory is divided among its processes
    peak_resident_bytes: int
    threads: int | None
    switches_voluntary: int | None  # context switches in order to wait
    switches_forced: int | None  # context switches by preemption
    faults_minor: int | None  # page faults without disk access
    faults_major: int | None  # page faults with disk access
    files: int | None  # open file descriptors


@dataclass(frozen=True, kw_only=True, slots=True)
class SocketSample:
    """One sample of a process's TCP sockets."""

    process: str  # as in process_total
    since_start_ns: int  # as in process_sample
    connections: int
    sampled: int  # sampled connections, to which all following columns refer
    send_queue_bytes: int  # sum; not yet acknowledged
    send_queue_bytes_max: int  # of one socket
    send_queues_filled: int  # sockets whose queue is not empty
    receive_queue_bytes: int  # sum; not yet read
    receive_queue_bytes_max: int  # of one socket
    receive_queues_filled: int  # sockets whose queue is not empty
    unsent_bytes: int  # sum; part of the send queues that was not sent once
    # sum; memory charged to the sockets: queues with overhead, reserves
    memory_bytes: int
    sent_bytes: int  # acknowledged; this and all following columns are counters
    received_bytes: int
    segments_out: int
    segments_in: int
    retransmits: int
    rtt_ns_median: int  # no counter: median of the smoothed round-trip times
    busy_ns: int  # time with unacknowledged data
    # part of busy_ns spent waiting for the peer's window
    receive_window_limited_ns: int
    send_buffer_limited_ns: int  # part of busy_ns spent waiting for room to send


@dataclass(frozen=True, kw_only=True, slots=True)
class HostSample:
    """One sample of the machine; counters since its start."""

    since_start_ns: int  # as in process_sample
    zero_windows_sent: int | None  # receive windows that a receiver closed
    # windows that a receiver could not close, because they cannot shrink
    zero_windows_wanted: int | None
    pruned: int | None  # receive queues that exceeded their limit
    receive_drops: int | None  # segments dropped for lack of room
    listen_overflows: int | None  # connections that were not accepted in time
    listen_drops: int | None
    retransmits: int | None  # retransmitted segments of all TCP connections
    loopback_bytes: int | None  # bytes through the loopback device
    memory_available_bytes: int | None  # no counter
    # no counter; memory of the kernel's data structures, sockets included
    slab_bytes: int | None
    tcp_memory_bytes: int | None  # no counter; memory of the queues of all TCP sockets
    pressure_cpu_some_ns: int | None  # time in which a runnable task waited for a CPU


@dataclass(frozen=True, kw_only=True, slots=True)
class CoreSample:
    """One sample of a core of the machine; all are counters."""

    since_start_ns: int  # as in process_sample
    core: int  # number of the core
    busy_ns: int  # time used by any process, including softirq_ns
    idle_ns: int
    steal_ns: int | None  # time that the hypervisor gave to other machines
    softirq_ns: int  # time in soft interrupts, mostly of the network
    # loops of fixed length that were timed on it; None if none was
    loops: int | None = None
    loops_ns: int | None = None  # sum of their times
    # messages in memory to another core, and back; None if none was timed
    messages: int | None = None
    messages_ns: int | None = None  # sum of their times


@dataclass(frozen=True, kw_only=True, slots=True)
class MissingMetric:
    """A metric that could not be observed, with the reason."""

    metric: str  # sockets, processes.client.proportional_bytes, …
    reason: str  # one sentence


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

    process: str  # counting process: a client (received) or 'server' (sent)
    second: int  # from 0; the last one is usually not a whole second
    messages: int  # messages in this second
    bytes: int  # payload in this second


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkRow:
    """Messages that a client had processed when it answered a ping."""

    since_start_ns: int  # as in process_sample
    messages: int  # messages that preceded the ping, and that the client had processed


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceRow:
    """
    One slice of a start: a cell's turn in a round.

    All cells that a start compares have a slice in each of its rounds.
    """

    since_start_ns: int
    """Time of its first message since all cells of the start began to be started."""

    duration_ns: int
    """From the first message until the last answer."""

    messages: int  # messages that arrived in it
    server_cpu_ns: int | None
    """CPU time until the cell's next turn; ``None`` if it is not known."""

    client_cpu_ns: int | None  # as server_cpu_ns
    server_loop_ns: float | None = None
    """Time of a loop of fixed length on the end's cores; ``None`` if not known."""

    client_loop_ns: float | None = None  # as server_loop_ns
    core_message_ns: float | None = None
    """Time of a message in memory from one end's core to the other's, and back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricValue:
    """A metric reported by or measured of one process."""

    process: str  # process of the metric: 'client', 'client 2', 'server', 'reference'
    metric: str  # docs/experiments.md; the name ends with the unit
    value: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Bucket:
    """A rounded duration and its count."""

    process: str  # as in metric
    metric: str  # 'latency_ns', 'response_time_ns'
    value_ns: int  # rounded (docs/published.md 2.3), or the middle of a bucket
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """
    The outcome of a trial that succeeded.

    Durations are by the engine's clock unless the name says otherwise.
    """

    messages: int  # messages of all clients that arrived correctly
    payload_bytes: int  # payload of all these messages
    duration_ns: int  # push: by the engine, first byte sent to close received
    # share of one core during duration_ns; None: missing_metric
    server_utilization: float | None
    client_utilization: float | None  # share of one core; above 1 with several threads
    processes: tuple[ProcessTotal, ...]
    """Observed processes; ``missing_metrics`` has the reason for all others."""

    ends: tuple[EndEvidence, ...]
    seconds: tuple[SecondRow, ...]
    # push: as the client reports, opened to last message
    client_duration_ns: int | None = None
    # push: share of duration_ns without room in the socket
    server_blocked_share: float | None = None
    congestion_control: str | None = None  # push: congestion control of the connection
    # 'client' or 'server': the end that sends the counted messages
    sender: EndName = "server"
    # what determines when messages are sent: docs/glossary.md, pacing
    pacing: Pacing = Pacing.CONTINUOUS
    # share of the due messages; None if none were due
    achieved_share: float | None = None
    # how the load generator was the bottleneck, in words; "" if it was not
    engine_limit: str = ""
    faults: str = ""  # what broke, in words; "" if nothing did
    violation: str = ""  # why is_steady is 0 or a cold time is missing; "" if none is
    metrics: tuple[MetricValue, ...] = ()
    buckets: tuple[Bucket, ...] = ()
    marks: tuple[MarkRow, ...] = ()
    slices: tuple[SliceRow, ...] = ()
    """In the order of their rounds; empty if the trial was not measured in slices."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """The failure of a trial, or of a contestant as a whole."""

    kind: str  # docs/glossary.md lists the kinds
    message: str  # one line, with the remedy if there is one
    stderr_tail: str  # last lines of standard error; "" if there are none
    process: EndName = "client"
    """The end of a trial that failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OtherLoad:
    """Load of the machine before and during a trial."""

    settled_ns: int = 0  # time spent waiting for an idle machine
    load_before: float = 0.0  # cores used by other processes just before the trial
    disturbance: str = ""  # description of the disturbance; "" if there was none
    # largest share of a core that the hypervisor took; None if it is not counted
    stolen_share: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One attempt at one cell, with its outcome and observation."""

    cell: Cell
    repetition: int  # from 0
    started_at: datetime  # UTC
    outcome: Measurement | Failure
    retry: int = 0  # from 0; disturbed trials are repeated
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
    """A metric of a fault case and its expected value."""

    fault_case: str  # name of the fault case: delay-20ms
    topology: str  # the end that injects the fault and the end that measures
    outcome: str  # 'pass', 'fail' or 'disturbed'
    attempts: int  # number of measurements of the case
    reason: str  # description of the disturbance; "" if there was none
    metric: str | None = None  # name of the compared metric, which ends with the unit
    seen: float | None = None  # reported value
    expected: float | None = None  # expected value
    tolerance: float | None = None  # maximum difference of both


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """A calibration of the engine by injected faults."""

    started_at: datetime  # UTC
    command: str  # command line
    extent: str  # 'full', 'quick' or 'some'
    autostrada_version: str  # version that ran the calibration
    engine_version: str  # calibrated version
    host: str  # JSON: facts of the machine, docs/schema.md
    machine: str  # JSON: capabilities of the machine, as the engine's probe found them
    outcome: str  # 'pass', 'fail' or 'disturbed'

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
