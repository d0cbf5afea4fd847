"""What the questions to a store answer."""

from autostrada.report.query import ask


def test_the_series_ends_with_all_messages_at_the_duration(reader):
    rows = ask(reader, "series", 1)
    slow = [
        (row["at_s"], row["received"])
        for row in rows
        if row["workload"] == "batched"
        and row["contestant"] == "bash-slow"
        and row["repetition"] == 2
    ]
    assert slow == [
        (0, 0),
        (1, 250_000),
        (2, 500_000),
        (3, 750_000),
        (4, 1_000_000),
    ]


def test_every_attempt_is_listed_with_what_became_of_it(reader):
    rows = ask(reader, "trials", 1)
    assert len(rows) == 4 + 5 * 8 + 1
    assert [row["is_warm_up"] for row in rows].count(True) == 4
    [crashed] = [row for row in rows if row["kind"]]
    assert (crashed["contestant"], crashed["repetition"]) == ("cobol-mid", 4)
    assert crashed["ns_per_message"] is None


def test_failures_are_listed_for_contestants_and_trials(reader):
    rows = ask(reader, "failures", 1)
    assert [(row["contestant"], row["workload"], row["kind"]) for row in rows] == [
        ("cobol-mid", "batched", "crashed"),
        ("dart-missing", None, "requirement missing"),
    ]


def test_cells_without_a_measurement_have_no_row(reader):
    rows = ask(reader, "cells", 1)
    assert len(rows) == 8
    assert rows == ask(reader, "cells", 1)
    assert ask(reader, "cells", 2) == []
