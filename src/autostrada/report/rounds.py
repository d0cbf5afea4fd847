"""Tests of requirements: what the rounds of a run measured of a metric or a ratio."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, exp, inf, log
from statistics import median

from autostrada.experiment.publication import ClaimRequirement, Publication
from autostrada.report import number
from autostrada.report.known import Known, KnownMetric, known_ratio
from autostrada.report.results import Results, known_metric
from autostrada.stats.claim import Finding, within
from autostrada.stats.interval import CONFIDENCE_MIN
from autostrada.stats.metrics import METRICS
from autostrada.stats.prior import Prior
from autostrada.stats.sequential import (
    LOOKS,
    NO_OUTLOOK,
    ONE_COMPARISON,
    Decision,
    Errors,
    MeanLimits,
    Outlook,
    are_equal,
    common_variance,
    decide,
    decide_signs,
    outlook,
    sign_outlook,
)

Priors = Mapping[str, Prior | None]
"""What the comparisons of a publication tell about variances, by metric."""

LEFT_OUT_SHARE = 0.25
"""Share of the rounds without which a finding must not be reversed."""

FIRST_LOOK = Outlook(
    confirming=0.5, contradicting=0.5, next_samples=1, needed_samples=None
)
"""What is assumed of rounds before the first look."""

Pair = tuple[float, float]
"""Both values of a round; the second is 1 for a metric that is not compared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tested:
    """The test of a requirement: its finding, and the value that was found."""

    finding: Finding
    value: float
    """The metric, or the ratio of two."""

    low: float
    high: float
    """Bounds of the value; 0 or infinite without one."""

    rounds: int = 0
    """Number of rounds that the finding needed; 0 if it is not one of rounds."""

    outlook: Outlook = NO_OUTLOOK
    """What more rounds are expected to show, if there is no finding."""

    reason: str = ""
    """Why there is no finding, as a clause; ``""`` if there is one."""


def priors(publication: Publication, results: Results) -> Priors:
    """Return what the comparisons of each metric tell about each other's variance."""
    samples: dict[str, dict[ClaimRequirement, list[float]]] = defaultdict(dict)
    for claim in publication.claim:
        for required in claim.requirements:
            compared = replace(required, at_least=None, at_most=None)
            metric = METRICS[required.metric]
            known = [known_metric(cell, metric, results) for cell in required.cells]
            of, *to = [cell for cell in known if cell] if all(known) else [None]
            pairs = _pairs(of, to[0] if to else None) if of else []
            samples[required.metric][compared] = _logarithms(pairs)
    return {
        metric: common_variance(list(groups.values()))
        for metric, groups in samples.items()
    }


def evaluate_requirement(
    required: ClaimRequirement,
    of: KnownMetric,
    to: KnownMetric | None,
    *,
    prior: Prior | None = None,
    errors: Errors = ONE_COMPARISON,
) -> Tested:
    """
    Test whether a metric, or its ratio to that of another cell, is within limits.

    Only rounds in which both cells were measured count: a ratio within a round cancels
    what both sides suffered. A metric of which some trials only tell a lower bound has
    an interval of its own. If a value is 0, its sign counts.
    """
    known: Known | None = of if to is None else known_ratio(of, to)
    if known is None:
        return _undecided(inf, "the second is 0, so there is no ratio")
    if of.sampled.lower_bounds or (to and to.sampled.lower_bounds):
        return _by_interval(required, known)
    pairs = _pairs(of, to)
    if len(pairs) < LOOKS[0]:
        reason = (
            f"a finding needs at least {LOOKS[0]} rounds, of which {len(pairs)} "
            f"{'was' if len(pairs) == 1 else 'were'} measured"
        )
        return replace(_undecided(known.value, reason), outlook=FIRST_LOOK)
    least = -inf if required.at_least is None else required.at_least
    most = inf if required.at_most is None else required.at_most
    logarithms = _logarithms(pairs)
    is_discrete = METRICS[required.metric].unit in ("count", "share")
    if (
        not logarithms
        or (is_discrete and are_equal(logarithms))
        or not (least == -inf or least > 0)
        or most <= 0
    ):
        is_met = [least * below <= above <= most * below for above, below in pairs]
        decision = decide_signs(is_met, errors=errors)
        expected = sign_outlook(is_met, errors=errors)
    else:
        limits = MeanLimits(least=_log(least), most=_log(most))
        decision = decide(
            logarithms, limits, prior=prior, errors=errors, is_discrete=is_discrete
        )
        expected = outlook(logarithms, limits, prior=prior, errors=errors)
    assert decision, "there are enough rounds for the first look"
    has_bounds = decision.high < inf
    low = exp(decision.low) if has_bounds else 0.0
    high = exp(decision.high) if has_bounds else inf
    value = exp(decision.mean) if has_bounds else known.value
    tested = Tested(finding=decision.finding, value=value, low=low, high=high)
    if _is_reversed(decision, pairs, _stolen(of, to), least, most):
        return replace(
            tested,
            finding=Finding.INCONCLUSIVE,
            reason="the rounds in which the hypervisor took the least time say the "
            "opposite",
        )
    tested = replace(tested, rounds=decision.samples, outlook=expected)
    return _bounded(tested, of, to, least=least, most=most)


