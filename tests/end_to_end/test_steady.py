"""Trials of a client whose speed is known, and changes after a second."""

import pytest

CHANGES = "faulty-client+changes-its-rate"
BEFORE_PER_S, AFTER_PER_S = 200_000, 600_000
COLD_MESSAGES = 400_000
TOLERANCE = 0.03


@pytest.fixture(scope="module")
def figures(workspace):
    """Return the recorded figures of a trial, by name."""
    workspace.add()
    workspace.plan(CHANGES, messages=COLD_MESSAGES, seconds=3)
    finished = workspace.run()
    assert finished.returncode == 0, finished.stderr
    rows = workspace.query(
        "SELECT figure, value FROM figure JOIN counted_trial USING (trial_id) "
        f"WHERE contestant = '{CHANGES}'"
    )
    return {row["figure"]: row["value"] for row in rows}


def test_the_steady_rate_is_that_after_the_change(figures):
    assert figures["rate_is_steady"] == 1
    known = pytest.approx(AFTER_PER_S, rel=TOLERANCE)
    assert figures["steady_messages_per_s"] == known
    assert figures["steady_ns_per_message"] == pytest.approx(
        1e9 / AFTER_PER_S, rel=TOLERANCE
    )


def test_the_cold_part_is_mostly_before_the_change(figures):
    # After 1 s half of the messages are read; the others take a third of that time.
    known_ms = 1e3 + (COLD_MESSAGES - BEFORE_PER_S) / AFTER_PER_S * 1e3
    assert figures["ms_per_million"] == pytest.approx(
        known_ms / COLD_MESSAGES * 1e6, rel=TOLERANCE
    )


def test_the_warm_up_ends_with_the_change(figures):
    assert 0.9 <= figures["warm_up_s"] <= 1.6


def test_the_engine_as_client_counts_until_the_server_closes(workspace, figures):
    rows = workspace.query(
        "SELECT messages FROM counted_trial JOIN measurement USING (trial_id) "
        "WHERE contestant = 'reference'"
    )
    assert [row["messages"] > COLD_MESSAGES for row in rows] == [True]
