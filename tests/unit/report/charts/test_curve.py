"""Curves contain every median, interval, published value and failure."""

from dataclasses import replace

import pytest

from autostrada.report.charts.curve import curve_chart
from autostrada.report.charts.curve_plots import sweeps
from autostrada.report.export import csv_text, drawn_table
from autostrada.report.published import published_tables
from autostrada.stats.metrics import METRICS

RATE = METRICS["received_per_client_per_s"]


@pytest.fixture(scope="module")
def few_stocks(market):
    return sweeps(market)[0]


def test_a_point_has_median_interval_and_published_value_or_a_reason(
    market, few_stocks, snapshot
):
    chart = curve_chart(few_stocks.plot(RATE), published_tables(market))
    snapshot("curve.csv", csv_text(drawn_table(chart)))


def test_published_points_differ_in_shape(market, few_stocks):
    legend = curve_chart(few_stocks.plot(RATE), published_tables(market)).legend
    assert [(key.label, key.shape) for key in legend] == [
        ("ada-server", "dot"),
        ("cobol-server", "dot"),
        ("dart-server", "dot"),
        ("published", "hollow"),
    ]


def test_the_title_names_metric_parameter_and_common_values(market, few_stocks):
    assert curve_chart(few_stocks.plot(RATE), published_tables(market)).title == (
        "Throughput: received per second by each client, over client processes (json, "
        "engine, stocks=1), × marks failures"
    )


def test_a_metric_without_values_makes_no_chart(market, few_stocks):
    assert (
        curve_chart(
            few_stocks.plot(METRICS["wire_bytes_per_s"]),
            published_tables(market),
        )
        is None
    )


def test_one_measured_point_is_no_curve(market, few_stocks):
    ada = few_stocks.lines[0]
    alone = replace(few_stocks, lines=(replace(ada, points=ada.points[:1]),))
    assert curve_chart(alone.plot(RATE), published_tables(market)) is None
