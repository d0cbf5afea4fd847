"""Clients of a push in slices, as a user runs them: those that end lose only theirs."""

import pytest

EXPERIMENT = """
title       = "Slices of a push"
question    = "How fast?"
repetitions = 1
limit_s     = 30
clients = [
  "reference",
  "faulty-client+works",
  "faulty-client+is-killed",
  "faulty-client+closes-early",
  "faulty-client+disagrees",
  "faulty-client+crashes-at-once",
  "faulty-client+never-connects",
]

[[workload]]
name             = "batched"
kind             = "push"
messages         = 100_000
payload_text     = "hello world"
frames_per_write = "many"
seconds          = 0.3
slices           = 3
warm_up_s        = 0.6
"""

GOOD = ["reference", "faulty-client+works"]


@pytest.fixture(scope="module")
def ran(workspace):
    workspace.add()
    workspace.experiment.write_text(EXPERIMENT)
    finished = workspace.run()
    assert finished.returncode == 0, finished.stderr
    return workspace


@pytest.mark.parametrize("client", GOOD)
def test_each_client_has_a_slice_in_each_round(ran, client):
    rows = ran.query(
        "SELECT since_start_ns, slice.messages AS messages, client_cpu_ns "
        "FROM trial JOIN slice USING (trial_id) "
        f"WHERE client = '{client}' ORDER BY ALL"
    )
    assert len({row["since_start_ns"] for row in rows}) == 3
    assert all(row["messages"] > 0 for row in rows)
    assert all(row["client_cpu_ns"] > 0 for row in rows)


@pytest.mark.parametrize("client", GOOD)
def test_the_cold_time_and_that_in_slices_are_measured(ran, client):
    rows = ran.query(
        "SELECT metric, value FROM trial JOIN metric USING (trial_id) "
        f"WHERE client = '{client}'"
    )
    found = {row["metric"]: row["value"] for row in rows}
    assert found["ms_per_100k"] > 0
    assert found["messages_per_cpu_s"] > 0


def test_the_engine_is_busy_for_no_longer_than_the_slices(ran):
    rows = ran.query("SELECT server_utilization AS busy FROM measurement")
    assert all(0 < row["busy"] <= 1.01 for row in rows)


def test_clients_that_break_their_contract_fail_and_the_others_go_on(ran):
    rows = ran.query(
        "SELECT client, kind FROM trial JOIN failure USING (trial_id) ORDER BY ALL"
    )
    assert {row["client"].partition("+")[2]: row["kind"] for row in rows} == {
        "is-killed": "crashed",
        "closes-early": "closed early",
        "disagrees": "disagreed",
        "crashes-at-once": "crashed",
        "never-connects": "miscounted",
    }
