"""The lines of a time series as points of an SVG polyline."""

import pytest

from autostrada.report.time_series import Panel


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
