"""Charts of a load's seconds, and of the distribution of its times."""

import pytest

from autostrada.report.charts.load import load_charts


def second(number, messages, response=(), delivery=()):
    return {
        "second": number,
        "messages": messages,
        "response_time_ns": response,
        "delivery_time_ns": delivery,
    }


def charts_of(*seconds, response=None, delivery=None):
    exchange = {"response_time_ns": response} if response else None
    return load_charts(
        {"seconds": seconds, "exchange": exchange, "delivery_time_ns": delivery}
    )


def test_rate_and_times_are_drawn_on_the_same_axis():
    charts = charts_of(
        second(0, 100),
        second(1, 100, response=[[1_000_000, 99], [4_000_000, 1]]),
        second(2, 80),
    )
    assert [row["messages"] for row in charts["rate"].table] == [100, 100, 80]
    times = charts["times"].table
    assert {row["at_s"] for row in times} == {2}
    found = {row["quantile"]: round(row["ms"]) for row in times}
    assert found == {"p50": 1, "p99": 1, "maximum": 4}
    for name in ("rate", "times"):
        assert charts[name].x.domain == (0, 3)


@pytest.mark.parametrize("times", ["response", "delivery"])
def test_the_distribution_ends_with_the_longest_time(times):
    buckets = [[1_000_000, 90], [4_000_000, 9], [1_024_000_000, 1]]
    rows = charts_of(**{times: buckets})["distribution"].table
    assert (rows[0]["one_in"], rows[-1]["one_in"]) == (1, 100)
    (median,) = [row["ms"] for row in rows if row["quantile"] == "p50"]
    (p90,) = [row["ms"] for row in rows if row["quantile"] == "p90"]
    assert (round(median), round(p90), round(rows[-1]["ms"])) == (1, 1, 1024)
    assert [row["ms"] for row in rows] == sorted(row["ms"] for row in rows)


def test_what_was_not_measured_is_not_drawn():
    assert charts_of() == {}
    assert set(charts_of(second(0, 5))) == {"rate"}
