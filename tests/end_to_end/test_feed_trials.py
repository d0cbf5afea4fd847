"""Whole trials of feeds, with contestants or the engine at either end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

LIMIT_S = 600
TRIAL = Path(__file__).with_name("feed_trial.py")
EXPERIMENT = """
title       = "Feeds"
question    = "Who feeds?"
repetitions = 1
limit_s     = {limit_s}
memory_bytes_max = 1_073_741_824

[[workload]]
name    = "feed"
kind    = "feed"
feed    = "{feed}"
seconds = {seconds}
"""
ENGINE = None
GOOD = ""
"""A program without a fault."""


def run(server, client, *more, **settings):
    """Run a trial; return its outcome and its samples."""
    values = {"limit_s": 120, "feed": "sequence", "seconds": 0.4} | settings
    text = EXPERIMENT.format_map(values) + "\n".join(more)
    ended = subprocess.run(
        [sys.executable, TRIAL, text, json.dumps(server), json.dumps(client)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    return document["outcome"], document["samples"]


def metrics(outcome):
    assert "metrics" in outcome, outcome
    return {each["metric"]: each["value"] for each in outcome["metrics"]}


@pytest.mark.parametrize("server", [ENGINE, GOOD])
@pytest.mark.parametrize("client", [ENGINE, GOOD])
def test_sent_messages_arrive_for_all_ends(server, client):
    outcome, samples = run(server, client)
    known = metrics(outcome)
    assert known["sent_messages"] >= known["received_messages"] > 0
    assert outcome["messages"] == known["received_messages"]
    assert known["dropped_messages"] == known["disconnected_clients"] == 0
    assert known["missing_messages"] == known["wrong_messages"] == 0
    assert (outcome["faults"], outcome["pacing"]) == ("", "continuous")
    assert known["server_memory_bytes_third_3"] > 0
    assert known["client_memory_bytes_third_3"] > 0
    if client is ENGINE:
        assert known["connect_ms_p50"] > 0
    else:
        # The contestant counts from its first message on, and no transport loses any.
        assert known["sent_messages"] == known["received_messages"]
        assert known["start_to_open_ms"] > 0
    assert {sample["process"] for sample in samples} == {"server", "client"}


def test_several_processes_at_both_ends_are_recorded_and_added_up():
    outcome, samples = run(
        GOOD, GOOD, "processes = 4", "connections = 2", "workers = 2", feed="stocks"
    )
    known = metrics(outcome)
    assert known["sent_messages"] == known["received_messages"]
    assert known["received_per_client"] == known["received_messages"] / 8
    names = ["client", *(f"client {number}" for number in (2, 3, 4))]
    assert {each["process"] for each in outcome["seconds"]} == {
        *names,
        "server",
        "server 2",
    }
    assert {sample["process"] for sample in samples} == {*names, "server", "server 2"}
    assert {each["process"] for each in outcome["ends"]} == {"client", "server"}
    totals = {each["process"]: each["cpu_ns"] for each in outcome["processes"]}
    assert totals.keys() == {*names, "server", "server 2"}
    latencies = sum(each["count"] for each in outcome["buckets"])
    assert latencies == known["received_messages"]
    assert 0 < known["latency_ms_p50"] <= known["latency_ms_max"]


def test_the_engine_is_the_client_beside_one_process_of_a_contestant():
    # Beside other work, a shorter window may have less than two samples of a process.
    more = "processes = 3", "contestant_processes = 1", "connections = 2"
    outcome, samples = run(ENGINE, GOOD, *more, "every_ms = 5", seconds=2)
    known = metrics(outcome)
    names = ["client", "reference", "reference 2", "server"]
    assert sorted({sample["process"] for sample in samples}) == names
    received = dict.fromkeys(names, 0)
    for second in outcome["seconds"]:
        received[second["process"]] += second["messages"]
    server = received.pop("server")
    assert known["sent_messages"] == server
    assert known["received_messages"] == sum(received.values()) <= server
    # The slowest client determines the rate, and all receive the same messages.
    assert known["received_per_client"] == received["client"] / 2 == server / 6
    assert received["reference"] <= server / 3
    assert known["missing_messages"] == known["dropped_messages"] == 0
    assert known["start_to_open_ms"] > 0
    assert "connect_ms_p50" not in known
    assert known["reference_cpu_utilization"] > 0
    ends = {each["process"]: each["is_engine"] for each in outcome["ends"]}
    assert ends == {"client": False, "server": True}
    assert outcome["faults"] == ""


@pytest.mark.parametrize("server", [ENGINE, GOOD])
def test_a_scheduled_feed_is_an_open_loop(server):
    outcome, _ = run(server, ENGINE, "every_ms = 100", "connections = 3", feed="stocks")
    assert outcome["pacing"] == "open-loop"
    # Four messages to three connections; the engine may not count the first ones.
    known = metrics(outcome)
    assert known["sent_messages"] == 12
    assert 9 <= outcome["messages"] <= 12
    assert 0 <= known["on_time_share"] <= 1
    assert known["burst_max_messages"] >= 1


def test_a_client_that_cannot_receive_all_in_time_is_measured():
    outcome, _ = run("does not wait", "is slow", limit_s=2)
    known = metrics(outcome)
    assert 0 < known["received_messages"] < known["sent_messages"]
    assert known["dropped_messages"] > 0 == known["disconnected_clients"]
    assert outcome["faults"] == ""
