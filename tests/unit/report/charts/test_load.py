"""Charts of a load's seconds, and of the distribution of its times."""

import pytest
from tests.unit.report.loads import BEFORE

from autostrada.report.charts.load import load_charts, overlaid_charts


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


@pytest.mark.parametrize("times", ["response", "delivery"])
def test_a_histogram_has_all_times_in_bars(times):
    buckets = [[1_000_000, 90], [4_000_000, 9], [1_024_000_000, 1]]
    chart = charts_of(**{times: buckets})["histogram"]
    assert chart.title == f"histogram: messages by {times} time"
    assert [row["messages"] for row in chart.table] == [90, 9, 1]
    for row, ms in zip(chart.table, (1, 4, 1024), strict=True):
        assert row["from_ms"] <= ms < row["to_ms"]
    assert (chart.x.scale, chart.y.domain[0]) == ("log", 0)
    assert "1 s" in {tick.label.replace("\u202f", " ") for tick in chart.x.ticks}


def test_a_narrow_histogram_has_ticks():
    chart = charts_of(response=[[5_300_000, 1], [5_600_000, 1]])["histogram"]
    assert len(chart.x.ticks) > 1


def test_loads_of_two_names_are_overlaid():
    fast, slow = (
        BEFORE[0].model_copy(
            update={"messages_per_s": rates, "times_ns": ((ns, 50), (4 * ns, 50))}
        )
        for rates, ns in [((100, 90), 1_000_000), ((70,), 2_000_000)]
    )
    charts = overlaid_charts({"<b>": [fast, fast], "after": [slow, BEFORE[0]]})
    lines = {(row["line"], row["colour"]) for row in charts["rate"].marks[0].rows}
    assert len(lines) == 3
    colours = {key.colour for key in charts["rate"].legend}
    assert {colour for _, colour in lines} == colours
    for chart in charts.values():
        assert [key.label for key in chart.legend] == ["<b>", "after"]
    counts = {row["side"]: row["one_in"] for row in charts["distribution"].table}
    assert counts == {"<b>": 200, "after": 100}
    shares = [row["share of messages"] for row in charts["histogram"].table]
    assert shares == [0.5, 0.5, 0.5, 0.5]
    assert overlaid_charts({"a": BEFORE, "b": BEFORE}) == {}


def test_what_was_not_measured_is_not_drawn():
    assert charts_of() == {}
    assert set(charts_of(second(0, 5))) == {"rate"}
