"""Ranks, shared and separate."""

from autostrada.stats.rank import shared_ranks
from autostrada.stats.ratio import median_ratio


def around(middle):
    return [middle - 2, middle - 1, middle, middle + 1, middle + 2]


def ranks_of(samples):
    return shared_ranks(
        list(samples),
        lambda one, other: (
            median_ratio(samples[one], samples[other]).is_distinguishable
        ),
    )


def test_distinguishable_contestants_are_ranked_in_order():
    ranks = ranks_of({"a": around(100), "b": around(200), "c": around(300)})
    assert ranks == {"a": 1, "b": 2, "c": 3}


def test_two_that_are_indistinguishable_share_a_rank_and_the_next_is_third():
    ranks = ranks_of({"a": around(100), "b": around(101), "c": around(200)})
    assert ranks == {"a": 1, "b": 1, "c": 3}


def test_a_chain_of_small_steps_does_not_make_all_equal():
    ranks = ranks_of({"a": around(100), "b": around(102), "c": around(104)})
    assert ranks == {"a": 1, "b": 1, "c": 3}


def test_single_samples_distinguish_nothing():
    assert ranks_of({"a": [100], "b": [900]}) == {"a": 1, "b": 1}


def test_without_contestants_there_are_no_ranks():
    assert ranks_of({}) == {}
