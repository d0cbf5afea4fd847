"""Evaluation of a publication's claims: findings and their data, without sentences."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import repeat
from math import prod
from statistics import median

from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import Claim, ClaimCondition, ClaimRequirement
from autostrada.report.conclusion import (
    Conclusion,
    EvaluatedCondition,
    EvaluatedRequirement,
    LongerTrials,
    RequirementCell,
)
from autostrada.report.next_rounds import time_left
from autostrada.report.results import Results, metric_bounds, not_installed
from autostrada.report.rounds import evaluate_requirement
from autostrada.report.samples import Sampled
from autostrada.stats.claim import Finding, either, together
from autostrada.stats.metrics import METRICS, Metric
from autostrada.stats.sequential import ERROR_MAX, LOOKS, ONE_COMPARISON, Errors


def conclusions(results: Results) -> list[Conclusion]:
    """Evaluate all claims of an experiment's publication, in the order of that file."""
    if not results.publication:
        return []
    publication = results.publication
    missing = not_installed(results)
    tested = sum(bool(claim.comparisons) for claim in publication.claim) or 1
    evaluated = (
        _conclusion(claim, results, missing, tested) for claim in publication.claim
    )
    return [replace(each, time_left=time_left(each, results)) for each in evaluated]


def errors_of(
    parts: int, *, either: bool, claims: int = 1, rounds: int = LOOKS[-1]
) -> Errors:
    """
    Return the errors of one comparison of a claim of several ``parts``.

    The finding that one comparison suffices for has its error divided by their number;
    that which needs all of them needs no correction (R. L. Berger, 1982). If several
    ``claims`` share the error of one, each has its part of it (Bonferroni). It is spent
    over a number of ``rounds``.
    """
    whole = ERROR_MAX / claims
    shared = whole / parts
    if either:
        return Errors(confirming=shared, contradicting=whole, rounds=rounds)
    return Errors(confirming=whole, contradicting=shared, rounds=rounds)


def _conclusion(
    claim: Claim,
    results: Results,
    missing: Set[str],
    claims_tested: int,
) -> Conclusion:
    """
    Evaluate one claim of ``claims_tested``.

    It is inconclusive if the run did not meet one of its conditions. A claim with a
    reason can be confirmed, and contradicted only if it is ``contradictable``.
    Comparisons with a contestant that this machine does not have are left out.
    """
    required = [
        requirement
        for requirement in claim.requirements
        if missing.isdisjoint(_ends(requirement.cells))
    ] or claim.requirements
    usual, shared = (
        errors_of(
            len(required) or 1,
            either=claim.either,
            claims=claims,
            rounds=results.experiment.rounds_max,
        )
        for claims in (1, claims_tested)
    )
    parts, strict = (
        tuple(_evaluated(each, results, errors) for each in required)
        for errors in (usual, shared)
    )
    combine = either if claim.either else together
    finding = combine([comparison.finding for comparison in parts])
    if finding is Finding.NOT_TESTED:
        return Conclusion(
            text=claim.text, finding=finding, parts=parts, reason=claim.reason
        )
    conditions = [
        _condition(condition, cell, results)
        for condition in claim.conditions
        for cell in claim.cells_of(condition)
    ]
    unmet = tuple(condition for condition in conditions if not condition.is_met)
    is_contradictable = claim.contradictable or not claim.reason
    if unmet or (finding is Finding.CONTRADICTED and not is_contradictable):
        finding = Finding.INCONCLUSIVE
    return Conclusion(
        text=claim.text,
        finding=finding,
        parts=parts,
        reason="" if finding is Finding.CONFIRMED else claim.reason,
        is_contradictable=is_contradictable,
        unmet=unmet,
        left_out=tuple(
            name
            for name in _ends(claim.cells)
            if name in missing and len(required) < len(claim.requirements)
        ),
        is_strict=combine([comparison.finding for comparison in strict]) is finding,
        either=claim.either,
    )


def _ends(cells: Sequence[Cell]) -> dict[str, None]:
    """Return the servers and clients of some cells, each once, in order."""
    return dict.fromkeys(name for cell in cells for name in (cell.server, cell.client))


def _condition(
    condition: ClaimCondition, cell: Cell, results: Results
) -> EvaluatedCondition:
    outcome = results.outcomes.get(cell)
    return EvaluatedCondition(
        condition=condition,
        cell=cell,
        verdict=outcome.verdict if outcome else None,
        names=_names(results),
    )


def _evaluated(
    required: ClaimRequirement,
    results: Results,
    errors: Errors = ONE_COMPARISON,
) -> EvaluatedRequirement:
    """
    Evaluate one requirement by its own cells.

    It is not tested if a metric is missing, and inconclusive if the run changed the
    parameters of a cell.
    """
    metric = METRICS[required.metric]
    cells = tuple(_cell(cell, metric, results) for cell in required.cells)
    of, to = cells[0].bounds, cells[1].bounds if required.to else None
    test = None
    if of and (to or required.to is None):
        test = evaluate_requirement(required, of, to, errors)
    return EvaluatedRequirement(
        required=required,
        cells=cells,
        test=test,
        is_changed=any(map(results.is_changed, required.cells)),
        names=_names(results),
    )


def _cell(cell: Cell, metric: Metric, results: Results) -> RequirementCell:
    """Return what the run knows of a cell, also of its workload named ``-long``."""
    point = replace(cell.point, workload=f"{cell.point.workload}-long")
    other = replace(cell, workload=str(point))
    bounds, check = (metric_bounds(each, metric, results) for each in (cell, other))
    shorter, longer = (results.points.get(each.workload) for each in (cell, other))
    ratio = None
    if bounds and check:
        ratio = _ratio_on_same_machine(check.sampled, bounds.sampled)
    return RequirementCell(
        outcome=results.outcomes.get(cell),
        bounds=bounds,
        longer=LongerTrials(
            duration_s=longer.duration_s,
            instead_of_s=shorter.duration_s,
            ratio=ratio,
        )
        if shorter and longer and ratio is not None
        else None,
    )


def _ratio_on_same_machine(of: Sampled, to: Sampled) -> float | None:
    """
    Return the ratio of two medians on the same machine; ``None`` if there is no such.

    It is the geometric mean over the machines on which both were measured. Medians over
    all rounds would compare machines, as each may have another share of them.
    """
    above, below = _median_by_machine(of), _median_by_machine(to)
    ratios = [
        above[machine] / below[machine]
        for machine in above.keys() & below.keys()
        if below[machine]
    ]
    return prod(ratios) ** (1 / len(ratios)) if ratios else None


def _median_by_machine(sampled: Sampled) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    machines = sampled.machines or repeat("")
    for value, machine in zip(sampled.values, machines, strict=False):
        values.setdefault(machine, []).append(value)
    return {machine: median(each) for machine, each in values.items()}


def _names(results: Results) -> Mapping[str, str]:
    return results.publication.names if results.publication else {}
