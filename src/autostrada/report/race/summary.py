"""A race in short: for an index, and as a table for a document."""

from collections import Counter

from autostrada.report.collection.summary import FAILED, Summary
from autostrada.report.experiment.conclusion import conclusions
from autostrada.report.experiment.extract.summary import counted_claims, publication_of
from autostrada.report.experiment.results import Results
from autostrada.report.race import finding
from autostrada.report.race.race import Race, Ranking, Standing
from autostrada.report.text import without_thin_spaces
from autostrada.report.verdict import LIMIT_IN_WORDS


def race_summary(race: Race, results: Results) -> Summary:
    """Return who won, what held how many back, and the table of all workloads."""
    first = race.rankings[0]
    return Summary(
        headline=finding.headline(first),
        verdicts=_verdicts(race),
        claims=counted_claims(conclusions(results)),
        publication=publication_of(results),
        markdown=without_thin_spaces(_markdown(race)),
        picture=f"race-{first.workload.name}" if first.measured else "",
    )


def _verdicts(race: Race) -> dict[str, int]:
    """Count the cells by what held them back; those without figures come last."""
    standings = [each for ranking in race.rankings for each in ranking.standings]
    limits = Counter(
        LIMIT_IN_WORDS[each.figures.verdict.limit] for each in standings if each.figures
    )
    failed = sum(bool(each.failures) and not each.figures for each in standings)
    return dict(limits.most_common()) | ({FAILED: failed} if failed else {})


def _markdown(race: Race) -> str:
    """Return a row for each contestant and three columns for each workload."""
    names = [ranking.workload.name for ranking in race.rankings]
    titles = ["contestant"]
    for name in names:
        titles += [f"{name}, ms/1M", "to best", "limit"]
    lines = [
        "| " + " | ".join(titles) + " |",
        "|---" + "|--:|--:|---" * len(names) + "|",
    ]
    places = [
        {standing.contestant: standing for standing in _every(ranking)}
        for ranking in race.rankings
    ]
    for contestant in dict.fromkeys(name for place in places for name in place):
        cells = [contestant]
        for ranking, place in zip(race.rankings, places, strict=True):
            cells += _cells(place.get(contestant), ranking)
        lines.append("| " + " | ".join(cells) + " |")
    if any(finding.has_bounds(ranking) for ranking in race.rankings):
        lines += ["", finding.bound_note()]
    return "\n".join(lines)


def _every(ranking: Ranking) -> tuple[Standing, ...]:
    reference = [ranking.reference] if ranking.reference else []
    return (*reference, *ranking.standings)


def _cells(standing: Standing | None, ranking: Ranking) -> tuple[str, str, str]:
    if standing is None:
        return "", "", "not invited"
    figures = standing.figures
    if not figures:
        kinds = [failed.failure.kind for failed in standing.failures]
        return "", "", kinds[0] if kinds else "not measured yet"
    to_fastest = finding.to_fastest(figures, ranking)
    return finding.duration(figures), to_fastest, LIMIT_IN_WORDS[figures.verdict.limit]
