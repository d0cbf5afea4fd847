"""Tests of requirements: what the rounds of a run measured of a metric or a ratio."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, exp, inf, log
from statistics import fmean, median

from autostrada.experiment.publication import ClaimRequirement
from autostrada.report import number
from autostrada.report.bounds import Bounds, MetricBounds, ratio_bounds
from autostrada.stats.claim import ClaimLimits, Finding, within
from autostrada.stats.interval import CONFIDENCE_MIN
from autostrada.stats.metrics import METRICS
from autostrada.stats.sequential import (
    LOOKS,
    NO_OUTLOOK,
    ONE_COMPARISON,
    Decision,
    Errors,
    Outlook,
    are_equal,
    decide,
    decide_signs,
    outlook,
    sign_outlook,
)

LEFT_OUT_SHARE = 0.25
"""Share of the rounds without which a finding must not be reversed."""

ONLY_BOUND = "the value is known from one side only"

FIRST_LOOK = Outlook(
    confirming=0.5, contradicting=0.5, next_samples=1, needed_samples=None
)
"""What is assumed of rounds before the first look."""

Pair = tuple[float, float]
"""Both values of a round; the second is 1 for a metric that is not compared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """What one round shows of a requirement."""

    pair: Pair
    stolen_share: float
    """Largest share of a core that the hypervisor took from either side."""

    machine: str
    """The machine in words; ``""`` if it is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequirementTest:
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

    by_machine: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    """Value and number of rounds of each machine, if there are several."""


def evaluate_requirement(
    required: ClaimRequirement,
    of: MetricBounds,
    to: MetricBounds | None,
    errors: Errors = ONE_COMPARISON,
) -> RequirementTest:
    """
    Test whether a metric, or its ratio to that of another cell, is within limits.

    Only rounds in which both cells were measured count: a ratio within a round cancels
    what both sides suffered. A metric of which some trials only tell a lower bound has
    an interval of its own. If a value is 0, its sign counts. If a metric is between two
    others, both have to decide alike.
    """
    if of.at_least or (to and to.at_least):
        (of_least, of_most), (to_least, to_most) = of.ends, to.ends if to else (to, to)
        smallest, largest = (
            evaluate_requirement(required, *sides, errors)
            for sides in ((of_least, to_most), (of_most, to_least))
        )
        return _between(smallest, largest, required.limits)
    bounds: Bounds | None = of if to is None else ratio_bounds(of, to)
    if bounds is None:
        return _undecided(inf, "the second is 0, so there is no ratio")
    if of.sampled.lower_bounds or (to and to.sampled.lower_bounds):
        return _by_interval(required, bounds)
    rounds = _rounds(of, to)
    if required.is_of_machine:
        rounds = [each for each in rounds if each.machine == rounds[-1].machine]
    pairs = [each.pair for each in rounds]
    if len(pairs) < LOOKS[0]:
        reason = (
            f"a finding needs at least {LOOKS[0]} rounds, of which {len(pairs)} "
            f"{'was' if len(pairs) == 1 else 'were'} measured"
        )
        return replace(_undecided(bounds.value, reason), outlook=FIRST_LOOK)
    decision, expected = _decided(pairs, required, errors)
    has_bounds = decision.high < inf
    low = exp(decision.low) if has_bounds else 0.0
    high = exp(decision.high) if has_bounds else inf
    value = exp(decision.mean) if has_bounds else bounds.value
    test = RequirementTest(
        finding=decision.finding,
        value=value,
        low=low,
        high=high,
        by_machine=_by_machine(rounds),
    )
    if _is_reversed(decision, rounds, required.limits):
        return replace(
            test,
            finding=Finding.INCONCLUSIVE,
            reason="the rounds in which the hypervisor took the least time say the "
            "opposite",
        )
    test = replace(test, rounds=decision.samples, outlook=expected)
    return _bounded(test, of, to, required.limits)


def _decided(
    pairs: Sequence[Pair], required: ClaimRequirement, errors: Errors
) -> tuple[Decision, Outlook]:
    """Test the mean logarithm of the ratios of rounds, or their signs without one."""
    least, most = required.limits.least, required.limits.most
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
        limits = ClaimLimits(least=_log(least), most=_log(most))
        decision = decide(logarithms, limits, errors=errors, is_discrete=is_discrete)
        expected = outlook(logarithms, limits, errors=errors)
    assert decision, "there are enough rounds for the first look"
    return decision, expected


def _is_reversed(
    decision: Decision, rounds: Sequence[Round], limits: ClaimLimits
) -> bool:
    """
    Return whether a finding depends on rounds in which much time was stolen.

    The quarter of the rounds with the most stolen time, chosen by that alone, is left
    out. The median of the others has to be on the same side of the limits.
    """
    stolen = max(each.stolen_share for each in rounds)
    if decision.finding is Finding.INCONCLUSIVE or stolen == 0:
        return False
    left_out = ceil(decision.samples * LEFT_OUT_SHARE)
    order = sorted(rounds[: decision.samples], key=lambda each: each.stolen_share)
    ratios = [each.pair[0] / each.pair[1] for each in order]
    is_within = limits.least <= median(ratios[:-left_out]) <= limits.most
    return is_within is (decision.finding is Finding.CONTRADICTED)


def _between(
    least: RequirementTest, most: RequirementTest, limits: ClaimLimits
) -> RequirementTest:
    """Return what the tests of the smallest and the largest value agree upon."""
    is_beyond = least.value > limits.most or most.value < limits.least
    is_agreed = least.finding is most.finding and (
        least.finding is not Finding.CONTRADICTED or is_beyond
    )
    finding = most.finding if is_agreed else Finding.INCONCLUSIVE
    outlooks = (least.outlook, most.outlook)
    needed = [each.needed_samples for each in outlooks if each.needed_samples]
    return RequirementTest(
        finding=finding,
        value=most.value,
        low=least.low,
        high=most.high,
        rounds=max(least.rounds, most.rounds),
        outlook=Outlook(
            confirming=min(each.confirming for each in outlooks),
            contradicting=min(each.contradicting for each in outlooks),
            next_samples=max(each.next_samples for each in outlooks),
            needed_samples=max(needed) if len(needed) == len(outlooks) else None,
        ),
        reason=least.reason or most.reason,
    )


def _by_interval(required: ClaimRequirement, bounds: Bounds) -> RequirementTest:
    """Evaluate a metric by the interval that it has from elsewhere."""
    if bounds.confidence < CONFIDENCE_MIN:
        return _undecided(bounds.value, _too_unsure(bounds.confidence))
    finding = within(bounds.low, bounds.high, required.limits)
    return RequirementTest(
        finding=finding, value=bounds.value, low=bounds.low, high=bounds.high
    )


def _too_unsure(confidence: float) -> str:
    """Say why a metric has too little confidence for a finding, and what gives more."""
    if not confidence:
        return "one repetition has no interval"
    return (
        f"its interval has {number.confidence(confidence)} confidence: a finding needs "
        f"{number.confidence(CONFIDENCE_MIN)}, which at least six repetitions give"
    )


def _undecided(value: float, reason: str) -> RequirementTest:
    return RequirementTest(
        finding=Finding.INCONCLUSIVE, value=value, low=0.0, high=inf, reason=reason
    )


def _bounded(
    found: RequirementTest,
    of: MetricBounds,
    to: MetricBounds | None,
    limits: ClaimLimits,
) -> RequirementTest:
    """Return a test without what a bound of one of its metrics does not show."""
    has_low = of.low > -inf and (to is None or to.high < inf)
    has_high = of.high < inf and (to is None or to.low > -inf)
    needed = {
        Finding.CONFIRMED: (limits.least == -inf or has_low)
        and (limits.most == inf or has_high),
        Finding.CONTRADICTED: has_low if found.value > limits.most else has_high,
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
        reason="" if needed[found.finding] else ONLY_BOUND,
        low=found.low if has_low else 0.0,
        high=found.high if has_high else inf,
    )


def _rounds(of: MetricBounds, to: MetricBounds | None) -> list[Round]:
    """Return each round that has both values."""
    above, below = of.sampled, (to or of).sampled
    values, denominators = above.by_round, below.by_round if to else {}
    stolen = (above.stolen_by_round, below.stolen_by_round)
    machines = above.machine_by_round
    return [
        Round(
            pair=(value, denominators.get(number, 1.0)),
            stolen_share=max(each.get(number, 0.0) for each in stolen),
            machine=machines.get(number, ""),
        )
        for number, value in values.items()
        if to is None or number in denominators
    ]


def _by_machine(rounds: Sequence[Round]) -> dict[str, tuple[float, int]]:
    """Return the mean ratio of each machine and its rounds; empty for one machine."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for each in rounds:
        above, below = each.pair
        ratios[each.machine].append(above / below if below else inf)
    if len(ratios) < 2:
        return {}
    return {name: (fmean(each), len(each)) for name, each in ratios.items()}


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
