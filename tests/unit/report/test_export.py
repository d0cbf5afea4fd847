"""Tables as comma-separated values, and the paths of a page and the files beside it."""

from pathlib import Path

import altair as alt
import pytest

from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing
from autostrada.report.export import PageLocation, csv_text, drawn_table


def test_values_have_nine_digits_and_unknown_ones_are_empty():
    rows = [{"name": "a", "share": 1 / 3}, {"name": "b", "share": None}]
    assert csv_text(rows) == "name,share\na,0.333333333\nb,\n"


def test_a_column_that_only_some_rows_have_is_empty_in_others():
    assert csv_text([{"a": 1}, {"a": 2, "b": 3}]) == "a,b\n1,\n2,3\n"


def test_a_chart_gives_the_rows_with_the_most_columns():
    samples = alt.InlineData(values=[{"x": 1.0}, {"x": 2.0}, {"x": 3.0}])
    medians = alt.InlineData(values=[{"x": 2.0, "low": 1.0}])
    chart = alt.layer(
        alt.Chart(samples).mark_tick().encode(x="x:Q"),
        alt.Chart(medians).mark_rule().encode(x="x:Q", x2="low:Q"),
    )
    drawing = Drawing(title="", legend=(), spec=theme.document(chart, ""))
    assert drawn_table(drawing) == [{"x": 2.0, "low": 1.0}]


def test_the_folder_beside_a_page_has_its_name():
    assert PageLocation(path=Path("results/race.html")).folder == Path("results/race")


def test_a_page_without_a_suffix_has_a_folder_of_another_name():
    assert PageLocation(path=Path("report")).folder == Path("report-files")


@pytest.mark.parametrize("name", ["a/b.csv", "..", "a b.svg", "ü?.csv", "x%2Fy.csv"])
def test_the_name_of_a_workload_cannot_leave_the_folder(name):
    location = PageLocation(path=Path("out/race.html"))
    file = location.file(name)
    assert file.parent == Path("out/race") or name == ".."
    assert file.resolve().is_relative_to(Path("out").resolve())


def test_a_link_is_relative_to_the_page():
    location = PageLocation(path=Path("out/my page.html"))
    assert location.link("a b.svg") == "my%20page/a%20b.svg"
    assert location.link("a/b.svg") == "my%20page/a%252Fb.svg"
