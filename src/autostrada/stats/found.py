"""The points of a search for what a server of the user takes, and what they show."""

from dataclasses import dataclass, field
from statistics import median

from autostrada.stats.confidence import edges_confidence
from autostrada.stats.search import bracket
from autostrada.stats.sizing import Estimate, predicted
from autostrada.stats.varied import Varied

GENERATOR_SHARE_MAX = 0.8
"""The result is a lower bound if the busiest thread used more of its core."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """A load at one value."""

    value: int
    metrics: dict[str, float]
    """The metrics of ``load --csv``, without those that the load does not have."""

    broken: tuple[str, ...] = ()
    """The conditions of the objective that broke, each with the value measured."""

    @property
    def is_met(self) -> bool:
        """Whether the objective was met."""
        return not self.broken

    @property
    def was_generator_limited(self) -> bool:
        """Whether a quicker load generator might have changed the outcome."""
        share = self.metrics.get("generator_cpu_utilization", 0)
        is_limited = self.metrics.get("generator_limited_count", 0)
        return share > GENERATOR_SHARE_MAX or is_limited > 0


@dataclass(kw_only=True, slots=True)
class Found:
    """The points of a search, and what follows from them."""

    vary: Varied
    points: list[Point] = field(default_factory=list)
    ceiling_per_s: int | None = None
    """Rate in a closed loop, which bounds the values; ``None`` if it was not needed."""

    is_complete: bool = True
    """Whether the search ended before its budget did."""

    def outcomes(self) -> dict[int, list[bool]]:
        """Return whether the objective was met, for each load at each value."""
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
    def is_lower_bound(self) -> bool:
        """Whether the load generator, and not the server, may have been the limit."""
        value = self.violated if self.violated is not None else self.met
        return any(
            point.was_generator_limited for point in self.points if point.value == value
        )

    @property
    def server_thread_share(self) -> float | None:
        """Share of a core that the server's busiest thread used where it broke."""
        shares = [
            point.metrics["server_thread_cpu_utilization"]
            for point in self.points
            if point.value == self.violated
            and "server_thread_cpu_utilization" in point.metrics
        ]
        return median(shares) if shares else None

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
            "ceiling_per_s": self.ceiling_per_s,
            "met": self.met,
            "violated": self.violated,
            "confidence": self.confidence,
            "is_complete": self.is_complete,
            "is_lower_bound": self.is_lower_bound,
            "points": [
                {
                    "value": point.value,
                    "broken": list(point.broken),
                    "metrics": point.metrics,
                }
                for point in self.points
            ],
        }
