"""Headlines and summary of a run: its result in one or two sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autostrada.errors import NotInstalled
from autostrada.report import number
from autostrada.report.answers import answers
from autostrada.report.conclusion import CHANGED, Conclusion, has_findings, tally
from autostrada.report.library import libraries, libraries_of, notes
from autostrada.report.parts import Parts, parts_of
from autostrada.report.ranking import Ranking, Standing
from autostrada.report.ranking_text import bound_note, slices_note
from autostrada.report.ranking_text import headline as ranking_headline
from autostrada.report.ranking_view import Medium, RankingColumn, shown_on
from autostrada.report.results import Results, not_installed
from autostrada.report.text import listed, without_thin_spaces
from autostrada.stats.claim import Finding

LEADERS_MAX = 5
"""Number of contestants of a ranking that a summary names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """The summary of a run for a document, computed only from its metrics."""

    headline: str
    bottlenecks: str
    """Number of cells for each bottleneck, the most frequent first, and failed ones."""

    published: str = ""
    """Title of the publication, and the number of its conclusions for each finding."""

    findings: Mapping[Finding, int] = field(default_factory=dict)
    """Number of published conclusions with each finding."""

    leaders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For each workload ranked in slices its first contestants: rank, name, metric."""

    markdown: str = ""
    """Rankings as a Markdown table; ``""`` if the run ranks nothing."""

    pictured: Ranking | None = None
    """The first ranking; ``None`` if the run ranks nothing."""


def headlines(results: Results, parts: Parts) -> list[str]:
    """
    Return the main results as paragraphs, the most important first.

    A race starts with its winner, any other run with the answer to its question. A run
    without an answer starts with its published conclusions, if any was tested, and has
    its first ranking.
    """
    headline = claims_headline(parts.conclusions, results)
    claimed = [headline] if has_findings(parts.conclusions) else []
    answered = [" ".join(found)] if (found := answers(results)) else []
    if parts.race:
        return [ranking_headline(parts.race), *answered, *claimed]
    if answered or not parts.rankings:
        return [*answered, *claimed] or [headline]
    first = parts.rankings[0]
    return [*claimed, f"{first.point}: {ranking_headline(first)}"]


def claims_headline(evaluated: Sequence[Conclusion], results: Results) -> str:
    """Count the published conclusions by finding; without any, the measured cells."""
    if not evaluated:
        return _measured(results)
    decided = (Finding.CONFIRMED, Finding.CONTRADICTED)
    found = [
        conclusion.finding for conclusion in evaluated if conclusion.finding in decided
    ]
    of = number.count(len(evaluated), "published conclusion")
    if not found and results.changed_points:
        return f"The published conclusions are {CHANGED}: none is decided."
    if not found:
        return "No published conclusion is decided yet."
    failed = [
        str(place)
        for place, conclusion in enumerate(evaluated, 1)
        if conclusion.finding is Finding.CONTRADICTED
    ]
    which = f" Contradicted: {listed(failed)}." if failed else ""
    return f"Of {of} {tally(found)}.{which}"


def _measured(results: Results) -> str:
    """Say how many cells have metrics, and in how many of them something broke."""
    outcomes = results.outcomes.values()
    measured = sum(bool(outcome.measured) for outcome in outcomes)
    broken = sum(bool(outcome.problem) for outcome in outcomes)
    sentence = (
        f"{number.plain(measured, 0)} of {number.count(len(outcomes), 'cell')} "
        f"{'has' if measured == 1 else 'have'} metrics"
    )
    if broken:
        sentence += f", and in {number.plain(broken, 0)} something broke"
    return f"{sentence}."


def summary(results: Results) -> Summary:
    """Return the summary of a run for a document."""
    parts = parts_of(results)
    outcomes = results.outcomes.values()
    bottlenecks = Counter(outcome.bottleneck for outcome in outcomes if outcome.verdict)
    absent = not_installed(results)
    failed = sum(
        bool(outcome.failures)
        and not outcome.measured
        and absent.isdisjoint({outcome.cell.server, outcome.cell.client})
        for outcome in outcomes
    )
    findings = Counter(conclusion.finding for conclusion in parts.conclusions)
    titles = [results.publication.title] if results.publication else []
    counts = _counted(findings.most_common())
    shown = parts.main_rankings
    return Summary(
        headline=headlines(results, parts)[0],
        bottlenecks=_counted([*bottlenecks.most_common(), ("failed", failed)]),
        published=": ".join(filter(None, (*titles, counts))),
        findings=findings,
        leaders={
            ranking.point: _leaders(ranking) for ranking in shown if ranking.slices
        },
        markdown=without_thin_spaces(_markdown(shown, results)) if shown else "",
        pictured=shown[0] if shown else None,
    )


def _leaders(ranking: Ranking) -> list[str]:
    """Return a line for each of the first contestants, which may share a rank."""
    return [
        f"{standing.rank}. {standing.name} {standing.text}"
        for standing in ranking.measured[:LEADERS_MAX]
    ]


def _counted(counts: Sequence[tuple[str, int]]) -> str:
    """Format counts in one line: ``client CPU 12, receive window 3``."""
    return ", ".join(f"{name} {count}" for name, count in counts if count)


def _markdown(ranked: Sequence[Ranking], results: Results) -> str:
    """
    Return a table with a row for each contestant and a few columns per workload.

    What this machine does not have is left out. Notes about libraries follow.
    """
    shown = {
        standing.name: standing.outcome.cell
        for ranking in ranked
        for standing in ranking.every
        if _is_shown(standing)
    }
    titles, rules = ["contestant"], ["---"]
    rows = {
        name: [
            name + "".join(each.mark for each in libraries_of(cell, results.versions))
        ]
        for name, cell in shown.items()
    }
    for ranking in ranked:
        columns = shown_on(Medium.MARKDOWN, ranking, ranking.every, results)
        first, *others = [column.titles[Medium.MARKDOWN] for column in columns]
        names = [f"{ranking.point}, {first}", *others]
        titles += [name.replace("\n", " ") for name in names]
        rules += ["--:"] * len(others) + ["---"]
        standings = {standing.name: standing for standing in ranking.every}
        for name, row in rows.items():
            row.extend(_cells(standings.get(name), columns))
    lines = [f"| {' | '.join(titles)} |", f"|{'|'.join(rules)}|"]
    lines += [f"| {' | '.join(row)} |" for row in rows.values()]
    if any(ranking.has_bounds for ranking in ranked):
        lines += ["", bound_note()]
    for ranking in ranked:
        if note := slices_note(ranking):
            lines += ["", f"{ranking.point}: {note}"]
    if about := [*notes(libraries(shown.values(), results.versions))]:
        lines += ["", " ".join(about)]
    return "\n".join(lines)


def _is_shown(standing: Standing) -> bool:
    """Whether a contestant was measured, or failed although it is installed."""
    failures = standing.outcome.failures
    return bool(standing.text) or any(
        failure.kind != NotInstalled.kind for failure in failures
    )


def _cells(standing: Standing | None, columns: Sequence[RankingColumn]) -> list[str]:
    """Return the cells of a workload; what was not measured has only a reason."""
    if standing and standing.text:
        return [column.entry(standing).text for column in columns]
    reason = "not tested"
    if standing:
        kinds = [failed.kind for failed in standing.outcome.failures]
        reason = kinds[0] if kinds else standing.outcome.absence
    return [*[""] * (len(columns) - 1), reason]
