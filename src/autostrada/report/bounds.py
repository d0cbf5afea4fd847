"""The measured value of a metric or a ratio, with bounds of its true value."""

from dataclasses import dataclass, replace
from math import inf

from autostrada.report.samples import Sampled, ratio_of
from autostrada.stats.ratio import Ratio


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricBounds:
    """The metric of a cell, whose true value may be beyond what was measured."""

    sampled: Sampled
    sign: str
    """``≥`` or ``≤`` if the metric is a bound; ``""`` if it is none."""

    at_least: Sampled | None = None
    """For an upper bound, the metric that bounds it below; ``None`` if none does."""

    @property
    def value(self) -> float:
        """The median of the trials."""
        return self.sampled.interval.median

    @property
    def low(self) -> float:
        """Lower end of the interval; ``-inf`` if the metric is an upper bound."""
        return -inf if self.sign.startswith("≤") else self.sampled.interval.low

    @property
    def high(self) -> float:
        """Upper end of the interval; ``inf`` if the metric is a lower bound."""
        return inf if self.sign.startswith("≥") else self.sampled.interval.high

    @property
    def ends(self) -> tuple["MetricBounds", "MetricBounds"]:
        """The smallest and the largest that the metric may be, known by itself."""
        if not self.at_least:
            return self, self
        return (
            MetricBounds(sampled=self.at_least, sign=""),
            MetricBounds(sampled=self.sampled, sign=""),
        )

    @property
    def confidence(self) -> float:
        """Confidence of the interval, between 0 and 1; 0 if there is none."""
        return self.sampled.interval.confidence


Bounds = MetricBounds | Ratio


def ratio_bounds(of: MetricBounds, to: MetricBounds) -> Ratio | None:
    """
    Return the ratio of two metrics; ``None`` if the second one was 0 in a trial.

    ``low`` is 0 if there is no lower bound, ``high`` is infinite if there is no upper
    bound.
    """
    if min(to.sampled.values) <= 0:
        return None
    ratio = ratio_of(of.sampled, to.sampled)
    return replace(
        ratio,
        low=0.0 if of.low == -inf or to.high == inf else ratio.low,
        high=inf if of.high == inf or to.low == -inf else ratio.high,
    )
