"""Ranks, shared and separate."""

import pytest

from autostrada.stats.rank import shared_ranks
from autostrada.stats.ratio import median_ratio


@pytest.mark.parametrize(
    ("middles", "ranks"),
    [
        ([100, 200, 300], [1, 2, 3]),
        # Two that are indistinguishable share a rank, and the next is third.
        ([100, 101, 200], [1, 1, 3]),
        # A chain of small steps does not make all equal.
        ([100, 102, 104], [1, 1, 3]),
        ([], []),
    ],
)
def test_distinguishable_contestants_are_ranked_in_order(middles, ranks):
    samples = [[middle + each for each in range(-2, 3)] for middle in middles]
    assert ranks_of(samples) == ranks


def test_single_samples_distinguish_nothing():
    assert ranks_of([[100], [900]]) == [1, 1]


def ranks_of(samples):
    ranks = shared_ranks(
        range(len(samples)),
        lambda one, other: (
            median_ratio(samples[one], samples[other]).is_distinguishable
        ),
    )
    return list(ranks.values())
