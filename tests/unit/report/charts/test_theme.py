"""Properties that all charts share."""

import altair as alt
import pytest

from autostrada.report.charts import theme


def chart():
    rows = alt.InlineData(values=[{"x": 1.0}])
    return alt.Chart(rows).mark_point().encode(x="x:Q")


def test_a_document_fills_its_container_describes_itself_and_names_no_address():
    spec = theme.document(chart(), "one dot")
    assert spec["width"] == "container"
    assert spec["description"] == "one dot"
    assert spec["background"] == "transparent"
    assert "http" not in str(spec)


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
    axis = theme.log_axis("ms", values).to_dict()
    low, high = axis["scale"]["domain"]
    assert low < min(values) <= max(values) < high
    assert axis["axis"]["values"] == ticks


def test_a_single_value_has_an_axis():
    low, high = theme.log_axis("ms", [5]).to_dict()["scale"]["domain"]
    assert low < 5 < high