def _is_reversed(
    decision: Decision,
    pairs: Sequence[Pair],
    stolen: Sequence[float],
    least: float,
    most: float,
) -> bool:
    """
    Return whether a finding depends on rounds in which much time was stolen.

    The quarter of the rounds with the most stolen time, chosen by that alone, is left
    out. The median of the others has to be on the same side of the limits.
    """
    if decision.finding is Finding.INCONCLUSIVE or max(stolen) == 0:
        return False
    left_out = ceil(decision.samples * LEFT_OUT_SHARE)
    order = sorted(range(decision.samples), key=lambda each: stolen[each])
    ratios = [above / below for above, below in (pairs[each] for each in order)]
    is_within = least <= median(ratios[:-left_out]) <= most
    return is_within is (decision.finding is Finding.CONTRADICTED)


def _by_interval(required: ClaimRequirement, known: Known) -> Tested:
    """Evaluate a metric by the interval that it has from elsewhere."""
    if known.confidence < CONFIDENCE_MIN:
        return _undecided(known.value, _too_unsure(known.confidence))
    finding = within(
        known.low, known.high, at_least=required.at_least, at_most=required.at_most
    )
    return Tested(finding=finding, value=known.value, low=known.low, high=known.high)


def _too_unsure(confidence: float) -> str:
    """Say why a metric has too little confidence for a finding, and what gives more."""
    if not confidence:
        return "one repetition has no interval"
    return (
        f"its interval has {number.confidence(confidence)} confidence: a finding needs "
        f"{number.confidence(CONFIDENCE_MIN)}, which at least six repetitions give"
    )


def _undecided(value: float, reason: str) -> Tested:
    return Tested(
        finding=Finding.INCONCLUSIVE, value=value, low=0.0, high=inf, reason=reason
    )


def _bounded(
    found: Tested,
    of: KnownMetric,
    to: KnownMetric | None,
    *,
    least: float,
    most: float,
) -> Tested:
    """Return a test without what a bound of one of its metrics does not show."""
    has_low = of.low > -inf and (to is None or to.high < inf)
    has_high = of.high < inf and (to is None or to.low > -inf)
    needed = {
        Finding.CONFIRMED: (least == -inf or has_low) and (most == inf or has_high),
        Finding.CONTRADICTED: has_low if found.value > most else has_high,
        Finding.INCONCLUSIVE: True,
    }
    expected = found.outlook
    is_within = needed[Finding.CONFIRMED]
    is_beyond = needed[Finding.CONTRADICTED]
    return replace(
        found,
        outlook=replace(
            expected,
            confirming=expected.confirming if is_within else 0.0,
            contradicting=expected.contradicting if is_beyond else 0.0,
        ),
        finding=found.finding if needed[found.finding] else Finding.INCONCLUSIVE,
        low=found.low if has_low else 0.0,
        high=found.high if has_high else inf,
    )


def _pairs(of: KnownMetric, to: KnownMetric | None) -> list[Pair]:
    """Return both values of each round that has both."""
    above = of.sampled.by_round
    if to is None:
        return [(value, 1.0) for value in above.values()]
    below = to.sampled.by_round
    return [(value, below[each]) for each, value in above.items() if each in below]


def _stolen(of: KnownMetric, to: KnownMetric | None) -> list[float]:
    """Return the stolen share of a core in each of these rounds, the larger of two."""
    above = of.sampled.stolen_by_round
    below = to.sampled.stolen_by_round if to else above
    return [max(share, below[each]) for each, share in above.items() if each in below]


def _logarithms(pairs: Sequence[Pair]) -> list[float]:
    """Return the logarithm of each round's ratio; empty if a value is 0."""
    if min(map(min, pairs), default=0) <= 0:
        return []
    return [log(above / below) for above, below in pairs]


def _log(limit: float) -> float:
    """Return the logarithm of a limit; a limit of at most 0 is none."""
    if limit <= 0:
        return -inf
    return log(limit) if limit < inf else limit
