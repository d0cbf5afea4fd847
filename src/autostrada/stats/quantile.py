"""Quantiles of the pooled durations of all trials, with an interval."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import TYPE_CHECKING

from autostrada.stats.buckets import Value, count_of, quantile_ns, rank_of
from autostrada.stats.interval import CONFIDENCE_MIN, Interval, attained_confidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COUNTED_TRIALS_MAX = 7
"""Maximum number of trials whose resamples are enumerated, which are at most 1,716."""

DRAWS = 4_000
"""Number of random resamples of more trials."""

SEED = 2_020
"""Seed of the resamples, so that the same trials always give the same bounds."""

Trials = Sequence[Sequence[Value]]
"""The histogram of durations of each trial."""


def pooled_ns(trials: Trials, quantile: float) -> int:
    """Return a quantile of the pooled durations of all trials, in nanoseconds."""
    return quantile_ns([value for trial in trials for value in trial], quantile)


def quantile_interval(
    trials: Trials, quantile: float, confidence: float = CONFIDENCE_MIN
) -> Interval:
    """
    Return a quantile of all pooled durations and its percentile bootstrap interval.

    Durations of one trial are correlated: a stall delays thousands of them. So whole
    trials are resampled, with replacement, and the buckets of each resample are added
    before its quantile is computed (A. C. Davison, D. V. Hinkley, Bootstrap Methods and
    their Application, 1997, section 3.8). Quantiles are never averaged.

    As in ``median_ratio``, the confidence is at most what the range of the trials
    attains. All values are in nanoseconds.
    """
    import numpy as np

    assert 0 < confidence < 1, confidence
    values_ns, weights = quantile_distribution(trials, quantile)
    share = np.cumsum(weights)
    cut_off = (1 - confidence) / 2
    low, high = np.argmax(share >= cut_off), np.argmax(share >= 1 - cut_off)
    return Interval(
        median=float(pooled_ns(trials, quantile)),
        low=float(values_ns[low]),
        high=float(values_ns[high]),
        confidence=min(confidence, attained_confidence(len(trials))),
    )


def quantile_distribution(
    trials: Trials, quantile: float
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return the possible quantiles of a resample in ns, and their probabilities."""
    import numpy as np

    assert trials, "no trials"
    assert all(map(count_of, trials)), "a trial without durations"
    values_ns, at_or_below = _cumulative(trials, quantile)
    totals = np.array([count_of(trial) for trial in trials])
    times, weights = _draws(len(trials))
    ranks = np.array([rank_of(quantile, int(total)) for total in times @ totals])
    places = np.argmax(times @ at_or_below >= ranks[:, np.newaxis], axis=1)
    shares = np.bincount(places, weights, minlength=len(values_ns))
    return np.array(values_ns, dtype=np.float64), np.asarray(shares, dtype=np.float64)


def _cumulative(
    trials: Trials, quantile: float
) -> "tuple[list[int], NDArray[np.int64]]":
    """
    Return the possible quantiles, and each trial's number of durations up to them.

    The quantile of pooled trials lies between the smallest and the largest quantile of
    single trials, so most buckets can be skipped. The counts have a row for each trial
    and a column for each duration.
    """
    import numpy as np

    own_ns = [quantile_ns(trial, quantile) for trial in trials]
    values_ns = sorted(
        {
            value
            for trial in trials
            for value, _ in trial
            if min(own_ns) <= value <= max(own_ns)
        }
    )
    at_or_below = np.zeros((len(trials), len(values_ns)), dtype=np.int64)
    for row, trial in zip(at_or_below, trials, strict=True):
        values, counts = np.array(sorted(trial)).T
        up_to = np.searchsorted(values, values_ns, side="right")
        row[:] = np.concatenate([[0], np.cumsum(counts)])[up_to]
    return values_ns, at_or_below


def _draws(size: int) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """
    Return how often each resample contains each trial, and each resample's probability.

    The counts have a row for each resample. For few trials all resamples are
    enumerated, otherwise random ones are drawn.
    """
    import numpy as np

    if size <= COUNTED_TRIALS_MAX:
        draws = combinations_with_replacement(range(size), size)
        times = np.array(
            [[draw.count(trial) for trial in range(size)] for draw in draws]
        )
        ways = [factorial(size) / prod(map(factorial, row)) for row in times.tolist()]
        return times, np.array(ways) / size**size
    random = np.random.default_rng(SEED)
    return (
        random.multinomial(size, [1 / size] * size, size=DRAWS),
        np.full(DRAWS, 1 / DRAWS),
    )
