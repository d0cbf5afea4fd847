"""What both ends of a feed are told."""

import json

import pytest

from autostrada.experiment.experiment import parse_experiment
from autostrada.runner.trial.feed.plans import (
    client_environment,
    client_plan,
    connections_of_worker,
    decimal,
    server_environment,
    server_plan,
)

EXPERIMENT = """
title       = "Feeds"
question    = "Who feeds?"
repetitions = 1
warm_ups    = 0
limit_s     = 10
congestion_control = "reno"

[[workload]]
name = "feed"
kind = "feed"
seconds = 0.5
"""
PORT = 8008


def planned(text):
    experiment = parse_experiment(EXPERIMENT + text, origin="feeds.toml")
    return experiment, experiment.workload[0]


def test_clients_are_given_to_the_workers_in_turn():
    _, workload = planned(
        'feed = "hello"\nprocesses = 6\nconnections = 4\nworkers = 3\n'
    )
    assert connections_of_worker(workload) == 8


def test_the_engine_serves_what_a_contestant_does():
    experiment, workload = planned(
        'feed = "stocks"\nencoding = "binary"\nstocks = 10\nprocesses = 2\n'
        "every_ms = 2.5\n"
    )
    plan = server_plan(experiment, workload, "framed-tcp", PORT)
    environment = server_environment(workload, PORT)
    assert plan["listen"] == f"{environment['HOST']}:{environment['PORT']}"
    assert plan["connections"] == plan["feed"]["audience"] == 2
    assert plan["congestion_control"] == "reno"
    assert plan["protocol"] == {"kind": "framed-tcp"}
    assert plan["feed"] == {
        "kind": environment["FEED"],
        "encoding": environment["ENCODING"],
        "stocks": int(environment["STOCKS"]),
        "audience": int(environment["AUDIENCE"]),
        "every_ms": float(environment["EVERY_MS"]),
        "seconds": float(environment["SECONDS"]),
    }
    assert environment["STOCKS_FILE"].endswith("experiments/data/stocks.csv")


def test_without_stocks_no_file_is_named():
    _, workload = planned('feed = "clock"\n')
    assert not {"STOCKS", "STOCKS_FILE", "EVERY_MS"} & {
        *server_environment(workload, PORT)
    }


@pytest.mark.parametrize(
    ("protocol", "url"),
    [
        ("websocket", "ws://127.0.0.1:8008/feed"),
        ("socketio", "http://127.0.0.1:8008/"),
        ("framed-tcp", "tcp://127.0.0.1:8008/feed"),
    ],
)
def test_the_engine_receives_until_the_server_closes(protocol, url):
    experiment, workload = planned('feed = "sequence"\nconnections = 3\n')
    plan = client_plan(experiment, workload, protocol, PORT)
    assert (plan["url"], plan["connections"]) == (url, 3)
    assert plan["tcp"] == {"congestion_control": "reno"}
    assert "messages" not in plan["workload"]
    assert plan["workload"]["phases"]["window_s"] == 5.5
    json.dumps(plan)


def test_all_clients_together_open_at_the_rate_that_is_planned():
    experiment, workload = planned(
        'feed = "hello"\nprocesses = 4\nconnect_rate_per_s = 100.0\n'
    )
    plan = client_plan(experiment, workload, "websocket", PORT)
    assert plan["connect_rate_per_s"] == 25


def test_a_contestant_is_told_the_same_whatever_it_speaks():
    _, workload = planned('feed = "stocks"\nconnections = 3\n')
    environment = client_environment(workload, PORT)
    assert environment["URL"] == "ws://127.0.0.1:8008/feed"
    assert environment["CONNECTIONS"] == "3"
    assert "MESSAGES" not in environment


@pytest.mark.parametrize(
    ("value", "text"),
    [(20.0, "20"), (0.5, "0.5"), (2000.0, "2000"), (1e-6, "0.000001")],
)
def test_numbers_are_written_as_the_contract_has_them(value, text):
    assert decimal(value) == text


def test_many_connections_come_from_several_addresses_a_few_at_a_time():
    few = 'feed = "clock"\nconnections = 5000\n'
    plan = client_plan(*planned(few), "websocket", PORT)
    assert plan["connect_pending_max"] > 0
    assert "source_addresses" not in plan
    many = few + "processes = 4\nworkers = 1\n"
    assert len(client_plan(*planned(many), "websocket", PORT)["source_addresses"]) > 1
