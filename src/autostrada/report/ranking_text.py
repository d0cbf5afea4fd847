"""Sentences and ratios of a ranking, as pages and the terminal show them."""

from collections.abc import Iterator, Sequence
from math import isnan

from autostrada.report import number
from autostrada.report.cold import COLD
from autostrada.report.ranking import BIAS, RATES, Ranking, Standing
from autostrada.report.results import Outcome
from autostrada.report.slices import UTILIZATION_MIN as WAITING_MIN
from autostrada.report.text import few, listed
from autostrada.stats.metrics import METRICS
from autostrada.stats.ratio import Ratio
from autostrada.stats.slices import ERROR_MAX, compare_slices
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
    if ranking.slices and first[0].rank:
        return _slices_headline(ranking)
    best_names = _named(first)
    behind_first = ranking.measured[ranking.measured.index(first[-1]) + 1 :]
    others = [standing for standing in behind_first if standing.rank] or behind_first
    is_time = ranking.metric in COLD.values()
    best = "the fastest" if is_time else "the best"
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
            if is_time
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


def _named(standings: Sequence[Standing]) -> str:
    names = [standing.name for standing in standings]
    if len(names) > LEADERS_MAX:
        names[LEADERS_MAX:] = [f"{len(names) - LEADERS_MAX} others"]
    return listed(names)


def _slices_headline(ranking: Ranking) -> str:
    """Name the first three ranks, and how far the second and the third are behind."""
    ranks: dict[int, list[Standing]] = {}
    for standing in ranking.measured:
        if standing.rank:
            ranks.setdefault(standing.rank, []).append(standing)
    first, *others = ranks.values()
    sentence = f"{_named(first)} {'is' if len(first) == 1 else 'are'} the fastest"
    if len(first) > 1 and ranking.slices:
        starts = number.count(ranking.slices.starts, "start")
        sentence += f" ({starts} do not distinguish them)"
    if others:
        second = others[0]
        verb = "is" if len(second) == 1 else "are"
        sentence += f"; {_named(second)} {verb} {_behind(second)} behind"
    if len(others) > 1:
        sentence += f"; the next, {others[1][0].name}, {_behind(others[1][:1])}"
    return f"{sentence}."


def _behind(standings: Sequence[Standing]) -> str:
    """Format by how much cells have less than the best: ``5%`` or ``5–7%``."""
    shares = [1 - standing.to_best.value for standing in standings if standing.to_best]
    least, most = (
        number.plain(100 * share, 0 if share >= 0.02 else 1)
        for share in (min(shares), max(shares))
    )
    return f"{least}%" if least == most else f"{least}{number.DASH}{most}%"


def slices_note(ranking: Ranking) -> str:
    """Say how a ranking by slices was measured, and how certain it is."""
    found = ranking.slices
    if found is None:
        return ""
    sentences = [
        f"In slices: {number.count(found.starts, 'start')} of "
        f"{number.count(found.rounds, 'round')} each."
    ]
    if not isnan(found.start_share):
        sentences.append(
            f"Standard deviation between starts "
            f"{number.percent(found.start_deviation, 1)}, between slices of a start "
            f"{number.percent(found.slice_deviation, 1)}: "
            f"{number.percent(found.start_share)} of the variance of a result is "
            f"between starts."
        )
    if found.speed.share:
        sentences.append(
            f"The speed of the cores explained {number.percent(found.speed.share)} of "
            f"the variance between slices, which is subtracted."
        )
    if ranking.measured:
        sentences.append("Rates are brought to one speed of the machine.")
    if found.disturbed:
        slices = number.count(found.disturbed, "disturbed slice")
        sentences.append(f"Left out: {slices}.")
    omitted = [
        standing.name
        for standing in ranking.standings
        if standing.outcome.slices and not standing.estimate
    ]
    if omitted:
        sentences.append(
            f"Not compared, as their starts differ by half or have nothing in common "
            f"with those of the others: {few(omitted)}."
        )
    if any(standing.rank for standing in ranking.standings):
        sentences.append(
            f"± is the half-width of the ratio to the best, with "
            f"{number.percent(1 - ERROR_MAX)} confidence for all together."
        )
    return " ".join([*sentences, *_bias(ranking), *_bounds(ranking)])


