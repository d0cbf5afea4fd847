"""Trials of a client whose speed is known, and changes after a second."""

import pytest

CHANGES = "faulty-client+changes-its-rate"
COLD_MESSAGES = 400_000


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


def test_the_cold_part_and_the_steady_rate_have_figures_of_their_own(figures):
    """
    The client is never faster than planned; a busy machine only makes it slower.

    It reads 200,000 messages in the first second, and a message in 1,667 ns after it:
    the first 400,000 take 1.333 s.
    """
    assert figures["ms_per_million"] > 0.97 * 1333 / COLD_MESSAGES * 1e6
    is_steady = figures["rate_is_steady"] == 1
    assert ("steady_ns_per_message" in figures) is is_steady
    assert figures.get("steady_ns_per_message", 1667) > 0.97 * 1667


def test_the_engine_as_client_counts_until_the_server_closes(workspace, figures):
    rows = workspace.query(
        "SELECT messages FROM counted_trial JOIN measurement USING (trial_id) "
        "WHERE contestant = 'reference'"
    )
    assert [row["messages"] > COLD_MESSAGES for row in rows] == [True]
