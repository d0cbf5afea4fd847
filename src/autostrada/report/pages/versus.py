"""Two libraries beside each other: ratios of their cells, and how they differ."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from autostrada.report.library import libraries
from autostrada.report.pages.blocks import Contender, Versus
from autostrada.report.pages.cell_table import cell_table
from autostrada.report.pages.site_cells import RankedCell
from autostrada.report.ranking import Ranking, Standing
from autostrada.report.ranking_text import ratio_detail, signed_ratio
from autostrada.report.samples import ratio_of
from autostrada.stats.ratio import Ratio
from autostrada.stats.slices import compare_slices


def versus(cells: Sequence[RankedCell]) -> Versus:
    """Return all cells of single libraries, for a choice of two of them."""
    alone = [cell for cell in cells if len(cell.contestants) == 1]
    names = sorted({cell.contestants[0] for cell in alone})
    return Versus(
        table=cell_table(alone, "", "versus", has_details=False),
        ratios=dict(_ratios(alone)),
        contenders=tuple(
            Contender(name=name, facts=tuple(_facts(name, alone).items()))
            for name in names
        ),
    )


def _ratios(cells: Sequence[RankedCell]) -> Iterator[tuple[str, str]]:
    """Yield the ratios of the ranked metric of two cells by the indices of both."""
    compared: dict[int, list[int]] = defaultdict(list)
    for index, cell in enumerate(cells):
        if cell.ranking and cell.standing.rank:
            compared[id(cell.ranking)].append(index)
    for indices in compared.values():
        for one, other in combinations(indices, 2):
            ranking = cells[one].ranking
            assert ranking, "only cells of a ranking are compared"
            ours, theirs = cells[one].standing, cells[other].standing
            if found := ratio_in(ranking, ours, theirs):
                yield f"{one} {other}", _written(ours, found, theirs)
                yield f"{other} {one}", _written(theirs, _inverse(found), ours)


def ratio_in(ranking: Ranking, one: Standing, other: Standing) -> Ratio | None:
    """
    Return the ratio of the ranked metric of two cells, the first one's to the other's.

    It is ``None`` if they have no common samples, or no interval.
    """
    if ranking.slices is None:
        if not (one.sampled and other.sampled):
            return None
        found = ratio_of(one.sampled, other.sampled)
        return found if found.confidence else None
    both = {
        each.name: each.outcome.slices
        for each in (one, other)
        if each.outcome.slices and each.estimate
    }
    compared = compare_slices(
        {name: each.cpu_ns for name, each in both.items()},
        {name: each.speeds for name, each in both.items()},
        bias_max=ranking.bias_max,
    )
    if compared is None or len(compared.estimates) < len({one.name, other.name}):
        return None
    best, second = compared.estimates
    cost = compared.estimates[second].to_best
    if not cost.confidence:
        return None
    # A cost as a multiple of the best is the best one's rate as a multiple.
    return cost if best == one.name else _inverse(cost)


def _inverse(ratio: Ratio) -> Ratio:
    return Ratio(
        value=1 / ratio.value,
        low=1 / ratio.high,
        high=1 / ratio.low,
        confidence=ratio.confidence,
    )


def _written(one: Standing, ratio: Ratio, other: Standing) -> str:
    """Format a ratio with its interval; it has a sign if a value is a bound."""
    text, detail = signed_ratio(one, ratio, other), ratio_detail(ratio)
    return f"{text} ({detail})" if detail else text


def _facts(name: str, cells: Sequence[RankedCell]) -> Mapping[str, str]:
    """Return version, settings and conformance of a library in each role."""
    facts: dict[str, str] = {}
    for cell in cells:
        if cell.contestants != [name]:
            continue
        results = cell.run.results
        for each in libraries([cell.standing.outcome.cell], results.versions):
            facts.setdefault("library", each.version.library)
            facts.setdefault("version", each.version.version or "")
            facts.setdefault("language", each.version.language)
            tested = each.conformance or "not tested"
            facts.setdefault(f"{each.role}: Autobahn test suite", tested)
            for key, text in each.settings.items():
                facts.setdefault(f"{each.role}: {key.replace('_', ' ')}", text)
    return facts
