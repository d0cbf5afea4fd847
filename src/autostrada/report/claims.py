"""Findings for published conclusions, with sentences that state the metrics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf

from autostrada.errors import OutOfMemory
from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import Claim, ClaimCondition, ClaimRequirement
from autostrada.report import metrics, number
from autostrada.report.cell_names import CellLabels, cell_name, cell_names
from autostrada.report.conclusion import Conclusion, Measured, Shown, tally
from autostrada.report.known import KnownMetric, known_metric
from autostrada.report.results import Results, not_installed
from autostrada.report.rounds import (
    FIRST_LOOK,
    Priors,
    Tested,
    evaluate_requirement,
    priors,
)
from autostrada.report.samples import ratio_bounds
from autostrada.report.text import listed
from autostrada.report.undecided import time_left
from autostrada.stats.claim import Finding, either, together
from autostrada.stats.interval import Interval
from autostrada.stats.metrics import METRICS, Group, Metric
from autostrada.stats.sequential import (
    ERROR_MAX,
    NO_OUTLOOK,
    ONE_COMPARISON,
    Errors,
    Prior,
)
from autostrada.stats.verdict import Bottleneck

CAUTIONS = {
    Bottleneck.LOAD_GENERATOR: (
        "The load generator was the bottleneck: the contestants may do more"
    ),
    Bottleneck.MACHINE: "The machine was disturbed",
}
"""Cautions about metrics that do not depend only on the contestants."""

FINDING_TEXTS = {
    Finding.CONFIRMED: "it is met",
    Finding.CONTRADICTED: "it is not met",
    Finding.INCONCLUSIVE: "the interval includes values on both sides of the limit",
}
"""Whether a requirement is met, for each finding of a measured value."""

ENDS_FOUND = (Finding.CONFIRMED, Finding.NOT_TESTED)
"""Findings where it is hardest to meet, after which the other end is not evaluated."""

ONLY_EASIEST = (
    "There it is hardest to meet. It is contradicted only where it is easiest to meet:"
)

LATE = "The load generator sent late, so the contestants may be faster"

CHANGED = "But this run used other parameters than the experiment's file."
"""Reason why a comparison decides nothing in a quick run or a run with overrides."""


def conclusions(results: Results) -> list[Conclusion]:
    """Evaluate all claims of an experiment's publication, in the order of that file."""
    if not results.publication:
        return []
    publication = results.publication
    variances = priors(publication, results)
    tested = sum(bool(claim.comparisons) for claim in publication.claim)
    evaluated = [
        _conclusion(claim, results, variances, tested) for claim in publication.claim
    ]
    return [
        replace(conclusion, left=time_left(conclusion, results))
        for conclusion in evaluated
    ]


def headline(evaluated: Sequence[Conclusion], results: Results) -> str:
    """Count the published conclusions by finding; without any, the measured cells."""
    if not evaluated:
        return _measured(results)
    decided = (Finding.CONFIRMED, Finding.CONTRADICTED)
    found = [
        conclusion.finding for conclusion in evaluated if conclusion.finding in decided
    ]
    of = number.count(len(evaluated), "published conclusion")
    if not found:
        return "No published conclusion is decided yet."
    failed = [
        conclusion.text
        for conclusion in evaluated
        if conclusion.finding is Finding.CONTRADICTED
    ]
    example = f" Contradicted: {_as_sentence(failed[0])}" if failed else ""
    return f"Of {of} {tally(found)}.{example}"


def _as_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _measured(results: Results) -> str:
    """Say how many cells have metrics, and in how many of them something broke."""
    outcomes = results.outcomes.values()
    measured = sum(bool(outcome.measured) for outcome in outcomes)
    broken = sum(bool(outcome.problem) for outcome in outcomes)
    sentence = (
        f"{number.plain(measured, 0)} of {number.count(len(outcomes), 'cell')} "
        f"{'has' if measured == 1 else 'have'} metrics"
    )
    return (
        f"{sentence}, and in {number.plain(broken, 0)} something broke."
        if (broken)
        else f"{sentence}."
    )


