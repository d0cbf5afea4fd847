"""Sentences and ratios of a ranking, as pages and the terminal show them."""

from collections.abc import Sequence
from statistics import median

from autostrada.report import number
from autostrada.report.ranking import Ranking, Standing
from autostrada.report.results import Outcome
from autostrada.report.text import few, listed
from autostrada.stats.ratio import Ratio
from autostrada.stats.verdict import UTILIZATION_MIN, Bottleneck

LEADERS_MAX = 4
"""Largest number of indistinguishable contestants that a headline names."""


def headline(ranking: Ranking) -> str:
    """
    Name the best cells, and how far behind the next one is.

    A further sentence warns if the ranking is one of the load generator.
    """
    first = ranking.leaders
    if not first:
        return "No library was measured."
    if source := ranking.workload.rate_source:
        return f"The load of each is a share of its own rate in {source}: no ranks."
    names = [standing.name for standing in first]
    if len(names) > LEADERS_MAX:
        names[LEADERS_MAX:] = [f"{len(names) - LEADERS_MAX} others"]
    best_names = listed(names)
    behind_first = ranking.measured[ranking.measured.index(first[-1]) + 1 :]
    others = [standing for standing in behind_first if standing.rank] or behind_first
    best = "the fastest" if ranking.workload.is_race else "the best"
    if len(ranking.measured) == 1:
        return f"{best_names} is the only measured library."
    if first[0].rank is None:
        sentences = [f"{best_names} was {best} in its only repetition."]
    elif len(first) == 1:
        sentences = [f"{best_names} is {best}."]
    else:
        repetitions = number.count(_repetitions(first[0]), "repetition")
        sentences = [f"{best_names} are {best}: {repetitions} do not distinguish them."]
    if others and others[0].to_best:
        behind = number.times(others[0].to_best.value)
        taken = (
            f"takes {behind} as long"
            if ranking.workload.is_race
            else f"has {behind} the best {ranking.metric.title}"
        )
        sentences.append(f"The next, {others[0].name}, {taken}.")
    if ranking.unranked_before_leaders:
        unranked = [leader.name for leader in ranking.unranked_before_leaders]
        has = "has" if len(unranked) == 1 else "have"
        sentences.append(
            f"{listed(unranked)} {has} a better value, but only one, and no rank."
        )
    if ranking.is_limited_by_engine:
        sentences.append(
            f"But the load generator was the bottleneck for "
            f"{ranking.cells_limited_by_engine} of {len(ranking.measured)}: this ranks "
            f"the load generator, not the libraries."
        )
    return " ".join(sentences)


def _repetitions(standing: Standing) -> int:
    return len(standing.sampled.values) if standing.sampled else 0


def reason(ranking: Ranking) -> str:
    """State the bottleneck of the best cell, with its evidence; empty without one."""
    if not ranking.leaders:
        return ""
    first = ranking.leaders[0]
    verdict = first.outcome.verdict
    if verdict is None:
        return ""
    sentence = {
        Bottleneck.CLIENT_CPU: (
            f"The bottleneck was the CPU of the client, {first.name}."
        ),
        Bottleneck.LOAD_GENERATOR: (
            f"The load generator was the bottleneck: {first.name} may be faster."
        ),
        Bottleneck.MACHINE: "The machine was disturbed.",
        Bottleneck.UNCLEAR: "The bottleneck is unclear.",
    }.get(verdict.bottleneck, f"The bottleneck was the {verdict.bottleneck}.")
    return f"{sentence} {verdict.evidence}"


def wire(ranking: Ranking) -> str:
    """State the wire bytes per byte of payload; empty if they were not recorded."""
    found = {
        standing.name: standing.outcome.metrics[
            "wire_bytes_per_payload_byte"
        ].interval.median
        for standing in ranking.measured
        if "wire_bytes_per_payload_byte" in standing.outcome.metrics
    }
    if not found:
        return ""
    least = min(found, key=found.__getitem__)
    bounds = [number.plain(size) for size in (found[least], max(found.values()))]
    if bounds[0] == bounds[1]:
        return f"{bounds[0]} bytes on the wire per byte of payload."
    return (
        f"{bounds[0]} to {bounds[1]} bytes on the wire per byte of payload, the fewest "
        f"for {least}."
    )


