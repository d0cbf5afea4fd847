"""Properties that all charts share."""

import pytest

from autostrada.report.charts import theme


def test_the_name_of_a_variant_breaks_before_its_plus_sign():
    axis = theme.names_axis(["ada", "ada+fast+safe"])
    assert axis.domain == ("ada", "ada+fast+safe")
    assert [tick.label for tick in axis.ticks] == ["ada", "ada\n+fast+safe"]


def test_colours_repeat_after_the_last():
    assert theme.series_colour(0) == theme.series_colour(len(theme.SERIES))
    assert theme.series_colour(0) != theme.series_colour(1)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([20, 4000], [50, 100, 500, 1000, 5000]),
        ([200, 300], [200]),
        ([1, 25], [1, 2, 5, 10, 20]),
    ],
)
def test_a_logarithmic_axis_has_round_ticks(values, ticks):
    axis = theme.log_axis(values)
    low, high = axis.domain
    assert low < min(values) <= max(values) < high
    assert [tick.value for tick in axis.ticks] == ticks


def test_a_single_value_has_an_axis():
    low, high = theme.log_axis([5]).domain
    assert low < 5 < high
