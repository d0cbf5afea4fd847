"""The base of all kinds of workloads: parameters, sweeps and evaluation."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from autostrada.engine.plans import Protocol
from autostrada.stats.evidence import EndName
from autostrada.store.record import Measurement, WorkloadPoint
from autostrada.workloads.report import (
    Configuration,
    Reports,
    Setup,
    SlicePlan,
    Window,
    WindowObservation,
)

Count = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class HostOfLoad(BaseModel):
    """A host whose CPU time a load uses a share of, as measured in the same round."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    of: str
    """Name of the workload with the load, whose servers have no such limit."""

    share: Annotated[float, Field(gt=0, le=1)]


class Workload(BaseModel, ABC):
    """
    One workload of an experiment; each kind is a module of this package.

    A kind defines the configuration of both ends, the measured window, and how reports
    become a measurement. No other module depends on the kind of a workload.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sweepable: ClassVar[frozenset[str]] = frozenset()
    """Names of the parameters that may be swept."""

    duration_parameter: ClassVar[str] = "seconds"
    """Name of the parameter that is the duration of a trial, in seconds."""

    has_contestant_clients: ClassVar[bool] = False
    """Whether contestants can be clients; otherwise only the engine can."""

    needs_client_observed: ClassVar[bool] = False
    """Whether it needs the CPU time of the client, which is known on this machine."""

    is_race: ClassVar[bool] = False
    """Whether it shows which client is the fastest."""

    name: str = Field(pattern=r"^[^\s=]+$")
    servers: tuple[str, ...] | None = None
    """Names of the servers; ``None`` for those of the experiment."""

    omit_servers: tuple[str, ...] = ()
    """Names of servers of the experiment that the workload leaves out."""

    clients: tuple[str, ...] | None = None
    """Names of the clients; ``None`` for those of the experiment."""

    omit_clients: tuple[str, ...] = ()
    """Names of clients of the experiment that the workload leaves out."""

    sweep: dict[str, Annotated[tuple[int | float, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    """Values by parameter; each combination of values is a point."""

    server_cpu_share_max: Annotated[float, Field(ge=0.01)] | HostOfLoad | None = None
    """CPU time per second of the smaller host of the servers, as a share of one core;
    ``None`` for that of the experiment."""

    server_host_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of the smaller host, of its CPU time and its memory, that the servers of
    this workload have."""

    repetitions_max: Count | None = None
    """Largest number of repetitions of each cell; ``None`` for no other number than
    that of the experiment."""

    shares_servers: bool = False
    """Whether its trials use the servers of a start after the workloads before it that
    do so, instead of starting their own."""

    after: str | None = None
    """Name of a workload of the same servers that precedes it in each round, such as
    one that warms them up."""

    contestant_cores: Count = 1
    """Number of cores of a contestant whose other end is the engine."""

    quick: dict[str, object] = Field(default_factory=dict)
    """Parameters that are overridden in a quick run."""

    @model_validator(mode="after")
    def _has_points(self) -> Self:
        for key in self.sweep:
            if key not in self.sweepable:
                known = ", ".join(sorted(self.sweepable)) or "none"
                raise ValueError(f"cannot sweep {key!r}, only {known}")
        list(self.points())
        if self.quick:
            self.quick_version()
        return self

    @property
    def why_only_engine_serves(self) -> str:
        """Why the server must be the engine; ``""`` if contestants can be servers."""
        return ""

    @property
    def description(self) -> str:
        """What is sent, as a sentence for a page; ``""`` if there is none."""
        return ""

    @property
    def total_connections(self) -> int:
        """Planned number of connections of all clients."""
        return 1

    @property
    def rate_source(self) -> str | None:
        """Name of the workload whose rate decides the offered load; usually none."""
        return None

    @property
    def host_source(self) -> str | None:
        """Name of the workload whose load decides the host; usually none."""
        limit = self.server_cpu_share_max
        return limit.of if isinstance(limit, HostOfLoad) else None

    @property
    def cpu_share_max(self) -> float | None:
        """Its own limit of the servers' CPU time, if it is known."""
        limit = self.server_cpu_share_max
        return None if isinstance(limit, HostOfLoad) else limit

    @property
    def is_dependent(self) -> bool:
        """Whether another workload decides the load or the host, or precedes it."""
        return bool(self.rate_source or self.host_source or self.after)

    def on_host(self, utilization: float) -> Self:
        """Return the workload with the host that ``host_source`` used so much of."""
        limit = self.server_cpu_share_max
        assert isinstance(limit, HostOfLoad), "a workload with a host_source"
        return self.model_copy(
            update={"server_cpu_share_max": utilization / limit.share}
        )

    def at_rate(self, rate_per_s: float) -> Self:
        """Return the workload with the load that a rate of ``rate_source`` decides."""
        del rate_per_s
        return self

    def warmed_up(self, warm_up_s: float) -> Self:
        """
        Return the workload with a warm-up of at least so many seconds.

        It is the same if the workload has no warm-up of a chosen length.
        """
        del warm_up_s
        return self

    def rewarmed(self) -> Self:
        """Return the workload for a server that another workload has warmed up."""
        return self

    @abstractmethod
    def server(self, setup: Setup, port: int) -> Configuration:
        """Return the configuration of a server that listens on ``port``."""

    @abstractmethod
    def client(self, setup: Setup, port: int) -> Configuration:
        """Return the configuration of a client that connects to ``port``."""

    def client_of(self, index: int, setup: Setup, port: int) -> Configuration:
        """Return the configuration of one client process; by default all are alike."""
        del index
        return self.client(setup, port)

    @abstractmethod
    def window(self, reports: Reports) -> Window:
        """
        Return the measured window of a trial.

        Raises:
            ContestantError: the trial failed and has no window.
        """

    @abstractmethod
    def evaluate(self, reports: Reports, observed: WindowObservation) -> Measurement:
        """
        Return the measurement of a trial from the reports of both ends.

        Raises:
            ContestantError: a report contradicts itself, its plan or another one.
        """

    @abstractmethod
    def ranking_metric(self, medians: Sequence[Mapping[str, float]]) -> str:
        """
        Return the name of the metric by which cells are ranked.

        ``medians`` are the metrics of each cell by name.
        """

    @property
    def slice_plan(self) -> SlicePlan | None:
        """How its trials are divided into slices; ``None`` if they are not."""
        return None

    def without_slices(self) -> Self:
        """Return the workload with an undivided window, for a trial run manually."""
        return self

    @property
    def conditions(self) -> str | None:
        """What the title of a ranking says of the workload; usually nothing."""
        return None

    @property
    def memory_instants_s(self) -> Sequence[float]:
        """Instants, in seconds, up to which the maximum of the memory is a metric."""
        return ()

    @property
    def server_processes(self) -> int:
        """Number of server processes."""
        return 1

    @property
    def client_processes(self) -> int:
        """Number of client processes; they are assigned to the servers in turn."""
        return 1

    @property
    def contestant_clients(self) -> int:
        """
        Number of client processes of a contestant that is the client.

        The remaining ones are the engine. If the engine is the client, all of them are.
        """
        return self.client_processes

    @property
    def is_over_tls(self) -> bool:
        """Whether connections use TLS."""
        return False

    @property
    def published_roles(self) -> frozenset[EndName]:
        """Roles of contestants in which their published programs are needed."""
        return frozenset()

    @property
    def is_compressed(self) -> bool:
        """Whether the workload needs clients that support compression."""
        return False

    @property
    def required_protocol(self) -> Protocol | None:
        """Protocol that both ends must speak; ``None`` for that of the contestant."""
        return None

    @property
    def server_claims(self) -> tuple[str, ...]:
        """Keys that a contestant's manifest must set for its server."""
        return ()

    @property
    def client_claims(self) -> tuple[str, ...]:
        """Keys that a contestant's manifest must set for its client."""
        return ()

    @property
    def duration_s(self) -> float:
        """Planned duration of a trial in seconds; 0 if the contestant determines it."""
        return 0.0

    def time_limit_s(self, limit_s: float) -> float:
        """
        Return the duration in seconds after which a trial is aborted.

        ``limit_s`` is the time that a trial may take beyond its plan.
        """
        return self.duration_s + limit_s

    def points(self) -> Iterator[Self]:
        """
        Yield the workload at each combination of values, named as a ``WorkloadPoint``.

        A workload without a sweep yields itself.

        Raises:
            ValidationError: a value is out of range.
        """
        if not self.sweep:
            yield self
            return
        for values in product(*self.sweep.values()):
            parameters = dict(zip(self.sweep, values, strict=True))
            changed = self.model_dump() | {**parameters, "sweep": {}, "quick": {}}
            point = type(self).model_validate(changed)
            # The name of a point has spaces, which the validation of a file rejects.
            texts = {key: str(value) for key, value in parameters.items()}
            name = WorkloadPoint(workload=self.name, parameters=texts)
            yield point.model_copy(update={"name": str(name)})

    def quick_version(self) -> Self:
        """
        Return this workload with its parameters for quick runs.

        Raises:
            ValidationError: a value is out of range.
        """
        return type(self).model_validate(self.model_dump() | self.quick | {"quick": {}})
