"""Open-loop clients as a user runs them, with servers that answer or break."""

import json

import pytest

SPEAKS_FRAMED = """
[[variant]]
name = "framed"
env  = { SPEAKS = "framed-tcp" }
protocol = "framed-tcp"
"""

EXPERIMENT = """
title       = "Bots"
question    = "How many?"
repetitions = 1
limit_s     = 120
servers = {servers}
"""

STEADY = """
[[workload]]
name      = "{name}"
servers   = {servers}
kind      = "echo"
connections = 4
every_ms  = 20
warm_up_s = 0.5
window_s  = 2.5
drain_s   = 20
"""
"""200 messages a second; the drain ends when all are answered."""

FRAMED = "small-bots+framed"
FAULTS = [
    ("crashes", "crashed", "exited with 3 while it served"),
    ("aborts", "closed early", "ended all connections"),
]


def plan(workspace, workloads, servers):
    text = EXPERIMENT.format(servers=json.dumps(list(servers)))
    workspace.experiment.write_text(text + workloads)


def steady(name, servers, further=""):
    return STEADY.format(name=name, servers=json.dumps(servers)) + further


@pytest.fixture(scope="module")
def ran(workspace):
    """Run all workloads with a constant rate."""
    answering = ["reference", "small-bots", FRAMED]
    failing = [f"small-bots+{fault}" for fault, _, _ in FAULTS]
    workloads = [
        steady("steady", [*answering, *failing]),
        steady("work", ["reference"], "work_us = 1000\n"),
        steady(
            "lobby",
            ["reference"],
            'lobby = { feed = "sequence", every_ms = 50 }\n',
        ),
    ]
    faults = [fault for fault, _, _ in FAULTS]
    workspace.add_server("small-bots", *faults, more=SPEAKS_FRAMED)
    plan(workspace, "".join(workloads), [*answering, *failing])
    finished = workspace.run()
    assert finished.returncode == 0, finished.stderr
    return workspace


def metrics(workspace, workload, server="reference"):
    rows = workspace.query(
        "SELECT metric, value FROM counted_trial JOIN metric USING (trial_id) "
        f"WHERE workload = '{workload}' AND server = '{server}'"
    )
    return {row["metric"]: row["value"] for row in rows}


@pytest.mark.parametrize("server", ["reference", "small-bots", FRAMED])
def test_each_server_answers_the_engine(ran, server):
    found = metrics(ran, "steady", server)
    assert found["offered_per_s"] == 200
    assert 0 < found["achieved_share"] <= 1
    assert found["response_ms_p50"] <= found["response_ms_max"]
    assert found["server_memory_bytes_third_3"] > 0


def test_servers_that_break_the_contract_are_named_and_no_others(ran):
    failures = ran.query("SELECT contestant, kind, message FROM failure")
    # A disturbed trial is repeated.
    found = {(row["contestant"], row["kind"]) for row in failures}
    assert found == {(f"small-bots+{fault}", kind) for fault, kind, _ in FAULTS}
    messages = {kind: message for _, kind, message in FAULTS}
    assert all(messages[row["kind"]] in row["message"] for row in failures)


def test_bytes_on_the_wire_are_those_of_the_protocol(ran):
    # Four bytes of length, or six and two of frame headers, before an 11-byte greeting.
    found = metrics(ran, "steady", FRAMED)
    assert found["wire_bytes_per_event"] == pytest.approx(30, rel=0.02)


def test_the_server_works_and_bytes_on_the_network_have_headers(ran):
    found = metrics(ran, "work")
    assert found["server_cpu_us_per_event"] >= 1000 * 0.98
    # An event and its answer are two segments with 66 bytes of headers each, with up to
    # two more if acknowledgements travel alone.
    headers = found["network_bytes_per_event"] - found["wire_bytes_per_event"]
    assert 2 * 66 * 0.9 <= headers <= 4 * 66 * 1.1


def test_a_lobby_is_broadcast_beside_the_answers(ran):
    assert metrics(ran, "lobby")["achieved_share"] > 0
    observed = ran.query(
        "SELECT DISTINCT process FROM process_total JOIN trial USING (trial_id) "
        "WHERE workload = 'lobby' ORDER BY 1"
    )
    assert [row["process"] for row in observed] == ["client", "client 2", "server"]
