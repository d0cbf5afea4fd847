"""A chart as a picture: complete, self-contained and reproducible."""

from xml.etree import ElementTree

import altair as alt
import pytest

from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing, Key
from autostrada.report.picture import (
    WIDTH_PX,
    bare_picture,
    in_plain_colours,
    palette,
    whole_picture,
)

SVG = "{http://www.w3.org/2000/svg}"


def drawing(*, labels=("one <thing>",), shape="dot"):
    rows = alt.InlineData(values=[{"x": 1.0, "y": 1200.0}, {"x": 2.0, "y": 3400.0}])
    y = alt.Y("y:Q", axis=alt.Axis(labelExpr="format(datum.value, ',~r')"))
    chart = alt.Chart(rows).mark_line(color=theme.ACCENT).encode(x="x:Q", y=y)
    return Drawing(
        title="y over x & more",
        legend=tuple(
            Key(label=label, colour=theme.series_colour(0), shape=shape)
            for label in labels
        ),
        spec=theme.document(chart.properties(height=200), "a line"),
    )


def texts(svg):
    return [each.text for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_file_has_title_legend_and_labels():
    text = texts(whole_picture(drawing()))
    assert {"y over x & more", "one <thing>", "3,000"} <= {*text}


def test_a_file_is_self_contained():
    svg = whole_picture(drawing())
    assert "var(" not in svg
    assert svg.count("http") == svg.count("http://www.w3.org/")


def test_within_a_page_the_colours_are_those_of_the_page():
    svg = bare_picture(drawing(), 400)
    assert 'stroke="var(--accent)"' in svg
    assert ElementTree.fromstring(svg).get("width") == "400"


@pytest.mark.parametrize("shape", ["dot", "ring", "diamond", "hollow", "line"])
def test_every_shape_of_a_legend_is_drawn(shape):
    root = ElementTree.fromstring(whole_picture(drawing(shape=shape)))
    [entry] = [
        group
        for group in root.iter(f"{SVG}g")
        if [each.text for each in group.findall(f"{SVG}text")] == ["one <thing>"]
    ]
    mark = entry[0]
    assert mark.get("stroke") == "#0b5fbd"
    assert (mark.get("fill") == "none") == (shape in {"ring", "hollow"})


def test_a_long_legend_wraps_within_the_width():
    labels = [f"a contestant with a long name {number}" for number in range(9)]
    root = ElementTree.fromstring(whole_picture(drawing(labels=labels)))
    places = [
        tuple(map(int, group.get("transform")[len("translate(") : -1].split(",")))
        for group in root.iter(f"{SVG}g")
        if (group.findtext(f"{SVG}text") or "") in labels
    ]
    assert len(places) == len(labels)
    assert len({y for _, y in places}) > 1
    assert all(x < WIDTH_PX / 2 + 300 for x, _ in places)


def test_every_colour_of_a_chart_has_a_constant_value():
    used = [theme.INK, theme.MUTED, theme.FAINT, theme.PAPER, theme.ACCENT, theme.ALARM]
    for colour in [*used, *theme.SERIES]:
        assert in_plain_colours(colour).startswith("#")


def test_other_text_is_unchanged():
    text = '<path fill="var(--ink)"/> variable'
    assert in_plain_colours(text) == f'<path fill="{palette()["--ink"]}"/> variable'
