"""Two libraries beside each other: their ratios, and what differs."""

import pytest
from tests.unit.report.records import read
from tests.unit.report.sliced import write_sliced

from autostrada.report.pages.site_cells import SiteRun, ranked_cells
from autostrada.report.pages.versus import ratio_in, versus
from autostrada.report.ranking import rankings


@pytest.fixture(scope="module")
def sliced(tmp_path_factory):
    return read(write_sliced(tmp_path_factory.mktemp("versus") / "sliced.duckdb"))


@pytest.mark.parametrize("name", ["sliced", "race"])
def test_the_ratio_of_two_cells_is_that_of_the_ranking(name, request):
    [ranking, *_] = rankings(request.getfixturevalue(name))
    best, second = (one for one in ranking.standings[:2] if one.rank)
    ratio = ratio_in(ranking, second, best)
    assert ratio.value == pytest.approx(second.to_best.value, rel=0.05)
    assert ratio.low < ratio.value < ratio.high
    other_way = ratio_in(ranking, best, second)
    assert other_way.value == pytest.approx(1 / ratio.value)


def test_a_ratio_of_a_bound_is_one(sliced):
    cells = [*ranked_cells(SiteRun(results=sliced, name="sliced"))]
    idle = next(i for i, cell in enumerate(cells) if cell.standing.is_bound)
    busy = next(i for i, cell in enumerate(cells) if not cell.standing.is_bound)
    ratios = versus(cells).ratios
    assert ratios[f"{idle} {busy}"].startswith("≥ ")
    assert ratios[f"{busy} {idle}"].startswith("≤ ")


def test_a_choice_of_two_has_their_cells_ratios_and_facts(sliced):
    cells = [*ranked_cells(SiteRun(results=sliced, name="sliced"))]
    found = versus(cells)
    texts = [row.cells[0].text for row in found.table.rows]
    one, other = texts.index("ada-fast"), texts.index("elm-wide")
    assert found.ratios[f"{one} {other}"].startswith("2.00× (")
    assert found.ratios[f"{other} {one}"].startswith("0.50× (")
    assert not found.table.rows[one].details
    facts = {each.name: dict(each.facts) for each in found.contenders}
    assert facts["ada-fast"]["version"] == "1.2.3"
