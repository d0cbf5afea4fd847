"""Clients that get each frame by itself, and those that get many at once."""

from dataclasses import replace

import pytest

from autostrada.report.race.explanation.batching import batching


@pytest.fixture
def piles(nothing):
    return lambda **messages: {
        ("one", name): replace(nothing, messages_per_segment=each)
        for name, each in messages.items()
    }


def test_who_lets_frames_pile_up_is_ahead_of_the_others(ranking, piles):
    one = ranking("one", {"ada": 10, "bash": 40, "cobol": 40, "dart": 50})
    found = batching(one, piles(ada=60.0, bash=1.0, cobol=1.1, dart=1.2))
    assert found.effects == {"ada": 4.0, "bash": 1.0, "cobol": 1.0, "dart": 0.8}
    said = found.measured[1].replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert said == (
        "In one 3 clients got fewer than 2 messages a segment and took 40.0 ms for 1 M "
        "in the median; 1 client got more and took 10.0 ms for 1 M, the fastest of "
        "them ada with 60.0 messages a segment and 10.0 ms for 1 M."
    )


def test_who_piles_and_is_slow_all_the_same_does_not_lose_by_it(ranking, piles):
    one = ranking("one", {"ada": 10, "bash": 40, "cobol": 40, "slow": 900})
    found = batching(one, piles(ada=60.0, bash=1.0, cobol=1.1, slow=70.0))
    assert found.effects["slow"] == 1.0


def test_where_all_are_alike_it_separates_nobody(ranking, piles):
    one = ranking("one", {"ada": 10, "bash": 40})
    found = batching(one, piles(ada=1.0, bash=1.0))
    assert found.effects == {"ada": 1.0, "bash": 1.0}


def test_it_needs_a_workload_and_looks(ranking):
    assert "two looks" in batching(ranking("one", {"ada": 10}), {}).lacks
    assert batching(None, {}).lacks
