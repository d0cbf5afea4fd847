"""The archived findings agree with one another, and with the headline above them."""

from itertools import permutations
from math import inf
from pathlib import Path

import pytest
from tests.unit.report.records import read

from autostrada.report.claims import conclusions
from autostrada.report.headlines import claims_headline
from autostrada.stats.claim import Finding

ARCHIVES = sorted((Path(__file__).parents[3] / "docs" / "results").glob("*.parquet"))


@pytest.fixture(scope="module", params=ARCHIVES, ids=lambda path: path.stem)
def results(request):
    return read(request.param)


def limits(required):
    least = -inf if required.at_least is None else required.at_least
    most = inf if required.at_most is None else required.at_most
    return least, most


def test_findings_about_the_same_cells_agree(results):
    decided = [
        evaluated
        for conclusion in conclusions(results)
        for evaluated in conclusion.parts
        if evaluated.finding in (Finding.CONFIRMED, Finding.CONTRADICTED)
    ]
    for one, other in permutations(decided, 2):
        if (one.required.metric, one.required.cells) != (
            other.required.metric,
            other.required.cells,
        ):
            continue
        (least, most), (other_least, other_most) = map(
            limits, (one.required, other.required)
        )
        findings = (one.finding, other.finding)
        if findings == (Finding.CONFIRMED, Finding.CONFIRMED):
            assert max(least, other_least) <= min(most, other_most)
        if findings == (Finding.CONFIRMED, Finding.CONTRADICTED):
            assert not (other_least <= least and most <= other_most)


def test_the_headline_has_the_findings(results):
    judged = conclusions(results)
    headline = claims_headline(judged, results)
    for number, conclusion in enumerate(judged, 1):
        _, _, listed = headline.partition("Contradicted: ")
        named = {word.strip(".,") for word in listed.split()}
        assert (str(number) in named) is (conclusion.finding is Finding.CONTRADICTED)
