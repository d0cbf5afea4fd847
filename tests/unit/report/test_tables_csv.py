"""Tables as comma-separated values."""

import csv

import altair as alt

from autostrada.report.charts import theme
from autostrada.report.charts.theme import Drawing
from autostrada.report.export import ExportedTable, csv_text, drawn_table, table_of


def test_values_keep_their_precision_and_unknown_ones_are_empty():
    table = ExportedTable(
        columns=("name", "share"),
        rows=[{"name": "a", "share": 1 / 3}, {"name": "b", "share": None}],
    )
    assert csv_text(table) == "name,share\na,0.3333333333333333\nb,\n"


def test_special_characters_are_quoted():
    message = 'said "no",\nand left'
    text = csv_text(table_of([{"message": message}]))
    assert list(csv.DictReader(text.splitlines(keepends=True))) == [
        {"message": message}
    ]


def test_a_column_that_only_some_rows_have_is_empty_in_others():
    assert csv_text(table_of([{"a": 1}, {"a": 2, "b": 3}])) == "a,b\n1,\n2,3\n"


def test_a_chart_gives_the_rows_with_the_most_columns():
    samples = alt.InlineData(values=[{"x": 1.0}, {"x": 2.0}, {"x": 3.0}])
    medians = alt.InlineData(values=[{"x": 2.0, "low": 1.0}])
    chart = alt.layer(
        alt.Chart(samples).mark_tick().encode(x="x:Q"),
        alt.Chart(medians).mark_rule().encode(x="x:Q", x2="low:Q"),
    )
    drawing = Drawing(title="", legend=(), spec=theme.document(chart, ""))
    assert drawn_table(drawing).rows == [{"x": 2.0, "low": 1.0}]
