"""Charts of a load's seconds."""

from autostrada.report.charts.load import load_charts


def second(number, messages, response=(), delivery=()):
    return {
        "second": number,
        "messages": messages,
        "response_time_ns": response,
        "delivery_time_ns": delivery,
    }


def test_rate_and_times_are_drawn(rows_of):
    charts = load_charts([
        second(0, 100, response=[[1_000_000, 99], [4_000_000, 1]]),
        second(1, 80),
    ])  # fmt: skip
    rates = rows_of(charts["rate"], "at_s", "messages")
    assert [(row["at_s"], row["messages"]) for row in rates] == [(1, 100), (2, 80)]
    times = rows_of(charts["times"], "at_s", "quantile", "ms")
    found = {row["quantile"]: round(row["ms"]) for row in times}
    assert found == {"p50": 1, "p99": 1, "maximum": 4}


def test_what_was_not_measured_is_not_drawn():
    assert load_charts([]) == {}
    assert set(load_charts([second(0, 5)])) == {"rate"}
