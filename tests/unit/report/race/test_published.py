"""Published figures beside measured ones, by hand."""

import pytest

from autostrada.report.race.published import all_sources, compared_contestants
from autostrada.report.race.race import read_race


@pytest.fixture(scope="module")
def race(reader):
    return read_race(reader)


def test_published_figures_are_scaled_and_relative_to_their_own_winner(race):
    theirs = all_sources(race)[0]
    assert (theirs.title, theirs.is_measured) == ("Their table", False)
    # 30 ms for 500,000 messages; their winner took 10.
    ada = theirs.figures["ada-fast"]
    assert (ada.milliseconds, ada.to_winner) == (60, 3)


def test_measured_figures_are_relative_to_the_winner_here(race):
    _, batched, one_by_one = all_sources(race)
    assert batched.title == "measured, batched"
    assert batched.figures["bash-slow"].to_winner == 20
    assert one_by_one.figures["bash-slow"].milliseconds == 2600
    assert "reference" not in batched.figures


def test_a_duration_that_the_server_limited_is_an_upper_bound(race):
    _, batched, one_by_one = all_sources(race)
    assert not batched.figures["ada-fast"].is_upper_bound
    assert one_by_one.figures["ada-fast"].is_upper_bound


def test_published_contestants_that_were_not_measured_here_appear_too(race):
    assert list(compared_contestants(race)) == [
        ("ada-fast", True),
        ("cobol-mid", True),
        ("bash-slow", True),
        ("erlang-absent", False),
    ]
