"""Sentences that say what the figures mean, computed from the figures alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from autostrada.report import number
from autostrada.report.race.published import Source
from autostrada.report.race.race import Figures, Race, Ranking, Standing
from autostrada.report.text import listed
from autostrada.stats.ratio import Ratio
from autostrada.stats.verdict import BUSY_SHARE_MIN, Limit


@dataclass(frozen=True, kw_only=True, slots=True)
class Ceiling:
    """How far apart the libraries are in a workload, and how busy the engine was."""

    workload: str
    spread: float
    """The slowest median by the fastest."""

    contestants: int
    limited_by_engine: int
    engine_busy_share: float
    """Median over the libraries."""

    @property
    def is_of_engine(self) -> bool:
        """Whether the engine was the limit for most libraries."""
        return 2 * self.limited_by_engine > self.contestants


def duration(figures: Figures) -> str:
    """Write the median for a million messages, as a bound where it is one."""
    bound = "≤ " if figures.verdict.is_lower_bound else ""
    return f"{bound}{number.plain(figures.interval.median)}"


def rate(figures: Figures) -> str:
    """Write the messages per second, as a bound where they are one."""
    bound = "≥ " if figures.verdict.is_lower_bound else ""
    return f"{bound}{number.rate(figures.messages_per_s)}"


def efficiency(figures: Figures) -> str:
    """Write the messages that the client takes in a second of CPU time."""
    rate_per_cpu_s = figures.messages_per_cpu_s
    return "" if rate_per_cpu_s is None else number.rate(rate_per_cpu_s)


def variation(figures: Figures) -> str:
    """Write how far the repetitions scatter; empty for one."""
    share = figures.variation
    return "" if share is None else number.percent(share, number.decimals(100 * share))


def leaders(ranking: Ranking) -> list[tuple[Standing, Figures]]:
    """Return those that share the first rank, or the fastest where none has one."""
    first = [each for each in ranking.measured if each[1].rank == 1]
    return first or ranking.measured[:1]


def headline(ranking: Ranking) -> str:
    """Say who won and by how much, and whether that ranks the libraries at all."""
    first = leaders(ranking)
    if not first:
        return "No library was measured."
    names = listed([standing.contestant for standing, _ in first])
    others = ranking.measured[len(first) :]
    if len(first) == 1 and not others:
        return f"{names} is the only library that was measured."
    if first[0][1].rank is None:
        sentences = [f"{names} was the fastest in its only repetition."]
    elif len(first) == 1:
        sentences = [f"{names} is the fastest."]
    else:
        repetitions = number.count(len(first[0][1].ns_per_message), "repetition")
        sentences = [f"{names} are the fastest: {repetitions} cannot tell them apart."]
    if others:
        standing, figures = others[0]
        assert figures.to_fastest
        behind = number.times(figures.to_fastest.value)
        sentences.append(f"The next, {standing.contestant}, takes {behind} as long.")
    ceiling = ceiling_of(ranking)
    if ceiling and ceiling.is_of_engine:
        sentences.append(
            f"But the engine was the limit for {ceiling.limited_by_engine} of "
            f"{ceiling.contestants}: this ranks the engine, not the libraries."
        )
    return " ".join(sentences)


def reason(ranking: Ranking) -> str:
    """Say what held the fastest back, with the evidence."""
    first = leaders(ranking)
    if not first:
        return ""
    standing, figures = first[0]
    verdict = figures.verdict
    sentence = {
        Limit.CLIENT_CPU: f"{standing.contestant} itself was the limit.",
        Limit.RECEIVE_WINDOW: f"{standing.contestant} itself was the limit: it waited.",
        Limit.ENGINE: f"Our engine was the limit: {standing.contestant} may be faster.",
        Limit.MACHINE: "The machine was disturbed.",
        Limit.UNCLEAR: "What held it back is unclear.",
    }.get(verdict.limit, f"The limit was the {verdict.limit}.")
    return f"{sentence} {verdict.evidence}"


def ceiling_of(ranking: Ranking) -> Ceiling | None:
    """Return how far the libraries of a workload lie apart; None without figures."""
    every = [figures for _, figures in ranking.measured]
    if not every:
        return None
    return Ceiling(
        workload=ranking.workload.name,
        spread=every[-1].interval.median / every[0].interval.median,
        contestants=len(every),
        limited_by_engine=sum(
            figures.verdict.limit is Limit.ENGINE for figures in every
        ),
        engine_busy_share=median(figures.engine_busy_share for figures in every),
    )


def ceilings(race: Race) -> list[Ceiling]:
    """Return the ceiling of each workload that has figures."""
    found = (ceiling_of(ranking) for ranking in race.rankings)
    return [ceiling for ceiling in found if ceiling]


def ceiling_sentence(ceiling: Ceiling) -> str:
    """Say whether the figures of a workload rank the libraries or the engine."""
    limited = (
        f"for {ceiling.limited_by_engine} of {ceiling.contestants}"
        if ceiling.limited_by_engine
        else "for none of them"
    )
    ranked = (
        ": these figures rank the engine, not the libraries"
        if ceiling.is_of_engine
        else ""
    )
    return (
        f"{ceiling.workload}: the slowest library takes {number.times(ceiling.spread)} "
        f"as long as the fastest. The engine was busy "
        f"{number.percent(ceiling.engine_busy_share)} of the time (median of the "
        f"libraries) and the limit {limited}{ranked}."
    )


def gap(race: Race) -> str:
    """Say how much of the run is missing; empty where it is complete."""
    missing = sum(
        standing.missing for ranking in race.rankings for standing in ranking.every
    )
    if not missing:
        return ""
    return f"This run is not complete: {number.count(missing, 'trial')} are missing."


def caution(race: Race) -> str:
    """Name the other workloads that rank the engine; empty where there is none."""
    ranked_engine = [
        ceiling.workload for ceiling in ceilings(race)[1:] if ceiling.is_of_engine
    ]
    if not ranked_engine:
        return ""
    return (
        f"In {listed(ranked_engine)} the engine was the limit for most libraries: "
        f"there the figures rank the engine."
    )


def ratio_bound(numerator: Figures, denominator: Figures) -> str:
    """Return the sign of a ratio of two durations of which each may be too long."""
    if numerator is denominator:
        return ""
    signs = {
        (True, False): "≤ ",
        (False, True): "≥ ",
        (True, True): "~ ",
        (False, False): "",
    }
    return signs[numerator.verdict.is_lower_bound, denominator.verdict.is_lower_bound]


def to_fastest(figures: Figures, ranking: Ranking) -> str:
    """Write the ratio to the fastest library, as a bound where it is one."""
    if not figures.to_fastest:
        return ""
    sign = ratio_bound(figures, ranking.measured[0][1])
    return f"{sign}{number.times(figures.to_fastest.value)}"


def to_reference(figures: Figures, ranking: Ranking) -> str:
    """Write the ratio to the reference, as a bound where it is one."""
    if not (figures.to_reference and ranking.reference and ranking.reference.figures):
        return ""
    sign = ratio_bound(figures, ranking.reference.figures)
    return f"{sign}{number.times(figures.to_reference.value)}"


def bound_note() -> str:
    """Explain the signs before figures that are bounds."""
    return (
        f"≤ and ≥ mark bounds: the engine was busy at least "
        f"{number.percent(BUSY_SHARE_MIN)} of the time, so the client may be faster "
        f"than shown. ~ marks a ratio of two such figures: it may be more or less."
    )


def has_bounds(ranking: Ranking) -> bool:
    """Whether a figure of the table carries such a sign."""
    return any(
        standing.figures.verdict.is_lower_bound
        for standing in ranking.every
        if standing.figures
    )


def ratio_detail(ratio: Ratio | None) -> str:
    """Write the bounds of a ratio, or that it is not distinguishable from 1."""
    if not ratio or not ratio.confidence or ratio.low == ratio.value == ratio.high:
        return ""
    if not ratio.is_distinguishable:
        return "" if ratio.value == 1 else "indistinguishable"
    return number.between(ratio.low, ratio.high, like=ratio.value)


def failed_note(standing: Standing) -> str:
    """Say how many repetitions failed where others did not; else it is empty."""
    failed = sum(each.is_counted for each in standing.failures)
    if not (failed and standing.figures):
        return ""
    others = len(standing.figures.ns_per_message)
    return (
        f"{number.count(failed, 'repetition')} failed, the figures are those of the "
        f"other {others}."
    )


def has_published(standing: Standing, sources: Sequence[Source]) -> bool:
    """Whether somebody published a figure for this contestant."""
    return any(standing.contestant in source.figures for source in sources)
