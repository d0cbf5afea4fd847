"""Workloads: what is sent, by whom and how; values, and the points of their sweeps."""

from collections.abc import Iterator, Mapping
from itertools import product
from math import ceil
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from autostrada.experiment.document import Document

Count = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


def point_name(workload: str, parameters: Mapping[str, int | float]) -> str:
    """Return the name of one point of a workload: ``json processes=2 stocks=10``."""
    return " ".join([workload, *(f"{key}={parameters[key]}" for key in parameters)])


class _Workload(Document):
    sweepable: ClassVar[frozenset[str]] = frozenset()
    """The parameters that may take several values."""

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

    @property
    def duration_s(self) -> float:
        """How long a trial takes by its plan; 0 where the contestant decides."""
        return 0.0

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


class Payload(Document):
    """One message: a text, or bytes in Base64."""

    text: str | None = None
    base64: str | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.text is None) == (self.base64 is None):
            raise ValueError("give text or base64")
        return self


class Search(Document):
    """
    The most of a parameter at which all is well, found by ramp and bisection.

    ``bots`` are well where so much of what was offered was achieved, within the
    response time if there is one; a ``feed`` at an interval where every message reaches
    every connection within the interval, memory is flat and no connection drops.
    """

    parameter: Literal["connections"]
    first: Count
    last: Count
    """Beyond it nothing is tried."""

    factor: float = Field(default=2.0, ge=1.01)
    """Of the ramp: each step is so many times the one before."""

    precision: float = Field(default=0.05, gt=0, lt=1)
    """Bisection ends where the edges are so close, as a share of the upper one."""

    repetitions: Count = 3
    """How often the two edges are tried in all."""

    achieved_share_min: float = Field(default=0.99, gt=0, le=1)
    response_time_ms_max: float | None = Field(default=None, gt=0)
    response_time_quantile: float = Field(default=0.99, gt=0, lt=1)


class Push(_Workload):
    """The engine's server sends so many messages as fast as the client takes them."""

    kind: Literal["push"]
    messages: Count
    payload_text: str
    frames_per_write: Literal["many", "one"]
    deflate: bool = False
    """
    The server grants permessage-deflate, and those clients offer it whose libraries do
    so of themselves: docs/contract.md, clause 3.6.
    """


class Feed(_Workload):
    """
    A server sends each message to everybody: continuously, or at an interval.

    Client processes are given to the server's workers in turn; each worker has a port
    and an audience of its own.
    """

    sweepable: ClassVar[frozenset[str]] = frozenset(
        {"connections", "processes", "stocks", "every_ms"}
    )

    kind: Literal["feed"]
    feed: Literal["hello", "sequence", "clock", "stocks"]
    encoding: Literal["json", "binary"] = "json"
    seconds: Seconds
    every_ms: float | None = Field(default=None, gt=0)
    """Without it, continuously."""

    stocks: Count = 1
    """Records in each message of ``stocks``."""

    processes: Count = 1
    """Of clients."""

    connections: Count = 1
    """Of each client process."""

    connections_of: str | None = None
    """A searched workload: ``connections`` are then the most that it finds."""

    workers: Count = 1
    """Processes of the server."""

    connect_rate_per_s: float | None = Field(default=None, gt=0)
    """Of all connections together, where clients are the engine; else all at once."""

    tls: bool = False
    cipher_suite: str | None = None
    """The only one that the engine's clients offer, by its IANA name."""

    search: Search | None = None

    @model_validator(mode="after")
    def _can_share(self) -> Self:
        if self.processes % self.workers:
            raise ValueError(
                f"processes: {self.processes} cannot be shared evenly by "
                f"{self.workers} workers"
            )
        return self

    @model_validator(mode="after")
    def _has_one_size(self) -> Self:
        if self.connections_of and (self.search or "connections" in self.sweep):
            raise ValueError(
                "connections_of: what another workload finds is one number: leave out "
                "search, and connections in sweep"
            )
        return self

    @model_validator(mode="after")
    def _can_be_searched(self) -> Self:
        has_instants = self.feed in ("clock", "stocks")
        if self.search and not (has_instants and self.every_ms):
            raise ValueError(
                "search: whether a feed comes within its interval is told by its "
                "instants: give every_ms, and clock or stocks as feed"
            )
        return self

    @property
    def duration_s(self) -> float:
        """Opening the connections, where their rate is planned, and the feed."""
        if self.every_ms is None:
            return self.opening_s + self.seconds
        # It ends when the message after its last would be due.
        intervals = ceil(self.seconds * 1e3 / self.every_ms)
        return self.opening_s + intervals * self.every_ms / 1e3

    @property
    def opening_s(self) -> float:
        """How long connections are opened by their rate; 0 where all at once."""
        if self.connect_rate_per_s is None:
            return 0.0
        return self.connections * self.processes / self.connect_rate_per_s


class Bots(_Workload):
    """Each connection sends at its instants, whatever is answered, to ``/echo``."""

    sweepable: ClassVar[frozenset[str]] = frozenset({"connections", "every_ms"})

    kind: Literal["bots"]
    payload: Payload = Payload(text="hello world")
    every_ms: float = Field(default=1000.0, gt=0)
    connections: Count = 1
    transport: Literal["websocket", "polling"] = "websocket"
    """Of Socket.IO."""

    warm_up_s: float = Field(default=1.0, ge=0)
    window_s: Seconds
    drain_s: float = Field(default=5.0, ge=0)
    tls: bool = False
    search: Search | None = None

    @property
    def duration_s(self) -> float:
        """Warm-up and window."""
        return self.warm_up_s + self.window_s


Workload = Annotated[Push | Feed | Bots, Field(discriminator="kind")]
