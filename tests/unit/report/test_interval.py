"""Formats of intervals, and notes about them."""

from autostrada.report.interval import interval_note, usual_confidence
from autostrada.report.metrics import interval_detail
from autostrada.report.number import THIN_SPACE
from autostrada.stats.interval import median_interval
from autostrada.stats.metrics import METRICS

TIME = METRICS["ms_per_million"]


def test_details_contain_what_is_unusual():
    usual = usual_confidence(5)
    assert usual == 0.9375
    five, four = [196, 198, 200, 202, 204], [392, 396, 400, 404]
    assert (
        interval_detail(median_interval(five), usual, TIME) == f"196–204{THIN_SPACE}ms"
    )
    assert interval_detail(median_interval(four), usual, TIME).endswith("ms at 87.5%")
    assert interval_detail(median_interval([200]), usual, TIME) == ""


def test_the_note_states_the_attained_confidence():
    more = interval_note(9)
    assert "between two of the 9 repetitions" in more
    assert more.endswith("at least 95% confidence (here 96%).")
    assert "gives no interval" in interval_note(1)
