"""Axes with round ticks in the displayed unit."""

import pytest

from autostrada.report.charts.axis import parameter_axis, value_axis

MIB = 2**20


@pytest.mark.parametrize(
    ("values", "unit", "ticks"),
    [
        ([30, 480], "per_s", [0, 100, 200, 300, 400]),
        ([0.25, 0.9], "share", [0, 0.2, 0.4, 0.6, 0.8]),
        ([100 * MIB, 350 * MIB], "bytes", [0, 100 * MIB, 200 * MIB, 300 * MIB]),
        ([0, 0], "messages", [0, 1]),
        ([0.2, 45_200], "ms", [1, 10, 100, 1_000, 10_000]),
    ],
)
def test_ticks_are_round(values, unit, ticks):
    axis = value_axis("median", values, unit).to_dict()
    assert axis["axis"]["values"] == pytest.approx(ticks)


def test_all_values_are_within_the_axis():
    for values in ([3, 480], [0.2, 45_200], [7, 7]):
        low, high = value_axis("median", values, "ms").to_dict()["scale"]["domain"]
        assert low <= min(values) <= max(values) <= high


def test_a_wide_range_of_values_has_a_logarithmic_axis():
    kinds = [
        value_axis("median", values, "ms").to_dict()["scale"]["type"]
        for values in ([1, 20], [1, 40], [0, 40])
    ]
    assert kinds == ["linear", "log", "linear"]


def test_a_parameter_has_ticks_at_its_values():
    axis = parameter_axis("x", [64, 1, 8, 8]).to_dict()
    assert axis["axis"]["values"] == [1, 8, 64]
    assert axis["scale"]["type"] == "log"
