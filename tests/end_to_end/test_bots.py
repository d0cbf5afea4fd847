"""Open-loop clients and searches as a user runs them, with known capacities."""

import json
import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SERVER = HERE / "bots_server.py"

MANIFEST = """
library  = "none"
language = "small"
homepage = ""
protocol = "websocket"
server.command  = {server}
version.command = ["echo", "1.0"]

[[variant]]
name = "limited"
env  = {{ FAULT = "limited" }}

[[variant]]
name = "crashes"
env  = {{ FAULT = "crashes" }}

[[variant]]
name = "aborts"
env  = {{ FAULT = "aborts" }}

[[variant]]
name = "framed"
env  = {{ SPEAKS = "framed-tcp" }}
protocol = "framed-tcp"
"""

EXPERIMENT = """
title       = "Bots"
question    = "How many?"
repetitions = 1
warm_ups    = 0
limit_s     = 20
servers = {servers}
"""

STEADY = """
[[workload]]
name      = "steady"
kind      = "echo"
connections = 4
every_ms  = 20
warm_up_s = 0.5
window_s  = 2.5
drain_s   = 1
"""

RAMP = """
[[workload]]
name      = "ramp"
kind      = "echo"
every_ms  = 20
warm_up_s = 0
window_s  = 1.5
drain_s   = 0.1

[workload.search]
parameter          = "connections"
first              = 1
last               = {last}
achieved_share_min = 0.95
repetitions        = 3
"""


@pytest.fixture
def small(own_workspace):
    """Add a contestant with a server; return the workspace where it takes part."""
    folder = own_workspace.contestants / "small-bots"
    folder.mkdir(parents=True)
    shutil.copy(SERVER, folder / "server.py")
    server = json.dumps([sys.executable, "server.py"])
    (folder / "contestant.toml").write_text(MANIFEST.format(server=server))
    return own_workspace


def plan(workspace, workload, servers):
    text = EXPERIMENT.format(servers=json.dumps(list(servers)))
    workspace.experiment.write_text(text + workload)


def figures(workspace, server):
    rows = workspace.query(
        "SELECT figure, value FROM counted_trial JOIN figure USING (trial_id) "
        f"WHERE server = '{server}'"
    )
    return {row["figure"]: row["value"] for row in rows}


def test_each_server_answers_the_engine(small):
    framed = "small-bots+framed"
    servers = ["reference", "small-bots", framed]
    plan(small, STEADY, servers)
    finished = small.run()
    assert not small.query("SELECT * FROM failure"), finished.stderr
    for server in servers:
        found = figures(small, server)
        assert found["offered_per_s"] == 200
        assert found["achieved_share"] == 1
        assert found["response_ms_p50"] <= found["response_ms_max"]
        assert found["server_memory_bytes_third_3"] > 0
    # Four bytes of length, or six and two of frame headers, before an 11-byte greeting.
    assert figures(small, framed)["wire_bytes_per_event"] == pytest.approx(30, rel=0.02)
    buckets = small.query("SELECT sum(count) AS count FROM bucket GROUP BY trial_id")
    assert {row["count"] for row in buckets} == {500}


def test_the_server_works_and_bytes_on_the_network_have_headers(small):
    plan(small, STEADY + "work_us = 1000\n", ["reference"])
    finished = small.run()
    assert not small.query("SELECT * FROM failure"), finished.stderr
    found = figures(small, "reference")
    assert found["server_cpu_us_per_event"] >= 1000 * 0.98
    # An event and its answer are two segments with 66 bytes of headers each, with up to
    # two more if acknowledgements travel alone.
    headers = found["network_bytes_per_event"] - found["wire_bytes_per_event"]
    assert 2 * 66 * 0.95 <= headers <= 4 * 66
    device = small.query(
        "SELECT max(loopback_bytes) - min(loopback_bytes) AS bytes, "
        "max(since_start_ns) - min(since_start_ns) AS ns FROM host_sample "
        "WHERE since_start_ns BETWEEN 0 AND 2500000000"
    )
    seen = device[0]["bytes"] / (device[0]["ns"] / 1e9) / 200
    # The device has no headers of Ethernet. Other programs may use it as well.
    without_ethernet = found["wire_bytes_per_event"] + headers * 52 / 66
    assert without_ethernet <= seen * 1.05


def test_a_lobby_is_broadcast_beside_the_answers(small):
    lobby = 'lobby = { feed = "sequence", every_ms = 50 }\n'
    plan(small, STEADY + lobby, ["reference"])
    finished = small.run()
    assert not small.query("SELECT * FROM failure"), finished.stderr
    found = figures(small, "reference")
    assert found["achieved_share"] == 1
    # To each of four bots, 20 messages a second of at least three bytes.
    assert found["wire_bytes_per_s"] >= 4 * (50 * (17 + 13) + 20 * 3) * 0.98
    assert small.query("SELECT DISTINCT process FROM process_total ORDER BY 1") == [
        {"process": "client"},
        {"process": "client 2"},
        {"process": "server"},
    ]


def test_messages_over_tls_are_answered(small):
    plan(small, STEADY + "tls = true", ["reference"])
    finished = small.run()
    assert finished.returncode == 0, finished.stderr
    assert figures(small, "reference")["achieved_share"] == 1


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        ("crashes", "crashed", "exited with 3 while it served"),
        ("aborts", "closed early", "ended all connections"),
    ],
)
def test_a_server_that_breaks_the_contract_is_named(small, fault, kind, message):
    plan(small, STEADY, [f"small-bots+{fault}"])
    finished = small.run()
    failures = small.query("SELECT contestant, kind, message FROM failure")
    assert failures, finished.stderr
    for failure in failures:
        assert failure["contestant"] == f"small-bots+{fault}"
        assert failure["kind"] == kind
        assert message in failure["message"]


def test_a_search_finds_the_capacity_even_after_a_kill(small):
    plan(small, RAMP.format(last=8), ["small-bots+limited"])
    with small.start() as process:
        for line in process.stdout:
            if "connections=2 repetition 1" in line:
                process.kill()
    before = small.attempts()
    finished = small.run("--resume")
    # 125 answers per second suffice for two connections, but not for three.
    line = "small-bots+limited in ramp: capacity 2, objective not met at 3\n"
    assert line in finished.stdout, finished.stderr
    attempts = small.attempts()
    assert len(before) < len(attempts) == len(set(attempts))
    tried = small.query(
        "SELECT workload, count(*) AS trials FROM counted_trial GROUP BY workload"
    )
    trials = {row["workload"]: row["trials"] for row in tried}
    assert trials["ramp connections=2"] == trials["ramp connections=3"] == 3
    assert trials.keys() == {f"ramp connections={number}" for number in (1, 2, 3, 4)}


def test_a_search_may_find_no_upper_bound(small):
    plan(small, RAMP.format(last=2), ["reference"])
    finished = small.run()
    line = "reference in ramp: capacity at least 2, where the search ends\n"
    assert line in finished.stdout, finished.stderr
