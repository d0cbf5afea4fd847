"""Servers measured in slices as a user runs them: known costs of a message."""

import json
from statistics import median

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
WORKS, WAITS = f"{SMALL}+works", f"{SMALL}+waits"
RESTLESS = f"{SMALL}+restless"
SERVERS = ["reference", SMALL, WORKS, WAITS, RESTLESS]
WORK_US = 500


@pytest.fixture(scope="module")
def ran(workspace):
    workspace.add_server(SMALL, "works", "waits", "restless")
    text = EXPERIMENT.format(
        servers=json.dumps(SERVERS), shared=json.dumps([SMALL, RESTLESS])
    )
    workspace.experiment.write_text(text)
    finished = workspace.run()
    assert finished.returncode == 0, finished.stderr
    return workspace


def costs_us(workspace, server):
    """Return the CPU time of a message of a server in each of its slices."""
    rows = workspace.query(
        "SELECT server_cpu_ns / messages / 1000 AS cost FROM trial "
        f"JOIN slice USING (trial_id) WHERE server = '{server}'"
    )
    return [row["cost"] for row in rows]


@pytest.mark.parametrize("server", SERVERS)
def test_each_start_has_a_slice_of_each_server_in_each_round(ran, server):
    rows = ran.query(
        "SELECT repetition, slice.messages AS messages, duration_ns "
        "FROM trial JOIN slice USING (trial_id) "
        f"WHERE server = '{server}' ORDER BY ALL"
    )
    assert [row["repetition"] for row in rows] == [0, 0, 0, 1, 1, 1]
    assert all(row["messages"] > 0 for row in rows)
    assert all(row["duration_ns"] >= 300_000_000 for row in rows)


def test_work_for_each_message_is_found_in_its_cost(ran):
    works, plain = (median(costs_us(ran, each)) for each in (WORKS, SMALL))
    assert works - plain == pytest.approx(WORK_US, rel=0.1)


def test_waiting_before_each_answer_costs_no_cpu_time(ran):
    assert median(costs_us(ran, WAITS)) < WORK_US / 2


def test_the_messages_of_a_trial_are_those_of_its_slices(ran):
    rows = ran.query(
        "SELECT any_value(measurement.messages) AS messages, "
        "sum(slice.messages) AS of_slices FROM measurement "
        "JOIN slice USING (trial_id) GROUP BY trial_id"
    )
    assert len(rows) == 2 * len(SERVERS)
    assert all(row["messages"] == row["of_slices"] for row in rows)


def test_what_is_ranked_is_the_number_of_messages_of_a_second_of_cpu_time(ran):
    (row,) = ran.query(
        "SELECT median(value) AS value FROM trial JOIN metric USING (trial_id) "
        f"WHERE server = '{WORKS}' AND metric = 'messages_per_cpu_s'"
    )
    assert row["value"] == pytest.approx(1e6 / median(costs_us(ran, WORKS)), 0.1)


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
