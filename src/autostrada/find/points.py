"""The points of a search for what a server of the user takes, and what they show."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from statistics import median

from autostrada.find import Varied
from autostrada.find.search import bracket, edges_confidence
from autostrada.find.sizing import Estimate, predicted

GENERATOR_CPU_MAX = 0.8
"""The load generator was the limit if its busiest thread used more of its core."""

ANSWERED_MIN = 0.99
"""Share of an open loop's messages from which on all of them were answered."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ceiling:
    """The rate that a server answers at most."""

    per_s: int
    unanswered: int = 0
    """Messages that a closed loop awaits for ever: the rate is that of an open loop."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """A load at one value."""

    value: int
    metrics: dict[str, float]
    """Those that the load has, by their names in ``load --fail-if``."""

    units: dict[str, str] = field(default_factory=dict)
    """The unit of each, as in the head of ``load --csv``."""

    broken: tuple[str, ...] = ()
    """The parts of the objective that did not hold, each with the value measured."""

    is_answered: bool = True
    """Whether messages were answered as fast as they were sent."""

    is_doubtful: bool = False
    """Whether a load generator with CPU time to spare may have changed the outcome."""

    repeats: int = 0
    """How many loads before it were in doubt, and are replaced by it."""

    def document(self) -> dict[str, object]:
        """Return the point as a JSON object, with metrics named by ``load --csv``."""
        metrics = {
            f"{name.replace('-', '_').replace('.', '_')}_{self.units[name]}": value
            for name, value in self.metrics.items()
        }
        shown = {key: value for key, value in asdict(self).items() if key != "units"}
        return shown | {"metrics": metrics}

    @property
    def is_met(self) -> bool:
        """Whether the server takes the load."""
        return self.is_answered and not self.broken

    @property
    def was_generator_limited(self) -> bool:
        """Whether a quicker load generator might have changed the outcome."""
        return self.metrics.get("generator-cpu", 0) > GENERATOR_CPU_MAX


@dataclass(kw_only=True, slots=True)
class SearchResult:
    """The points of a search, and what follows from them."""

    vary: Varied
    points: list[Point] = field(default_factory=list)
    ceiling: Ceiling | None = None
    """Where the search for a rate began; ``None`` if it was not needed."""

    is_complete: bool = True
    """Whether the search ended before its budget did."""

    def outcomes(self) -> dict[int, list[bool]]:
        """Return whether the server took the load, for each load at each value."""
        outcomes: dict[int, list[bool]] = {}
        for point in self.points:
            outcomes.setdefault(point.value, []).append(point.is_met)
        return outcomes

    @property
    def met(self) -> int | None:
        """Highest value that meets the objective; ``None`` if no value did."""
        return bracket(self.outcomes()).met

    @property
    def violated(self) -> int | None:
        """Lowest value that breaks the objective; ``None`` if no value did."""
        return bracket(self.outcomes()).violated

    @property
    def confidence(self) -> float | None:
        """Confidence that the edge lies between the two; ``None`` without both."""
        outcomes = self.outcomes()
        if self.met is None or self.violated is None:
            return None
        return edges_confidence(outcomes[self.met], outcomes[self.violated])

    @property
    def was_generator_limited(self) -> bool:
        """Whether the load generator, and not the server, may have been the limit."""
        return self._are_most(lambda point: point.was_generator_limited)

    @property
    def is_doubtful(self) -> bool:
        """Whether other programs, and not the server, may have been the limit."""
        return self._are_most(lambda point: point.is_doubtful)

    @property
    def is_lower_bound(self) -> bool:
        """Whether the server may take more than was found."""
        return self.was_generator_limited or self.is_doubtful

    @property
    def most_per_s(self) -> int | None:
        """The rate that the server answers at most; ``None`` if it was not reached."""
        if self.met is None or not self._are_most(lambda point: not point.is_answered):
            return None
        return max(self.met, round(self._median("rate") or 0))

    @property
    def server_thread_cpu(self) -> float | None:
        """Share of a core that the server's busiest thread used where it broke."""
        return self._median("server-thread-cpu") if self.violated is not None else None

    def needed(self, metric: str, users: int) -> Estimate | None:
        """
        Return what so many users need of a metric, by the loads that were sustained.

        It is ``None`` if fewer than three numbers of connections were sustained, or the
        server was not watched.
        """
        known = [
            (float(point.value), point.metrics[metric])
            for point in self.points
            if point.is_met and metric in point.metrics
        ]
        return predicted(known, users)

    def broken(self) -> list[str]:
        """Return what broke at the lowest value that breaks the objective."""
        return [
            condition
            for point in self.points
            if point.value == self.violated
            for condition in point.broken
        ]

    def document(self) -> dict[str, object]:
        """Return the result as a JSON object, with all points in their order."""
        return {
            "vary": self.vary,
            "ceiling_per_s": self.ceiling.per_s if self.ceiling else None,
            "unanswered": self.ceiling.unanswered if self.ceiling else None,
            "met": self.met,
            "violated": self.violated,
            "confidence": self.confidence,
            "is_complete": self.is_complete,
            "is_lower_bound": self.is_lower_bound,
            "points": [point.document() for point in self.points],
        }

    def _at_edge(self) -> list[Point]:
        """Return the points where the objective breaks, or else the highest ones."""
        edge = self.violated if self.violated is not None else self.met
        return [point for point in self.points if point.value == edge]

    def _are_most(self, has: Callable[[Point], bool]) -> bool:
        points = self._at_edge()
        return 2 * sum(map(has, points)) > len(points)

    def _median(self, metric: str) -> float | None:
        values = [
            point.metrics[metric]
            for point in self._at_edge()
            if metric in point.metrics
        ]
        return median(values) if values else None