def errors_of(parts: int, *, either: bool, claims: int = 1) -> Errors:
    """
    Return the errors of one comparison of a claim of several ``parts``.

    The finding that one comparison suffices for has its error divided by their number;
    that which needs all of them needs no correction (R. L. Berger, 1982). If several
    ``claims`` share the error of one, each has its part of it (Bonferroni).
    """
    whole = ERROR_MAX / claims
    shared = whole / parts
    if either:
        return Errors(confirming=shared, contradicting=whole)
    return Errors(confirming=whole, contradicting=shared)


def _conclusion(
    claim: Claim, results: Results, variances: Priors, claims_tested: int
) -> Conclusion:
    """
    Evaluate one claim of ``claims_tested``.

    It is inconclusive if the run did not meet one of its conditions. A claim with a
    reason can be confirmed but not contradicted. Comparisons with a contestant that
    this machine does not have are left out.
    """
    missing = not_installed(results)
    required = [
        requirement
        for requirement in claim.requirements
        if missing.isdisjoint(_ends(requirement.cells))
    ] or claim.requirements
    left_out = [
        name
        for name in _ends(claim.cells)
        if name in missing and len(required) < len(claim.requirements)
    ]
    shown = tuple(
        _shown(
            requirement,
            results,
            variances.get(requirement.metric),
            errors=errors_of(len(required), either=claim.either),
            strict=errors_of(len(required), either=claim.either, claims=claims_tested),
        )
        for requirement in required
    )
    combine = either if claim.either else together
    finding = combine([comparison.finding for comparison in shown])
    if finding is Finding.NOT_TESTED:
        return Conclusion(
            text=claim.text, finding=finding, shown=shown, reason=claim.reason
        )
    unmet = tuple(
        sentence
        for condition in claim.conditions
        for cell in claim.cells_of(condition)
        if (sentence := _violation(condition, cell, results))
    )
    conditions = tuple(
        _shown(condition.requirement(cell), results)
        for condition in claim.conditions
        if condition.metric
        for cell in claim.cells_of(condition)
    )
    if unmet:
        finding = Finding.INCONCLUSIVE
    if finding is Finding.CONTRADICTED and claim.reason:
        finding = Finding.INCONCLUSIVE
    return Conclusion(
        text=claim.text,
        finding=finding,
        shown=shown,
        reason="" if finding is Finding.CONFIRMED else claim.reason,
        unmet=unmet,
        conditions=conditions,
        left_out=tuple(left_out),
        is_strict=combine([comparison.strict for comparison in shown]) is finding,
        either=claim.either,
    )


def _ends(cells: Sequence[Cell]) -> dict[str, None]:
    """Return the servers and clients of some cells, each once, in order."""
    return dict.fromkeys(name for cell in cells for name in (cell.server, cell.client))


def _violation(condition: ClaimCondition, cell: Cell, results: Results) -> str:
    """Say how a cell does not meet a condition of a claim; empty if it meets it."""
    begin = f"The claim is about a setup in which {condition.text}"
    name = cell_name(cell, _names(results))
    outcome = results.outcomes.get(cell)
    if outcome is None or outcome.verdict is None:
        return f"{begin}, and {name} was not measured."
    if condition.bottlenecks:
        bottleneck = outcome.verdict.bottleneck
        if bottleneck in condition.bottlenecks:
            return ""
        return f"{begin}, but the bottleneck of {name} was: {bottleneck}."
    required = condition.requirement(cell)
    if _shown(required, results).finding is Finding.CONFIRMED:
        return ""
    metric = METRICS[required.metric]
    known = [known_metric(each, metric, results) for each in required.cells]
    if None in known:
        lacking = cell_name(required.cells[known.index(None)], _names(results))
        return f"{begin}, and this metric is not known of {lacking}: {metric.title}."
    of, *to = filter(None, known)
    wanted = " and ".join(_wanted(required, metric))
    found = evaluate_requirement(required, of, to[0] if to else None)
    measured = _value(found, required, metric) if to else _metric(of, metric)
    if not measured:
        measured = "no number, as the second is 0"
    compared = name
    if required.to:
        compared += f", compared with {cell_name(required.to, _names(results))},"
    return f"{begin} ({metric.title}: {wanted}), but in {compared} this was {measured}."


