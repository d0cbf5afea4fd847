"""A measured value beside the expected one, and what noise explains of both."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedMetric:
    """A measured value and its expected value; its name ends with the unit if any."""

    metric: str
    seen: float
    expected: float
    tolerance: float = 0
    noise_adds: float = 0
    """Largest excess beyond the tolerance that other load explains."""

    noise_takes: float = 0
    """Largest shortfall beyond the tolerance that other load explains."""

    @property
    def is_met(self) -> bool:
        """Whether the metric is within the tolerance of the expected value."""
        return abs(self.seen - self.expected) <= self.tolerance

    @property
    def may_be_noise(self) -> bool:
        """Whether the metric is as expected, or other load explains the difference."""
        excess = self.seen - self.expected
        return (
            -self.tolerance - self.noise_takes
            <= excess
            <= self.tolerance + self.noise_adds
        )

    @property
    def is_beyond_noise(self) -> bool:
        """
        Whether a metric that noise increases is so small that no noise explains it.

        Stolen time and other programs make waits longer and slow messages more
        numerous. However large they are, they do not remove half of either.
        """
        missing = self.expected - self.seen
        taken = max(self.noise_takes, self.expected / 2)
        return self.noise_adds > 0 and missing > self.tolerance + taken
