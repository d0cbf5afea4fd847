"""Counts in a line."""

from autostrada.report.collection.summary import Summary, counted, published


def test_counts_stand_behind_what_is_counted():
    assert counted({"client CPU": 12, "window": 3}) == "client CPU 12, window 3"
    assert counted({}) == ""


def test_conclusions_stand_behind_what_was_published():
    told = Summary(
        headline="", verdicts={}, claims={"holds": 2}, publication="Theirs, 1999"
    )
    assert published(told) == "Theirs, 1999: holds 2"
    assert published(Summary(headline="", verdicts={}, claims={})) == ""
