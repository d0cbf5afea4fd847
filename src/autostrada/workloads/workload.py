"""What every kind of workload is: its parameters and their sweep, and its judgement."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from autostrada.engine.plans import Protocol
from autostrada.stats.search import MEETS_OBJECTIVE, Search
from autostrada.store.record import Figure, Measurement
from autostrada.workloads.report import (
    Configuration,
    Observed,
    Reports,
    Setup,
    Window,
)

Count = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


def point_name(workload: str, parameters: Mapping[str, int | float]) -> str:
    """Return the name of one point of a workload: ``json processes=2 stocks=10``."""
    return " ".join([workload, *(f"{key}={parameters[key]}" for key in parameters)])


class Workload(BaseModel, ABC):
    """
    One workload of an experiment; each kind is a module of this package.

    A kind says what the processes of both ends are configured with, when the measured
    window was, and what becomes of their reports: nothing of it is said elsewhere.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sweepable: ClassVar[frozenset[str]] = frozenset()
    """The parameters that may take several values."""

    client_role: ClassVar[str | None] = None
    """What a contestant's client must claim; ``None``: only the engine is a client."""

    can_contestants_serve: ClassVar[bool] = True
    """Whether contestants may be its servers; else the engine is the only one."""

    is_fed: ClassVar[bool] = False
    """Whether servers send what nobody asks for, at ``/feed``."""

    name: str = Field(pattern=r"^[^\s=]+$")
    servers: tuple[str, ...] | None = None
    """Who serves it, where that is not what the experiment says."""

    clients: tuple[str, ...] | None = None
    sweep: dict[str, Annotated[tuple[int | float, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    """By parameter: its values. Each combination of them is a point."""

    quick: dict[str, object] = Field(default_factory=dict)
    """Parameters that are others in a quick run."""

    @model_validator(mode="after")
    def _has_points(self) -> Self:
        for key in self.sweep:
            if key not in self.sweepable:
                known = ", ".join(sorted(self.sweepable)) or "none"
                raise ValueError(f"cannot sweep {key!r}, only {known}")
        list(self.points())
        if self.quick:
            self.quickly()
        return self

    @abstractmethod
    def server(self, setup: Setup, port: int) -> Configuration:
        """Return what a server is configured with that listens on a port."""

    @abstractmethod
    def client(self, setup: Setup, port: int) -> Configuration:
        """Return what a client is configured with, and which port it connects to."""

    @abstractmethod
    def window(self, reports: Reports) -> Window:
        """
        Return when it was measured.

        Raises:
            ContestantError: it was not.
        """

    @abstractmethod
    def judge(self, reports: Reports, observed: Observed) -> Measurement:
        """
        Make a measurement of what both ends report and what was observed.

        Raises:
            ContestantError: a report contradicts itself, its plan or another one.
        """

    def measure(self, reports: Reports, observed: Observed) -> Measurement:
        """
        Judge a trial; of a search, with the figure that tells what is tried next.

        Raises:
            ContestantError: a report contradicts itself, its plan or another one.
        """
        measurement = self.judge(reports, observed)
        if self.capacity_search is None:
            return measurement
        value = float(not measurement.violation)
        figure = Figure(process="client", figure=MEETS_OBJECTIVE, value=value)
        return replace(measurement, figures=(*measurement.figures, figure))

    @property
    def server_processes(self) -> int:
        """How many processes serve."""
        return 1

    @property
    def client_processes(self) -> int:
        """How many client processes there are, given to those of the server in turn."""
        return 1

    @property
    def is_over_tls(self) -> bool:
        """Whether its connections are over TLS."""
        return False

    @property
    def is_compressed(self) -> bool:
        """Whether it is about clients that compress."""
        return False

    @property
    def required_protocol(self) -> Protocol | None:
        """What both ends must speak, where it is not left to them."""
        return None

    @property
    def capacity_search(self) -> Search | None:
        """How the capacity is searched for, if it is."""
        return None

    @property
    def capacity_of(self) -> str | None:
        """The searched workload whose capacity is the number of its connections."""
        return None

    @property
    def duration_s(self) -> float:
        """How long a trial takes by its plan; 0 where the contestant decides."""
        return 0.0

    def time_limit_s(self, limit_s: float) -> float:
        """Return after how long a trial is given up that may take so much longer."""
        return self.duration_s + limit_s

    def points(self) -> Iterator[Self]:
        """
        Yield a workload for each combination of values, named by :func:`point_name`.

        Raises:
            ValidationError: a value is out of range.
        """
        if not self.sweep:
            yield self
            return
        for values in product(*self.sweep.values()):
            yield self.at(dict(zip(self.sweep, values, strict=True)))

    def at(self, parameters: Mapping[str, int | float]) -> Self:
        """Return this workload with other parameters, named by :func:`point_name`."""
        name = point_name(self.name, parameters)
        changed = self.model_dump() | {**parameters, "sweep": {}, "quick": {}}
        # A point may be taken at further parameters, and its name is none of a file's.
        changed["name"] = self.name.partition(" ")[0]
        point = type(self).model_validate(changed)
        return point.model_copy(update={"name": name})

    def quickly(self) -> Self:
        """Return this workload as a quick run has it."""
        return type(self).model_validate(self.model_dump() | self.quick | {"quick": {}})