def _shown(
    required: ClaimRequirement,
    results: Results,
    prior: Prior | None = None,
    *,
    errors: Errors = ONE_COMPARISON,
    strict: Errors = ONE_COMPARISON,
) -> Shown:
    """
    Evaluate one requirement of a claim, also with the errors ``strict``.

    If it has two ends, it is met where it is hardest to meet, and contradicted where it
    is easiest.
    """
    hardest = _shown_once(required, results, prior, errors=errors, strict=strict)
    if required.easiest is None or hardest.finding in ENDS_FOUND:
        return hardest
    easiest = _shown_once(
        replace(required, of=required.easiest, easiest=None),
        results,
        prior,
        errors=errors,
        strict=strict,
    )
    sentence = f"{hardest.sentence} {ONLY_EASIEST} {easiest.sentence}"
    if easiest.finding is Finding.CONTRADICTED:
        return replace(easiest, sentence=sentence)
    open_one, cells = hardest, hardest.cells
    if hardest.finding is Finding.CONTRADICTED:
        open_one, cells = easiest, (required.easiest,)
    is_unknown = easiest.finding is Finding.NOT_TESTED
    return replace(
        hardest,
        finding=Finding.INCONCLUSIVE,
        strict=Finding.INCONCLUSIVE,
        sentence=sentence,
        cells=cells,
        outlook=FIRST_LOOK if open_one is easiest and is_unknown else open_one.outlook,
    )


def _shown_once(
    required: ClaimRequirement,
    results: Results,
    prior: Prior | None,
    *,
    errors: Errors,
    strict: Errors,
) -> Shown:
    """
    Evaluate one requirement by its own cells.

    It is not tested if a metric is missing, and inconclusive if the run changed the
    parameters of a cell.
    """
    metric = METRICS[required.metric]
    cells = required.cells
    named = cell_names(cells, _names(results))
    title = f"{_title(metric)}{named.shared}"
    known = [known_metric(cell, metric, results) for cell in cells]
    missing = [
        f"{name} has no such metric ({_absence_reason(cell, results)})"
        for cell, name, each in zip(cells, named.names, known, strict=True)
        if each is None
    ]
    if missing:
        sentence = f"{title}: {listed(missing)}."
        return Shown(finding=Finding.NOT_TESTED, sentence=sentence)
    of, *to = filter(None, known)
    measured = "; ".join(
        f"{_metric(each, metric)}, {name}{_ended(cell, metric, results)}"
        for each, name, cell in zip((of, *to), named.names, cells, strict=True)
    )
    known_to = to[0] if to else None
    found = evaluate_requirement(required, of, known_to, prior=prior, errors=errors)
    strictly = evaluate_requirement(required, of, known_to, prior=prior, errors=strict)
    value = _value(found, required, metric)
    compared = f": {value}" if to and value else ""
    sentences = [f"{title}: {measured}{compared}. {_in_words(found, required, metric)}"]
    is_valid = not any(map(results.is_changed, cells))
    if not is_valid:
        sentences.append(CHANGED)
    sentences += _checks(cells, named, results, metric)
    sentences += _cautions(cells, named, results, metric)
    return Shown(
        finding=found.finding if is_valid else Finding.INCONCLUSIVE,
        strict=strictly.finding if is_valid else Finding.INCONCLUSIVE,
        sentence=" ".join(sentences),
        value=value,
        measured=_measured_of(found, required),
        cells=cells,
        spread=_spread((of, *to)),
        outlook=found.outlook if is_valid else NO_OUTLOOK,
    )


def _names(results: Results) -> Mapping[str, str]:
    return results.publication.names if results.publication else {}


def _spread(known: Sequence[KnownMetric]) -> float:
    """Return by how many times a cell differed from itself between rounds, at most."""
    values = [[*metric.sampled.by_round.values()] for metric in known]
    return max(
        (max(value) / min(value) for value in values if min(value, default=0) > 0),
        default=1.0,
    )


def _checks(
    cells: Sequence[Cell], named: CellLabels, results: Results, metric: Metric
) -> Iterator[str]:
    """Yield for each cell what longer trials of the same showed, if there are any."""
    for cell, name in zip(cells, named.names, strict=True):
        longer = _longer(cell)
        known, check = (known_metric(each, metric, results) for each in (cell, longer))
        point, long_point = (
            results.points.get(each.workload) for each in (cell, longer)
        )
        if known and check and point and long_point and known.value:
            yield (
                f"In trials of {number.exact(long_point.duration_s)} s instead of "
                f"{number.exact(point.duration_s)} s, {name} had "
                f"{number.times(check.value / known.value)}."
            )


