"""Two profiles as one tree, and the functions that changed."""

import pytest

from autostrada.stats.call_tree import Profile, changed_functions, merge_profiles

BEFORE = Profile(
    samples={("main", "read"): 6_000, ("main", "read", "parse"): 4_000},
    ns_per_message=1_000.0,
)
AFTER = Profile(
    samples={("main", "read"): 1_000, ("main", "read", "parse"): 1_400, ("gc",): 100},
    ns_per_message=1_250.0,
)


def test_each_call_has_the_time_of_a_message_in_it_and_what_it_calls():
    root = merge_profiles(BEFORE, AFTER)
    assert (root.before_ns, root.after_ns) == pytest.approx((1_000.0, 1_250.0))
    assert root.callees.keys() == {"main", "gc"}
    read = root.callees["main"].callees["read"]
    assert (read.before_ns, read.after_ns) == pytest.approx((1_000.0, 1_200.0))
    assert read.callees["parse"].after_ns == pytest.approx(700.0)
    assert root.callees["gc"].before_ns == 0
    assert root.callees["gc"].mean_ns == pytest.approx(25.0)


def test_functions_changed_beyond_chance_come_first_by_their_own_time():
    changed = changed_functions(BEFORE, AFTER)
    assert [(each.name, round(each.change_ns)) for each in changed] == [
        ("parse", 300),
        ("read", -100),
        ("gc", 50),
    ]
    few = Profile(samples={("main", "read", "parse"): 4}, ns_per_message=1_000.0)
    assert changed_functions(few, few) == []
