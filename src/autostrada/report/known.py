"""What a run knows of a figure or a ratio: its value, and bounds of the true value."""

from dataclasses import dataclass
from math import inf

from autostrada.experiment.matrix import Cell
from autostrada.report.results import Results
from autostrada.report.samples import Sampled, ratio_of
from autostrada.stats.figures import Figure
from autostrada.stats.lower_bound import lower_bound_interval


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownFigure:
    """The figure of a cell, whose true value may be beyond what was measured."""

    sampled: Sampled
    sign: str
    """``≥`` or ``≤`` if the figure is a bound; ``""`` if it is none."""

    @property
    def value(self) -> float:
        """The median of the trials."""
        return self.sampled.interval.median

    @property
    def low(self) -> float:
        """Lower end of the interval; ``-inf`` if the figure is an upper bound."""
        return -inf if self.sign.startswith("≤") else self.sampled.interval.low

    @property
    def high(self) -> float:
        """Upper end of the interval; ``inf`` if the figure is a lower bound."""
        return inf if self.sign.startswith("≥") else self.sampled.interval.high

    @property
    def confidence(self) -> float:
        """Confidence of the interval, between 0 and 1; 0 if there is none."""
        return self.sampled.interval.confidence


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownRatio:
    """
    The ratio of a figure between two cells.

    ``low`` is 0 if there is no lower bound, ``high`` is infinite if there is no upper
    bound.
    """

    value: float
    low: float
    high: float
    confidence: float
    """Confidence of the interval, between 0 and 1; 0 if there is none."""


Known = KnownFigure | KnownRatio


def known_figure(cell: Cell, figure: Figure, results: Results) -> KnownFigure | None:
    """
    Return the figure of a cell; ``None`` if the cell lacks it.

    The memory of trials that ended because of their memory counts as a lower bound.
    """
    outcome = results.outcomes.get(cell)
    if outcome is None:
        return None
    sampled = outcome.figures.get(figure.name)
    ended = results.memory_lower_bounds.get(cell, {}).get(figure.name, ())
    if ended:
        measured = sampled.values if sampled else ()
        sampled = Sampled(
            values=(*measured, *ended),
            known_interval=lower_bound_interval(measured, ended),
        )
    return KnownFigure(sampled=sampled, sign=outcome.sign(figure)) if sampled else None


def known_ratio(of: KnownFigure, to: KnownFigure) -> KnownRatio | None:
    """Return the ratio of two figures; ``None`` if the second one was 0 in a trial."""
    if min(to.sampled.values) <= 0:
        return None
    ratio = ratio_of(of.sampled, to.sampled)
    return KnownRatio(
        value=ratio.value,
        low=0.0 if of.low == -inf or to.high == inf else ratio.low,
        high=inf if of.high == inf or to.low == -inf else ratio.high,
        confidence=ratio.confidence,
    )
