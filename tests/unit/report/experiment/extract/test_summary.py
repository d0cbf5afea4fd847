"""An experiment in short."""

import pytest

from autostrada.report.experiment.extract.summary import experiment_summary


@pytest.fixture(scope="module")
def summary(market):
    return experiment_summary(market)


def test_it_says_what_became_of_the_conclusions(summary):
    assert summary.headline.startswith("Of 6 published conclusions")
    assert sum(summary.claims.values()) == 6
    assert summary.publication == "The great market of 1999"


def test_it_counts_what_held_cells_back_and_what_failed(summary):
    assert summary.verdicts["server CPU"] == 4
    assert summary.verdicts["failed"] >= 1
    assert list(summary.verdicts)[-1] == "failed"