def _bias(ranking: Ranking) -> Iterator[str]:
    """Yield the largest bias of slices, and what it means for ranks."""
    biases = {
        standing.name: standing.outcome.metrics[BIAS].interval.median - 1
        for standing in ranking.measured
        if BIAS in standing.outcome.metrics
    }
    if biases:
        most = max(biases, key=lambda name: abs(biases[name]))
        word = "more" if biases[most] > 0 else "less"
        yield (
            f"Largest bias: {number.percent(abs(biases[most]), 1)} {word} CPU time a "
            f"message in slices than in half a second ({most}); ranks differ only "
            f"beyond the interval and {number.percent(ranking.bias_max, 1)}, the "
            f"median difference of biases."
        )


def _bounds(ranking: Ranking) -> Iterator[str]:
    """Yield what the signs before values and rates mean."""
    if any(standing.is_bound for standing in ranking.every):
        yield (
            f"≥ before a value: the contestant used less than "
            f"{number.percent(WAITING_MIN)} of a core, and may need less CPU time a "
            f"message if it never waits."
        )
    if any(
        standing.outcome.sign(METRICS[name])
        for standing in ranking.every
        for name in RATES
        if name in standing.outcome.metrics
    ):
        yield "≥ before a rate by the clock: the load generator was the bottleneck."


def clock_note(standing: Standing, ranking: Ranking) -> str:
    """
    Say why the next rank is significantly faster by the clock; empty if it is not.

    The cause is what the data have: waits, the load generator, or several cores.
    """
    if ranking.slices is None or not standing.rank:
        return ""
    behind = [one for one in ranking.measured if (one.rank or 0) > standing.rank]
    if not behind or not (standing.outcome.slices and behind[0].outcome.slices):
        return ""
    other = behind[0]
    both = {
        one.name: one.outcome.slices for one in (standing, other) if one.outcome.slices
    }
    found = compare_slices(
        {name: each.duration_ns for name, each in both.items()},
        {name: each.speeds for name, each in both.items()},
    )
    estimate = found.estimates.get(standing.name) if found else None
    if estimate is None or estimate.rank != 2:
        return ""
    ratio = number.percent(estimate.to_best.value - 1)
    cause = _clock_cause(standing, other)
    return f"By the clock, {other.name} is {ratio} faster: {cause}."


def _clock_cause(standing: Standing, other: Standing) -> str:
    ours, theirs = standing.outcome.slices, other.outcome.slices
    assert ours, "only what was measured in slices is compared"
    assert theirs, "only what was measured in slices is compared"
    if standing.is_limited(Bottleneck.LOAD_GENERATOR):
        return f"for {standing.name} the load generator was the bottleneck"
    if theirs.uses_several_cores and theirs.utilization > ours.utilization:
        return f"it uses {number.plain(theirs.utilization, 2)} cores"
    if ours.is_waiting:
        busy = number.percent(ours.utilization)
        return f"{standing.name} waits, with a utilization of {busy}"
    return "the data do not show why"


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
    return signed_ratio(standing, standing.to_best, ranking.leaders[0])


def to_reference(standing: Standing, ranking: Ranking) -> str:
    """Format the ratio to the reference, with a sign if it is a bound."""
    if not ranking.reference:
        return ""
    return signed_ratio(standing, standing.to_reference, ranking.reference)


def signed_ratio(standing: Standing, ratio: Ratio | None, other: Standing) -> str:
    """Format the ratio of a cell to another one, with a sign if it is a bound."""
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
        if (sampled := standing.sampled)
        and not (standing.rank if ranking.slices else sampled.interval.confidence)
    ]
    if not names:
        return ""
    which = few(names) if len(names) < len(ranking.measured) else "All"
    if ranking.slices:
        return f"{which}: too few starts, hence no rank."
    return f"{which}: only one repetition, hence no rank and no interval."


def violation_note(outcome: Outcome) -> str:
    """Say why repetitions are not steady or have no cold time; empty if none is."""
    if not outcome.violations:
        return ""
    first, *others = outcome.violations
    count = len(outcome.violations)
    such = f"; {len(others)} more" if others else ""
    repetitions = number.count(outcome.measured, "repetition")
    return f"In {count} of {repetitions}: {first}{such}."


def failed_note(outcome: Outcome) -> str:
    """Count failed repetitions; empty if none failed or nothing was measured."""
    failed = sum(failure.is_counted for failure in outcome.failures)
    if not (failed and outcome.measured):
        return ""
    return (
        f"{number.count(failed, 'repetition')} failed; the values are those of the "
        f"other {outcome.measured}."
    )
