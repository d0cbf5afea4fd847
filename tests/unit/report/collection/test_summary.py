"""Counts in a line."""

from autostrada.report.collection.summary import counted


def test_counts_stand_behind_what_is_counted():
    assert counted({"client CPU": 12, "window": 3}) == "client CPU 12, window 3"
    assert counted({}) == ""
