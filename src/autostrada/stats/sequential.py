"""
A sequential test of a claim: samples are added until it is confirmed or contradicted.

A test that is repeated as samples come is wrong more often each time. A
group-sequential test divides its probability of error among the looks (K. K. G. Lan,
D. L. DeMets, Discrete sequential boundaries for clinical trials, 1983), so that it may
stop at the first look that decides.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from math import comb, inf, sqrt
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING, TypeVar

from autostrada.stats.claim import ClaimLimits, Finding
from autostrada.stats.prior import DEVIATION_MIN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOOKS = (3, 4, 5, 6, 8, 10, 12)
"""Numbers of samples after which the test looks at them."""

ERROR_MAX = 0.05
"""Probability of a false finding in each direction."""

RULE = (
    f"group-sequential t tests, looks after {', '.join(map(str, LOOKS))} rounds, "
    f"{ERROR_MAX:.0%} error a direction, deviations of at least {DEVIATION_MIN:.1%}"
)
"""How the claims of a run with a budget are tested, kept in its plan."""

PATHS = 400_000
"""Number of simulated sequences of samples from which boundaries are computed."""

SEED = 1983

Critical = TypeVar("Critical", bound=float)


@dataclass(frozen=True, kw_only=True, slots=True)
class Errors:
    """Largest probabilities of a false finding, for each of the two findings."""

    confirming: float = ERROR_MAX
    contradicting: float = ERROR_MAX
    rounds: int = LOOKS[-1]
    """Number of samples over which they are spent; no look is after it."""


ONE_COMPARISON = Errors()
"""The errors of a claim that is a single comparison."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """The finding at the first look that decides, or else at the last one so far."""

    finding: Finding
    mean: float
    low: float
    high: float
    """
    Bounds of the mean.

    The interval is repeated: all looks together miss the mean with a probability of
    ``2 * ERROR_MAX`` (C. Jennison, B. W. Turnbull, Interim analyses: the repeated
    confidence interval approach, 1989). They are infinite if the finding is one of
    signs.
    """

    samples: int
    """Number of samples at that look."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlook:
    """What more samples are expected to show of a test that is undecided."""

    confirming: float
    """Probability that a later look confirms, between 0 and 1."""

    contradicting: float
    """Probability that it contradicts, between 0 and 1."""

    next_samples: int
    """
    Number of further samples until that look; 0 after the last one.

    Of the later looks it is the one with the best chance of a decision a sample.
    """

    needed_samples: int | None
    """
    Number of further samples until the look that is expected to decide.

    It is ``None`` if no look is: the mean is too close to a limit.
    """


NO_OUTLOOK = Outlook(
    confirming=0.0, contradicting=0.0, next_samples=0, needed_samples=None
)
"""What is expected of a test that no further sample can decide."""


def decide(
    samples: Sequence[float],
    limits: ClaimLimits,
    *,
    errors: Errors = ONE_COMPARISON,
    is_discrete: bool = False,
) -> Decision | None:
    """
    Test whether the mean of samples is within limits; ``None`` before the first look.

    Each limit is tested on its own: a mean within two limits has to pass both tests,
    so neither needs a correction (R. L. Berger, Multiparameter hypothesis testing and
    acceptance sampling, 1982). The deviation is at least ``DEVIATION_MIN``: samples are
    logarithms. If what they measure is discrete, equal samples decide nothing, as they
    do not tell how often they are different.
    """
    decision = None
    for look, inner, outer in _looks(boundaries, errors):
        if len(samples) < look:
            break
        mean = fmean(samples[:look])
        spread = _deviation(samples[:look]) / sqrt(look)
        low, high = mean - inner * spread, mean + inner * spread
        finding = Finding.INCONCLUSIVE
        if is_discrete and are_equal(samples[:look]):
            pass
        elif limits.least <= low and high <= limits.most:
            finding = Finding.CONFIRMED
        elif (
            mean + outer * spread < limits.least or limits.most < mean - outer * spread
        ):
            finding = Finding.CONTRADICTED
        decision = Decision(
            finding=finding, mean=mean, low=low, high=high, samples=look
        )
        if finding is not Finding.INCONCLUSIVE:
            break
    return decision


def are_equal(samples: Sequence[float]) -> bool:
    """Whether samples differ only by rounding."""
    return len({round(sample, 9) for sample in samples}) < 2


def decide_signs(
    is_met: Sequence[bool], *, errors: Errors = ONE_COMPARISON
) -> Decision | None:
    """
    Test whether most trials meet a limit; ``None`` before the first look.

    It is the exact test of signs, for metrics such as counts that are often 0 and have
    no logarithm. The mean is the share of the trials that meet the limit.
    """
    decision = None
    for look, inner, outer in _looks(_sign_boundaries, errors):
        if len(is_met) < look:
            break
        met = sum(is_met[:look])
        finding = Finding.INCONCLUSIVE
        if met >= inner:
            finding = Finding.CONFIRMED
        elif look - met >= outer:
            finding = Finding.CONTRADICTED
        decision = Decision(
            finding=finding, mean=met / look, low=-inf, high=inf, samples=look
        )
        if finding is not Finding.INCONCLUSIVE:
            break
    return decision


