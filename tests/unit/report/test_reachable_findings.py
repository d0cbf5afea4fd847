"""Every claim of every publication can be confirmed and contradicted by ideal data."""

from collections.abc import Sequence
from math import exp, inf, log
from pathlib import Path
from types import SimpleNamespace

import pytest
from scipy.optimize import linprog

from autostrada.experiment.experiment import parse_experiment
from autostrada.experiment.publication import ClaimRequirement, parse_publication
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


def limits(required: ClaimRequirement) -> tuple[float, float]:
    least, most = required.at_least, required.at_most
    return (
        log(max(NOTHING, least)) if least is not None else -inf,
        log(max(NOTHING, most)) if most is not None else inf,
    )


def ideal(
    met: Sequence[ClaimRequirement], violated: Sequence[tuple[ClaimRequirement, str]]
):
    """Return metrics by cell and name that meet or violate these requirements."""
    known = dict.fromkeys(
        (cell, each.metric)
        for each in (*met, *(one for one, _ in violated))
        for cell in each.cells
    )
    places = {key: place for place, key in enumerate(known)}
    zero = {(each.of, each.metric) for each in met if each.at_most == 0}
    rows, bounds = [], []

    def at_most(required, sign, bound):
        row = [0.0] * len(places)
        row[places[required.of, required.metric]] += sign
        if required.to:
            row[places[required.to, required.metric]] -= sign
        rows.append(row)
        bounds.append(sign * bound - MARGIN)

    for each in met:
        least, most = limits(each)
        if most < inf:
            at_most(each, 1, most)
        if least > -inf:
            at_most(each, -1, least)
    for each, side in violated:
        least, most = limits(each)
        at_most(each, 1, least) if side == "below" else at_most(each, -1, most)
    found = linprog(
        [0.0] * len(places),
        A_ub=rows,
        b_ub=bounds,
        bounds=[
            (log(NOTHING) - 1 if key in zero else log(1e-6), log(1e15))
            for key in places
        ],
    )
    if not found.success:
        return None
    return {key: exp(value) for key, value in zip(places, found.x, strict=True)}


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
def test_a_claim_can_be_confirmed(experiment, publication, claim):
    needed = claim.requirements[:1] if claim.either else claim.requirements
    others = claim.requirements[1:] if claim.either else ()
    values = ideal(needed, [])
    assert values, "its comparisons exclude each other"
    for each in others:
        values |= dict.fromkeys(((cell, each.metric) for cell in each.cells), 1.0)
    found = judged(experiment, publication, claim, values)
    assert found.finding is Finding.CONFIRMED, found.grounds


@pytest.mark.parametrize(("experiment", "publication", "claim"), CLAIMS)
def test_a_claim_can_be_contradicted(experiment, publication, claim):
    first, *others = claim.requirements
    sides = ["above"] if first.at_least is None else ["below"]
    violated = [(first, sides[0])]
    if claim.either:
        violated += [
            (one, "below" if one.at_most is None else "above") for one in others
        ]
    values = ideal([], violated)
    for each in others:
        for cell in each.cells:
            values.setdefault((cell, each.metric), 1.0)
    found = judged(experiment, publication, claim, values)
    expected = (
        Finding.INCONCLUSIVE
        if claim.reason and not claim.contradictable
        else Finding.CONTRADICTED
    )
    assert found.finding is expected, found.grounds
