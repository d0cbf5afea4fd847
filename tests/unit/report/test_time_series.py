"""The lines of a time series as points of an SVG polyline."""

import pytest

from autostrada.report.time_series import Panel, rate_line


def points(*values):
    line = tuple((float(at_s), float(value)) for at_s, value in enumerate(values))
    panel = Panel(
        title="CPU, cores", lines={"client": line}, written={}, duration_s=10.0
    )
    return panel.points("client")


@pytest.mark.parametrize(
    ("values", "drawn"),
    [
        ((1, 1, 1, 1), "0,0 30,0"),
        ((1, 1, 0, 0, 0, 1), "0,0 10,0 20,100 40,100 50,0"),
        ((1,), "0,0 0,0"),
        ((1, 0.5, 0), "0,0 10,50 20,100"),
    ],
)
def test_points_inside_a_straight_part_are_left_out(values, drawn):
    assert points(*values) == drawn


def test_a_line_that_returns_keeps_its_turning_point():
    line = ((1.0, 0.0), (1.0, 1.0), (1.0, 0.5))
    panel = Panel(title="", lines={"client": line}, written={}, duration_s=10.0)
    assert panel.points("client") == "10,100 10,0 10,50"


def test_samples_that_are_close_make_no_spike_and_lose_no_increase():
    at_s = [0.0, 0.4, 0.400001, 0.9, 1.6, 2.0]
    counted = [0, 40, 49, 90, 160, 200]
    line = rate_line(at_s, counted, points_max=8)
    assert max(per_s for _, per_s in line) == pytest.approx(100, rel=0.1)
    steps = zip(line[::2], line[1::2], strict=True)
    assert sum((end - begin) * per_s for (begin, per_s), (end, _) in steps) == (
        pytest.approx(200)
    )
    assert (line[0][0], line[-1][0]) == (0.0, 2.0)


@pytest.mark.parametrize("at_s", [[], [1.0], [1.0, 1.0]])
def test_samples_of_one_instant_have_no_rate(at_s):
    assert rate_line(at_s, range(len(at_s))) == ()
