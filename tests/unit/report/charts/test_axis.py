"""Axes with round ticks in the displayed unit."""

import pytest

from autostrada.report.charts.axis import change_axis, parameter_axis, value_axis

MIB = 2**20
SPACE = "\N{NARROW NO-BREAK SPACE}"


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
    found = [tick.value for tick in value_axis(values, unit).ticks]
    assert found == pytest.approx(ticks)


def test_all_values_are_within_the_axis():
    for values in ([3, 480], [0.2, 45_200], [7, 7]):
        low, high = value_axis(values, "ms").domain
        assert low <= min(values) <= max(values) <= high


def test_a_wide_range_of_values_has_a_logarithmic_axis():
    scales = [value_axis(values, "ms").scale for values in ([1, 20], [1, 40], [0, 40])]
    assert scales == ["linear", "log", "linear"]


def test_a_parameter_has_ticks_at_its_values():
    axis = parameter_axis([64, 1, 8, 8])
    assert [tick.value for tick in axis.ticks] == [1, 8, 64]
    assert axis.scale == "log"


@pytest.mark.parametrize(
    ("values", "unit", "labels"),
    [
        ([3_000], "per_s", ["0", "1,000", "2,000", "3,000"]),
        ([0.5], "share", ["0%", "10%", "20%", "30%", "40%", "50%"]),
        ([2 * MIB], "bytes", ["0 MiB", "0.5 MiB", "1 MiB", "1.5 MiB", "2 MiB"]),
        ([0.02, 2_000], "ms", ["100 µs", "1 ms", "10 ms", "100 ms", "1 s"]),
    ],
)
def test_labels_have_units(values, unit, labels):
    found = [tick.label for tick in value_axis(values, unit).ticks]
    assert found == [label.replace(" ", SPACE) for label in labels]


def test_changes_have_signs_and_include_zero():
    labels = [tick.label for tick in change_axis([-0.1, 0.2]).ticks]
    assert labels == ["\N{MINUS SIGN}10.0%", "+0.0%", "+10.0%", "+20.0%"]
