"""A differential flame graph: frames within their callers, with their change."""

import pytest

from autostrada.report.charts.flame_graph import flame_frames
from autostrada.stats.call_tree import Profile, merge_profiles


def test_frames_lie_within_their_callers_and_tell_both_times():
    before = Profile(samples={("main", "read"): 50, ("main",): 50}, ns_per_message=100)
    after = Profile(
        samples={("main", "read"): 100, ("main", "<gc>"): 50}, ns_per_message=150
    )
    frames = flame_frames(merge_profiles(before, after))
    whole, main, gc, read = frames
    assert [frame.depth for frame in frames] == [0, 1, 2, 2]
    assert (whole.x, whole.width) == (main.x, main.width) == (0, 1)
    assert gc.x == 0
    assert read.x == pytest.approx(gc.width)
    assert read.x + read.width < 1
    assert read.title == "read: 50 → 100 ns a message (+50 ns, +50.0% of all)"
    assert read.change_share == pytest.approx(50 / 125)
