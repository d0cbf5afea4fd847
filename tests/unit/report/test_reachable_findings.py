"""Every claim of every publication can be confirmed and contradicted by ideal data."""

from math import exp, inf, log
from pathlib import Path
from types import SimpleNamespace

import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from autostrada.experiment.experiment import parse_experiment
from autostrada.experiment.publication import parse_publication
from autostrada.report.claims import conclusions
from autostrada.report.results import Outcome
from autostrada.report.samples import Sampled
from autostrada.stats.claim import Finding
from autostrada.stats.verdict import Bottleneck, Verdict

EXPERIMENTS = Path(__file__).parents[3] / "experiments"
ROUNDS = 12
MARGIN = log(1.003)
"""Distance of the ideal data from the limits."""

NOTHING = 1e-9
"""Value of a metric that must be 0."""


def publications():
    for path in sorted(EXPERIMENTS.glob("published/*.toml")):
        text = (EXPERIMENTS / path.name).read_text()
        experiment = parse_experiment(text, origin=path.name)
        yield (
            experiment,
            parse_publication(path.read_text(), experiment, origin=path.name),
        )


CLAIMS = [
    pytest.param(experiment, publication, claim, id=claim.text[:60])
    for experiment, publication in publications()
    for claim in publication.claim
    if claim.comparisons
]


def required_bounds(required):
    """Return the bounds of the logarithm of a metric or a ratio."""
    least, most = required.at_least, required.at_most
    return (
        -inf if least is None else log(max(NOTHING, least)),
        inf if most is None else log(max(NOTHING, most)),
    )


def ideal(bounds):
    """Return metrics by cell and name that are within bounds, by requirement."""
    known = dict.fromkeys((cell, one.metric) for one, _ in bounds for cell in one.cells)
    rows = [
        [
            ((cell == one.of) - (cell == one.to)) * (metric == one.metric)
            for cell, metric in known
        ]
        for one, _ in bounds
    ]
    lows = [low + MARGIN for _, (low, _) in bounds]
    highs = [high - MARGIN for _, (_, high) in bounds]
    zero = {(one.of, one.metric) for one, (_, high) in bounds if high == log(NOTHING)}
    lowest = [log(NOTHING) - 1 if key in zero else log(1e-6) for key in known]
    found = milp(
        [0.0] * len(known),
        constraints=LinearConstraint(rows, lows, highs),
        bounds=Bounds(lowest, log(1e15)),
    )
    return dict(zip(known, map(exp, found.x), strict=True)) if found.success else None


def sampled(value: float) -> Sampled:
    value = 0.0 if value <= NOTHING else value
    # Samples that differ a little: without variance there would be no test.
    return Sampled(
        values=tuple(value * (1 + 1e-4 * (number % 3)) for number in range(ROUNDS)),
        rounds=tuple(range(ROUNDS)),
        stolen_shares=(0.0,) * ROUNDS,
    )


def judged(experiment, publication, claim, values):
    """Judge one claim by these metrics."""
    wanted = [one for each in claim.conditions for one in each.bottlenecks]
    verdict = Verdict(
        bottleneck=wanted[0] if wanted else Bottleneck.SERVER_CPU,
        evidence="",
        head_room=None,
    )
    outcomes = {}
    for (cell, metric), value in values.items():
        outcomes.setdefault(cell, {})[metric] = sampled(value)
    results = SimpleNamespace(
        publication=publication.model_copy(update={"claim": (claim,)}),
        outcomes={
            cell: Outcome(
                cell=cell,
                metrics=metrics,
                verdict=verdict,
                engine_utilization=None,
                measured=ROUNDS,
                failures=(),
                disturbances=(),
                violations=(),
                missing=0,
            )
            for cell, metrics in outcomes.items()
        },
        experiment=experiment,
        points=experiment.points(),
        memory_lower_bounds={},
        absent={},
        trials=[],
        is_changed=lambda _: False,
    )
    [conclusion] = conclusions(results)
    return conclusion


@pytest.mark.parametrize(("experiment", "publication", "claim"), CLAIMS)
def test_a_claim_can_be_confirmed_and_contradicted(experiment, publication, claim):
    first, *others = claim.requirements
    needed = [first] if claim.either else claim.requirements
    confirming = ideal([(one, required_bounds(one)) for one in needed])
    assert confirming, "its comparisons exclude each other"
    violated = []
    for one in claim.requirements if claim.either else [first]:
        low, high = required_bounds(one)
        violated.append((one, (high, inf) if one.at_least is None else (-inf, low)))
    contradicting = ideal(violated)
    contradicted = Finding.CONTRADICTED
    if claim.reason and not claim.contradictable:
        contradicted = Finding.INCONCLUSIVE
    for values, finding in (
        (confirming, Finding.CONFIRMED),
        (contradicting, contradicted),
    ):
        rest = ((cell, one.metric) for one in others for cell in one.cells)
        found = judged(
            experiment, publication, claim, dict.fromkeys(rest, 1.0) | values
        )
        assert found.finding is finding, found.grounds