def outlook(
    samples: Sequence[float],
    limits: ClaimLimits,
    *,
    errors: Errors = ONE_COMPARISON,
) -> Outlook:
    """
    Predict what further samples show, from at least ``LOOKS[0]`` of them.

    The mean at a later look is normally distributed about the present one: further
    samples vary as those so far do, and the true mean is not known exactly. The
    arguments are those of ``decide``.
    """
    number, mean = len(samples), fmean(samples)
    deviation = _deviation(samples)
    within = min(mean - limits.least, limits.most - mean)
    later = []
    for look, inner, outer in _looks(boundaries, errors):
        if look > number:
            added = look - number
            spread = deviation / sqrt(look)
            uncertain = deviation * sqrt(added + added**2 / number) / look
            confirming = within - inner * spread
            contradicting = -within - outer * spread
            is_expected = max(confirming, contradicting) >= 0
            later.append(
                Outlook(
                    confirming=_probability(confirming, uncertain),
                    contradicting=_probability(contradicting, uncertain),
                    next_samples=added,
                    needed_samples=added if is_expected else None,
                )
            )
    return _best(later)


def sign_outlook(is_met: Sequence[bool], *, errors: Errors = ONE_COMPARISON) -> Outlook:
    """
    Predict what further trials show by their signs, from at least ``LOOKS[0]`` of them.

    A later trial meets the limit with the share of those so far, each outcome counted
    once more (the rule of succession). The arguments are those of ``decide_signs``.
    """
    number, met = len(is_met), sum(is_met)
    share = (met + 1) / (number + 2)
    later = []
    for look, inner, outer in _looks(_sign_boundaries, errors):
        if look > number:
            added = look - number
            likely = [
                comb(added, more) * share**more * (1 - share) ** (added - more)
                for more in range(added + 1)
            ]
            more = round(added * met / number)
            is_expected = met + more >= inner or look - met - more >= outer
            later.append(
                Outlook(
                    confirming=sum(likely[max(0, inner - met) :]),
                    contradicting=sum(likely[: max(0, look - met - outer + 1)]),
                    next_samples=added,
                    needed_samples=added if is_expected else None,
                )
            )
    return _best(later)


def _best(later: Sequence[Outlook]) -> Outlook:
    """Return that of the look which decides with the best chance a sample."""
    if not later:
        return NO_OUTLOOK
    best = max(
        later,
        key=lambda look: max(look.confirming, look.contradicting) / look.next_samples,
    )
    needed = (look.needed_samples for look in later if look.needed_samples)
    return replace(best, needed_samples=next(needed, None))


def _looks(
    critical: Callable[[float], tuple[Critical, ...]], errors: Errors
) -> Iterator[tuple[int, Critical, Critical]]:
    """
    Yield each look with what confirms and what contradicts there.

    Boundaries spend an error over ``LOOKS[-1]`` samples.
    """
    scale = LOOKS[-1] / errors.rounds
    inner = critical(errors.confirming * scale)
    outer = critical(errors.contradicting * scale)
    for look, *limits in zip(LOOKS, inner, outer, strict=True):
        if look <= errors.rounds:
            yield look, limits[0], limits[1]


@cache
def boundaries(error: float, looks: tuple[int, ...] = LOOKS) -> tuple[float, ...]:
    """
    Return the critical value of the t statistic at each look.

    Error is spent in proportion to the number of samples (K. Kim, D. L. DeMets, Design
    and analysis of group sequential tests based on the type I error spending rate
    function, 1987). With few degrees of freedom the statistic is far from normal, so
    that its joint distribution over the looks is simulated.
    """
    import numpy as np

    left = np.ones(PATHS, dtype=bool)
    critical = []
    for look, values in zip(looks, _statistics(looks), strict=True):
        allowed = int(error * look / looks[-1] * PATHS)
        spent = max(1, allowed - int(PATHS - left.sum()))
        value = float(np.partition(values[left], -spent)[-spent])
        critical.append(value)
        left &= values < value
    return tuple(critical)


@cache
def _statistics(looks: tuple[int, ...]) -> "NDArray[np.float64]":
    """Return simulated statistics: a row a look, a column a sequence of samples."""
    import numpy as np

    samples = np.random.default_rng(SEED).standard_normal((looks[-1], PATHS))
    rows = []
    for look in looks:
        deviations = samples[:look].std(axis=0, ddof=1)
        rows.append(samples[:look].mean(axis=0) / deviations * np.sqrt(look))
    return np.stack(rows)


def _probability(distance: float, deviation: float) -> float:
    """Return the probability that a normal variable is at most ``distance``."""
    if deviation == 0 or abs(distance) == inf:
        return float(distance >= 0)
    return NormalDist(sigma=deviation).cdf(distance)


def _deviation(samples: Sequence[float]) -> float:
    return max(stdev(samples), DEVIATION_MIN)


@cache
def _sign_boundaries(error: float) -> tuple[int, ...]:
    """Return the number of trials at each look that have to agree."""
    critical = []
    # Probability of each number of agreeing trials, without a finding so far.
    left, number, spent = {0: 1.0}, 0, 0.0
    for look in LOOKS:
        added = look - number
        ways = [comb(added, more) / 2**added for more in range(added + 1)]
        after: dict[int, float] = {}
        for agreeing, share in left.items():
            for more, way in enumerate(ways):
                after[agreeing + more] = after.get(agreeing + more, 0.0) + share * way
        allowed = error * look / LOOKS[-1] - spent
        needed = look + 1
        for agreeing, tail in _tails(after):
            if tail <= allowed:
                needed = agreeing
        spent += sum(share for each, share in after.items() if each >= needed)
        left = {each: share for each, share in after.items() if each < needed}
        number = look
        critical.append(needed)
    return tuple(critical)


def _tails(shares: dict[int, float]) -> Iterator[tuple[int, float]]:
    """Yield each number and the probability of at least it, the largest first."""
    numbers = sorted(shares, reverse=True)
    yield from zip(
        numbers, accumulate(shares[number] for number in numbers), strict=True
    )
