"""A differential flame graph: frames within their callers, coloured by the change."""

from xml.etree import ElementTree

from autostrada.report.charts.flame_graph import WIDTH, flame_graph
from autostrada.stats.call_tree import Profile, merge_profiles


def test_frames_lie_within_their_callers_and_tell_both_times():
    before = Profile(samples={("main", "read"): 50, ("main",): 50}, ns_per_message=100)
    after = Profile(
        samples={("main", "read"): 100, ("main", "<gc>"): 50}, ns_per_message=150
    )
    drawn = ElementTree.fromstring(flame_graph(merge_profiles(before, after)))
    frames = {}
    for frame in drawn:
        title, rectangle, _ = frame
        name, _, times = title.text.partition(": ")
        x, width = float(rectangle.get("x")), float(rectangle.get("width"))
        frames[name] = (x, x + width, rectangle.get("fill"), times)
    assert frames["all"][:2] == frames["main"][:2] == (0, WIDTH)
    parts = sorted(frames[name][:2] for name in ("read", "<gc>"))
    assert parts[0][0] == 0
    assert parts[0][1] == parts[1][0]
    assert parts[1][1] < WIDTH
    assert frames["read"][3] == "50 → 100 ns a message (+50 ns, +50.0% of all)"
    assert frames["read"][2] == "rgb(235,70,60)"