def _longer(cell: Cell) -> Cell:
    """Return the cell whose workload has the same name with ``-long``."""
    point = replace(cell.point, workload=f"{cell.point.workload}-long")
    return replace(cell, workload=str(point))


def _cautions(
    cells: Sequence[Cell], named: CellLabels, results: Results, metric: Metric
) -> Iterator[str]:
    """Yield a caution for each cell whose metric depends on more than contestants."""
    for cell, name in zip(cells, named.names, strict=True):
        verdict = results.outcomes[cell].verdict
        if verdict and verdict.bottleneck in CAUTIONS:
            yield f"{CAUTIONS[verdict.bottleneck]} ({name})."
        elif verdict and verdict.is_late and metric.group is Group.LATENCY:
            yield f"{LATE} ({name})."


def _in_words(found: Tested, required: ClaimRequirement, metric: Metric) -> str:
    """Say what a claim requires, and whether it is met."""
    wanted = f"The claim requires {' and '.join(_wanted(required, metric))}"
    if required.basis:
        wanted += f" (our limit: {required.basis})"
    if found.reason:
        return f"{wanted}, and {found.reason}."
    rounds = f", after {number.count(found.rounds, 'round')}" if found.rounds else ""
    return f"{wanted}: {FINDING_TEXTS[found.finding]}{rounds}."


def _value(found: Tested, required: ClaimRequirement, metric: Metric) -> str:
    """
    Format a ratio or a metric with its bounds, of which a count has none.

    The text is empty for a ratio to 0.
    """
    if found.value == inf:
        return ""
    if required.to is None:
        written = metrics.written(metric, found.value)
        interval = Interval(
            median=found.value,
            low=found.low,
            high=found.high,
            confidence=float(found.low > 0),
        )
        bounds = metrics.bounds(metric, interval)
    else:
        written = number.times(found.value)
        bounds = ratio_bounds(found.low, found.high, like=found.value)
    has_bounds = found.low > 0 or found.high < inf
    return f"{written} ({bounds})" if has_bounds else written


def _measured_of(found: Tested, required: ClaimRequirement) -> Measured | None:
    """Return a metric as numbers; ``None`` if it or its limits are not above 0."""
    limits = [limit for limit in (required.at_least, required.at_most) if limit]
    if not limits or not 0 < found.value < inf:
        return None
    return Measured(
        value=found.value,
        low=found.low,
        high=found.high,
        at_least=required.at_least,
        at_most=required.at_most,
    )


def _wanted(required: ClaimRequirement, metric: Metric) -> Iterator[str]:
    def write(value: float) -> str:
        return number.times(value) if required.to else metrics.written(metric, value)

    if required.at_least is not None:
        yield f"at least {write(required.at_least)}"
    if required.at_most is not None:
        yield f"at most {write(required.at_most)}"


def _title(metric: Metric) -> str:
    return metric.title[0].upper() + metric.title[1:]


def _metric(known: KnownMetric, metric: Metric) -> str:
    """Format a metric with its bounds; a lower bound is written as ``≥ low``."""
    interval = known.sampled.interval
    bounds = metrics.bounds(metric, interval)
    if bounds and interval.high == inf and interval.low == interval.median:
        return bounds
    written = known.sign + metrics.written(metric, interval.median)
    return f"{written} ({bounds})" if bounds else written


def _ended(cell: Cell, metric: Metric, results: Results) -> str:
    """Say why trials ended whose memory counts as a lower bound; empty without any."""
    if metric.name not in results.memory_lower_bounds.get(cell, {}):
        return ""
    failures = [failure.failure for failure in results.outcomes[cell].failures]
    messages = [
        failure.message for failure in failures if failure.kind == OutOfMemory.kind
    ]
    return f" ({messages[-1]})"


def _absence_reason(cell: Cell, results: Results) -> str:
    outcome = results.outcomes.get(cell)
    if outcome is None:
        return "not tested"
    return outcome.absence or "not known for this cell"