def range_note(ranking: Ranking) -> str:
    """
    Compare the last cell with the first, and say how busy the load generator was.

    It shows whether a ranking is one of the libraries. The text is empty if no cell was
    measured.
    """
    every = [
        standing.to_best.value for standing in ranking.measured if standing.to_best
    ]
    if not every:
        return ""
    limited = (
        f"in {ranking.cells_limited_by_engine} of {len(ranking.measured)} cells"
        if ranking.cells_limited_by_engine
        else "in no cell"
    )
    busy = [
        standing.outcome.engine_utilization
        for standing in ranking.measured
        if standing.outcome.engine_utilization is not None
    ]
    busy_sentence = (
        f"The engine was busy {number.percent(median(busy))} of the time (median of "
        f"the cells) and the bottleneck {limited}"
        if busy
        else f"The load generator was the bottleneck {limited}"
    )
    ranked = (
        ": these values rank the load generator, not the libraries"
        if ranking.is_limited_by_engine
        else ""
    )
    return (
        f"{ranking.point}: the last is {number.times(every[-1])} the first by "
        f"{ranking.metric.title}. {busy_sentence}{ranked}."
    )


def caution(ranked: Sequence[Ranking]) -> str:
    """
    Name the workloads, after the first, in which most cells are limited by the engine.

    The text is empty if there are none.
    """
    names = [ranking.point for ranking in ranked[1:] if ranking.is_limited_by_engine]
    if not names:
        return ""
    return (
        f"In {listed(names)} the load generator was the bottleneck of most libraries, "
        f"so those values rank the load generator."
    )


def to_best(standing: Standing, ranking: Ranking) -> str:
    """Format the ratio to the best, with a sign if it is a bound; empty without one."""
    if not ranking.measured:
        return ""
    return _ratio(standing, standing.to_best, ranking.leaders[0])


def to_reference(standing: Standing, ranking: Ranking) -> str:
    """Format the ratio to the reference, with a sign if it is a bound."""
    if not ranking.reference:
        return ""
    return _ratio(standing, standing.to_reference, ranking.reference)


def _ratio(standing: Standing, ratio: Ratio | None, other: Standing) -> str:
    if ratio is None:
        return ""
    if standing.name == other.name:
        return number.times(ratio.value)
    is_bound = [end.is_bound for end in (standing, other)]
    if all(is_bound):
        return f"~ {number.times(ratio.value)}"
    signs = ("≤ ", "≥ ") if standing.metric.better == "lower" else ("≥ ", "≤ ")
    sign = signs[0] if is_bound[0] else signs[1] if is_bound[1] else ""
    return f"{sign}{number.times(ratio.value)}"


def ratio_detail(ratio: Ratio | None) -> str:
    """Format the bounds of a ratio, or ``indistinguishable`` if it includes 1."""
    if not ratio or not ratio.confidence or ratio.low == ratio.value == ratio.high:
        return ""
    if not ratio.is_distinguishable:
        return "" if ratio.value == 1 else "indistinguishable"
    return number.between(ratio.low, ratio.high, like=ratio.value)


def bound_note() -> str:
    """Explain the signs before metrics that are bounds."""
    return (
        f"≤ and ≥ mark bounds: the load generator was busy at least "
        f"{number.percent(UTILIZATION_MIN)} of the time, so the contestant may be "
        f"faster than shown. ~ marks a ratio of two such values: it may be more or "
        f"less."
    )


def unranked_note(ranking: Ranking) -> str:
    """Name the cells with one sample, and what that lacks; empty without any."""
    names = [
        standing.name
        for standing in ranking.measured
        if standing.sampled and not standing.sampled.interval.confidence
    ]
    if not names:
        return ""
    kind = "steady repetition" if ranking.is_by_steady_rate else "repetition"
    which = few(names) if len(names) < len(ranking.measured) else "All"
    return f"{which}: only one {kind}, hence no rank and no interval."


def failed_note(outcome: Outcome) -> str:
    """Count failed repetitions; empty if none failed or nothing was measured."""
    failed = sum(failure.is_counted for failure in outcome.failures)
    if not (failed and outcome.measured):
        return ""
    return (
        f"{number.count(failed, 'repetition')} failed; the values are those of the "
        f"other {outcome.measured}."
    )
