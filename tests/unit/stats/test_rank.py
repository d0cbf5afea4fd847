"""Ranks, shared and not."""

from autostrada.stats.rank import shared_ranks


def around(middle):
    return [middle - 2, middle - 1, middle, middle + 1, middle + 2]


def test_contestants_apart_are_ranked_by_their_medians():
    ranks = shared_ranks({"c": around(300), "a": around(100), "b": around(200)})
    assert ranks == {"a": 1, "b": 2, "c": 3}


def test_two_that_cannot_be_told_apart_share_a_rank_and_the_next_is_third():
    ranks = shared_ranks({"a": around(100), "b": around(101), "c": around(200)})
    assert ranks == {"a": 1, "b": 1, "c": 3}


def test_a_chain_of_small_steps_does_not_make_all_equal():
    ranks = shared_ranks({"a": around(100), "b": around(102), "c": around(104)})
    assert ranks == {"a": 1, "b": 1, "c": 3}


def test_one_sample_each_tells_nobody_apart():
    assert shared_ranks({"a": [100], "b": [900]}) == {"a": 1, "b": 1}


def test_nobody_has_no_rank():
    assert shared_ranks({}) == {}
