"""What the variances of similar comparisons tell about each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log

COMPARISONS_MIN = 8
"""Smallest number of comparisons from which a common variance is estimated."""

DEGREES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
"""Degrees of freedom of a common variance; few, as boundaries take a second each."""

DEGREES_MAX = 100.0
"""Degrees of freedom from which variances count as equal."""

DEVIATION_MIN = 0.001
"""Smallest standard deviation of a logarithm: samples that are closer to each other are
so by chance, or their differences were not resolved."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prior:
    """What similar comparisons tell about a variance."""

    variance: float
    degrees: float
    """Degrees of freedom; infinite if the variances of comparisons do not differ."""


def prior_of(found: Sequence[tuple[float, float]]) -> Prior | None:
    """
    Estimate what similar comparisons tell, each a variance and its degrees of freedom.

    The estimate matches mean and variance of the logarithms of their variances (G. K.
    Smyth, Linear models and empirical Bayes methods, 2004, section 6.2). It is ``None``
    with fewer than ``COMPARISONS_MIN`` comparisons, and if their variances have hardly
    anything in common.
    """
    import numpy as np
    from scipy.optimize import brentq
    from scipy.special import digamma, polygamma

    found = [(value, degrees) for value, degrees in found if value > 0]
    if len(found) < COMPARISONS_MIN:
        return None
    half = np.asarray([degrees / 2 for _, degrees in found])
    logs = np.log([value for value, _ in found]) - digamma(half) + np.log(half)
    mean = float(logs.mean())
    excess = float(logs.var(ddof=1) - polygamma(1, half).mean())
    # Trigamma falls from infinity to 0.
    if excess <= float(polygamma(1, DEGREES_MAX / 2)):
        return Prior(variance=exp(mean), degrees=inf)
    half_degrees = brentq(lambda each: polygamma(1, each) - excess, 1e-3, DEGREES_MAX)
    if 2 * half_degrees < DEGREES[0]:
        return None
    degrees = max(degree for degree in DEGREES if degree <= 2 * half_degrees)
    shift = float(digamma(degrees / 2)) - log(degrees / 2)
    return Prior(variance=exp(mean + shift), degrees=degrees)


def moderated(own: float, degrees: float, prior: Prior | None) -> float:
    """Return a variance, moderated by that of similar comparisons, or the smallest."""
    if prior is not None and prior.degrees == inf:
        own = prior.variance
    elif prior is not None:
        total = prior.degrees * prior.variance + degrees * own
        own = total / (prior.degrees + degrees)
    return max(own, DEVIATION_MIN**2)
