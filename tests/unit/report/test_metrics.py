"""Titles and formats of metrics."""

import pytest

from autostrada.experiment.published_table import PublishedUnit
from autostrada.report.interval import interval_note, usual_confidence
from autostrada.report.metrics import bounds, interval_detail, ratio_bounds, written
from autostrada.report.number import THIN_SPACE
from autostrada.stats.interval import Interval, median_interval
from autostrada.stats.metrics import METRICS


def plain(text):
    return text.replace(THIN_SPACE, " ")


def test_metrics_of_a_group_have_different_titles():
    assert len({(each.group, each.title) for each in METRICS.values()}) == len(METRICS)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("latency_ms_mean", 0.2074, "207 µs"),
        ("latency_ms_mean", 45_200, "45.2 s"),
        ("latency_ms_mean", 2, "2 ms"),
        ("latency_ms_mean", 0, "0 µs"),
        ("server_memory_bytes_max", 8 * 2**30, "8 GiB"),
        ("server_memory_bytes_max", 330_000_000, "315 MiB"),
        ("wire_bytes_per_event", 260.4, "260 bytes"),
        ("server_cpu_utilization", 0.865, "86.5%"),
        ("server_cpu_utilization", 1, "100%"),
        ("received_messages", 1_640_598, "1,640,598"),
        ("received_per_client_per_s", 31.35, "31.4"),
        ("dropped_messages", 8, "8"),
        ("server_cpu_us_per_event", 12.34, "12.3 µs"),
        ("connect_s", 180, "180 s"),
    ],
)
def test_a_value_has_a_unit_with_few_digits(name, value, text):
    assert plain(written(METRICS[name], value)) == text


@pytest.mark.parametrize(
    ("name", "sign"),
    [
        ("received_per_s", "≥ "),
        ("latency_ms_p99", "≤ "),
        ("connect_s", "≤ "),
        ("offered_per_s", ""),
        ("server_cpu_utilization", ""),
        ("server_memory_bytes_max", ""),
        ("dropped_messages", ""),
    ],
)
def test_a_lower_bound_has_a_sign(name, sign):
    assert METRICS[name].bound_sign == sign


def test_a_published_unit_replaces_that_of_the_metric():
    gigabytes = PublishedUnit(name="GB", factor=1e-9)
    percent = PublishedUnit(name="% of four cores", factor=25)
    memory, cpu = METRICS["server_memory_bytes_max"], METRICS["server_cpu_utilization"]
    assert plain(written(memory, 14_670_000_000, gigabytes)) == "14.7"
    assert plain(written(cpu, 2.4, percent)) == "60"
    interval = median_interval([0.26e9, 0.27e9, 0.28e9])
    assert plain(bounds(memory, interval, gigabytes)) == "0.26–0.28"


def test_bounds_have_the_unit_of_their_median():
    interval = median_interval([0.9, 1.5, 2000])
    assert plain(bounds(METRICS["latency_ms_p99"], interval)) == "0.90–2,000.00 ms"
    assert bounds(METRICS["latency_ms_p99"], median_interval([1.5])) == ""


def test_a_value_without_an_upper_bound_is_marked():
    interval = Interval(median=800, low=800, high=float("inf"), confidence=0.75)
    assert plain(bounds(METRICS["received_messages"], interval)) == "≥ 800"


def test_bounds_without_an_upper_end_are_lower_bounds():
    assert ratio_bounds(1.5, 2.5, like=2) == "1.50–2.50"
    assert ratio_bounds(1.5, float("inf"), like=2).startswith("≥")


def test_details_contain_what_is_unusual():
    usual, time = usual_confidence(5), METRICS["ms_per_million"]
    assert usual == 0.9375

    def detail(*values):
        return plain(interval_detail(median_interval(values), usual, time))

    assert detail(196, 198, 200, 202, 204) == "196–204 ms"
    assert detail(392, 396, 400, 404) == "392–404 ms at 87.5%"
    assert detail(200) == ""


def test_the_note_states_the_attained_confidence():
    more = interval_note(9)
    assert "between two of the 9 repetitions" in more
    assert more.endswith("at least 95% confidence (here 96%).")
    assert "gives no interval" in interval_note(1)
