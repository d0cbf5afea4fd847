"""The page of a load: what went wrong stands first, and conditions have a result."""

from datetime import UTC, datetime

import pytest
from tests.unit.report.outline import words

from autostrada.report.pages.load_page import headline, load_page

AT = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
LOAD = {
    "asked": "ws://a: 10 connections",
    "limit": "the server's CPU",
    "not_judged": None,
    "nothing_measured": None,
    "incomplete": None,
    "conditions": [],
    "ended": "complete",
    "failures": [],
    "metrics": [],
    "seconds": [],
    "exchange": {"response_time_ns": [[1_000_000, 90], [4_000_000, 10]]},
    "delivery_time_ns": None,
}
CLOSED = [
    {"kind": "closed", "count": 1200, "example": "closed by the server"},
    {"kind": "connect", "count": 8, "example": "connection refused"},
]
MET = "p99 > 50ms: p99 was 62 ms"
CONDITIONS = [
    {"condition": "p99 > 50ms", "failure": MET},
    {"condition": "errors > 1%", "failure": None},
]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "Limit: the server's CPU."),
        (
            {"incomplete": "all 3 connections were lost", "failures": CLOSED},
            "All 3 connections were lost. Failures: 1,200 × closed, 8 × connect. "
            "Limit: the server's CPU.",
        ),
        (
            {"conditions": CONDITIONS},
            "1 of 2 conditions failed. Limit: the server's CPU.",
        ),
        ({"conditions": CONDITIONS[1:]}, "Limit: the server's CPU."),
    ],
)
def test_the_headline_says_what_went_wrong(changes, text):
    assert headline(LOAD | changes) == text


def test_conditions_are_passed_or_failed():
    text = words(load_page(LOAD | {"conditions": CONDITIONS}, AT))
    assert f"p99 > 50ms failed: {MET}" in text
    assert "errors > 1% passed" in text
    assert "response time at each percentile" in text
    assert "histogram: messages by response time" in text
    assert "Conditions" not in words(load_page(LOAD, AT))


def test_what_was_not_measured_has_no_heading():
    text = words(load_page(LOAD | {"exchange": None}, AT))
    assert "Distribution" not in text
    assert "Second by second" not in text
