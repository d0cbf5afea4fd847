"""Servers measured in slices as a user runs them."""

import json

import pytest

EXPERIMENT = """
title       = "Slices"
question    = "How many?"
repetitions = 2
limit_s     = 30
servers = {servers}

[[workload]]
name        = "echo"
kind        = "echo"
connections = 4
in_flight   = 1
warm_up_s   = 1.5
window_s    = 0.9
slices      = 3
drain_s     = 1
shares_servers = true

[[workload]]
name        = "afterwards"
servers     = {shared}
kind        = "echo"
connections = 4
every_ms    = 20
warm_up_s   = 0.4
window_s    = 0.6
shares_servers = true
"""

SMALL = "small-slices"
RESTLESS = f"{SMALL}+restless"
SERVERS = ["reference", SMALL, RESTLESS]


@pytest.fixture(scope="module")
def ran(workspace):
    workspace.add_server(SMALL, "restless")
    text = EXPERIMENT.format(
        servers=json.dumps(SERVERS), shared=json.dumps([SMALL, RESTLESS])
    )
    workspace.experiment.write_text(text)
    finished = workspace.run()
    assert finished.returncode == 0, finished.stderr
    return workspace


@pytest.mark.parametrize("server", SERVERS)
def test_each_start_has_a_slice_of_each_server_in_each_round(ran, server):
    rows = ran.query(
        "SELECT repetition, slice.messages AS messages, duration_ns, server_cpu_ns "
        "FROM trial JOIN slice USING (trial_id) "
        f"WHERE server = '{server}' ORDER BY ALL"
    )
    assert [row["repetition"] for row in rows] == [0, 0, 0, 1, 1, 1]
    assert all(row["messages"] > 0 for row in rows)
    assert all(row["duration_ns"] >= 300_000_000 for row in rows)
    assert all(row["server_cpu_ns"] > 0 for row in rows)


def test_the_messages_of_a_trial_are_those_of_its_slices(ran):
    rows = ran.query(
        "SELECT any_value(measurement.messages) AS messages, "
        "sum(slice.messages) AS of_slices FROM measurement "
        "JOIN slice USING (trial_id) GROUP BY trial_id"
    )
    assert len(rows) == 2 * len(SERVERS)
    assert all(row["messages"] == row["of_slices"] for row in rows)


@pytest.mark.parametrize("server", [SMALL, RESTLESS])
def test_a_server_that_is_shared_serves_the_next_workload_as_well(ran, server):
    """Also one that is stopped between its turns, because it does not rest."""
    rows = ran.query(
        "SELECT repetition, measurement.messages AS messages FROM trial "
        "JOIN measurement USING (trial_id) "
        f"WHERE server = '{server}' AND workload = 'afterwards'"
    )
    assert {row["repetition"] for row in rows} == {0, 1}
    assert all(row["messages"] > 0 for row in rows)


def test_the_memory_of_a_shared_server_is_not_that_of_its_second_workload(ran):
    rows = ran.query(
        "SELECT DISTINCT workload FROM trial JOIN metric USING (trial_id) "
        f"WHERE server = '{SMALL}' AND metric = 'server_memory_bytes_max'"
    )
    assert [row["workload"] for row in rows] == ["echo"]
