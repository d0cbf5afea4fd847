"""A quantile of all trials' durations together, with an interval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import TYPE_CHECKING

from autostrada.stats.buckets import Buckets, merged, middle_ns, rank_of
from autostrada.stats.interval import CONFIDENCE_MIN, attained_confidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COUNTED_TRIALS_MAX = 7
"""Up to here every way to draw the trials is counted: 1,716 of them at most."""

DRAWS = 4_000
"""Of more trials so many resamples are drawn."""

SEED = 2_020
"""The same trials always give the same bounds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantile:
    """A quantile of durations, and the bounds around it, in nanoseconds."""

    value_ns: int
    low_ns: int
    high_ns: int
    confidence: float
    """At most so sure are the bounds, in [0, 1]; 0 where one trial gives none."""


def quantile_interval(
    trials: Sequence[Buckets], quantile: float, confidence: float = CONFIDENCE_MIN
) -> Quantile:
    """
    Return a quantile of all durations together and its percentile bootstrap interval.

    The durations of one trial resemble each other more than those of another: a stall
    slows down thousands of them. So whole trials are drawn again, with replacement, and
    the buckets of each draw are merged before the quantile is asked (A. C. Davison,
    D. V. Hinkley, Bootstrap Methods and their Application, 1997, section 3.8). No
    quantiles are averaged.

    As with ``median_ratio``, ``confidence`` is the smallest of the nominal one and of
    what the range of so many trials attains.
    """
    import numpy as np

    assert trials, "no trials"
    assert all(trial.count for trial in trials), "a trial without durations"
    assert 0 < confidence < 1, confidence
    lowest_ns, at_or_below = _cumulative(trials, quantile)
    totals = np.array([trial.count for trial in trials])
    times, weights = _draws(len(trials))
    ranks = np.array([rank_of(quantile, int(total)) for total in times @ totals])
    places = np.argmax(times @ at_or_below >= ranks[:, np.newaxis], axis=1)
    share = np.cumsum(np.bincount(places, weights, minlength=len(lowest_ns)))
    cut_off = (1 - confidence) / 2
    low, high = np.argmax(share >= cut_off), np.argmax(share >= 1 - cut_off)
    return Quantile(
        value_ns=merged(trials).quantile_ns(quantile),
        low_ns=middle_ns(lowest_ns[low]),
        high_ns=middle_ns(lowest_ns[high]),
        confidence=min(confidence, attained_confidence(len(trials))),
    )


def _cumulative(
    trials: Sequence[Buckets], quantile: float
) -> "tuple[list[int], NDArray[np.int64]]":
    """
    Return the buckets that can hold the quantile, and each trial's count up to them.

    The quantile of several trials together lies between the smallest and the largest
    of their own, so that most buckets need not be looked at. The counts have a row a
    trial and a column a bucket.
    """
    import numpy as np

    own_ns = [trial.quantile_ns(quantile) for trial in trials]
    lowest_ns = [
        lowest
        for lowest, _ in merged(trials).pairs
        if min(own_ns) <= middle_ns(lowest) <= max(own_ns)
    ]
    at_or_below = np.zeros((len(trials), len(lowest_ns)), dtype=np.int64)
    for row, trial in zip(at_or_below, trials, strict=True):
        lowest, counts = np.array(sorted(trial.pairs)).T
        up_to = np.searchsorted(lowest, lowest_ns, side="right")
        row[:] = np.concatenate([[0], np.cumsum(counts)])[up_to]
    return lowest_ns, at_or_below


def _draws(size: int) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """
    Return how often each trial is drawn, a row a resample, and each row's probability.

    Of few trials these are all resamples that there are, otherwise some at random.
    """
    import numpy as np

    if size <= COUNTED_TRIALS_MAX:
        times = np.array(list(_every_draw(size)))
        ways = [factorial(size) / prod(map(factorial, row)) for row in times.tolist()]
        return times, np.array(ways) / size**size
    random = np.random.default_rng(SEED)
    return (
        random.multinomial(size, [1 / size] * size, size=DRAWS),
        np.full(DRAWS, 1 / DRAWS),
    )


def _every_draw(size: int) -> Iterator[list[int]]:
    for draw in combinations_with_replacement(range(size), size):
        yield [draw.count(trial) for trial in range(size)]
