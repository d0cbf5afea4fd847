"""A missing claim in a manifest is reported with file, key and remedy."""

from pathlib import Path

import pytest

from autostrada.contestants.claims import refuse_unclaimed
from autostrada.contestants.contestant import parse_manifest
from autostrada.errors import UsageError
from autostrada.experiment.experiment import parse_experiment

EXPERIMENT = """
title       = "Claims"
question    = "Who can?"
repetitions = 1
limit_s     = 10
servers = [{servers}]
clients = [{clients}]

[[workload]]
name = "asked"
{workload}
"""
PUSH = """
kind = "push"
messages = 1
payload_text = "x"
frames_per_write = "many"
"""
FEED = """
kind = "feed"
feed = "clock"
seconds = 1
"""
BOTS = """
kind = "echo"
window_s = 1
"""


PUBLISHED_SERVER = """
[published.server]
command = ["./feed"]
"""
PUBLISHED_CLIENT = """
[published.client]
command = ["./reader"]
"""


@pytest.fixture
def contestants(manifest):
    """Return a function that makes contestants from changed manifests, by name."""

    def make(added="", **changes):
        known = {}
        for name, (old, new) in ({"fast": ("", "")} | changes).items():
            text = manifest.replace(old, new) if old else manifest + new
            for each in parse_manifest(text + added, folder=Path(f"ada-{name}")):
                known[each.name] = each
        return known

    return make


def refuse(known, workload, servers=("reference",), clients=("reference",)):
    text = EXPERIMENT.format(
        servers=", ".join(f'"{each}"' for each in servers),
        clients=", ".join(f'"{each}"' for each in clients),
        workload=workload,
    )
    experiment = parse_experiment(text, origin="claims.toml")
    refuse_unclaimed(experiment.contestants, known, experiment)


def refusal(*arguments, **settings):
    with pytest.raises(UsageError) as caught:
        refuse(*arguments, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_server_over_tls_must_claim_it(contestants):
    known = contestants(plain=("tls     = true", ""))
    secure = BOTS + "tls = true\n"
    refuse(known, secure, servers=["ada-fast"])
    refuse(known, BOTS, servers=["ada-plain"])
    assert refusal(known, secure, servers=["ada-plain"]) == (
        "ada-plain/contestant.toml: server.tls is false, but workload 'asked' needs "
        "it: set tls = true if its server supports it, or omit ada-plain"
    )


@pytest.mark.parametrize(
    ("workload", "claim"),
    [
        (FEED + "tls = true\n", "tls"),
        (FEED.replace("clock", "stocks") + "bars = 30\n", "bars"),
        (BOTS + "work_us = 200\n", "work"),
        (PUSH.replace("many", "one"), "push"),
    ],
)
def test_what_few_published_servers_can_do_is_claimed(contestants, workload, claim):
    known = contestants(
        able=("", f"{PUBLISHED_SERVER}{claim} = true\n"), plain=("", PUBLISHED_SERVER)
    )
    refuse(known, workload, servers=["ada-able"])
    assert refusal(known, workload, servers=["ada-plain"]) == (
        f"ada-plain/contestant.toml: published.server.{claim} is false, but workload "
        f"'asked' needs it: set {claim} = true if its server supports it, or omit "
        f"ada-plain"
    )


@pytest.mark.parametrize("workload", [FEED, BOTS + "lobby = {}\n"])
def test_a_feed_needs_a_published_server(contestants, workload):
    known = contestants(able=("", PUBLISHED_SERVER))
    refuse(known, workload, servers=["ada-able"])
    assert refusal(known, workload, servers=["ada-fast"]) == (
        "ada-fast/contestant.toml: ada-fast has no [published.server], which workload "
        "'asked' needs: omit ada-fast"
    )


LASTING = "it has seconds, deflate, tls, binary or payload_bytes"


@pytest.mark.parametrize(
    ("workload", "reason"),
    [
        (PUSH, "it pushes many frames"),
        (PUSH + "seconds = 1\n", LASTING),
        (PUSH + "binary = true\n", LASTING),
    ],
    ids=["frames", "seconds", "binary"],
)
def test_contestants_push_only_texts_one_by_one(contestants, workload, reason):
    assert refusal(contestants(), workload, servers=["ada-fast"]) == (
        f"claims.toml: workload 'asked' has the engine as its only server, because "
        f"{reason}: omit servers"
    )


def test_a_feed_needs_a_published_client(contestants):
    known = contestants(able=("", PUBLISHED_CLIENT))
    refuse(known, FEED, clients=["ada-able"])
    assert "has no [published.client]" in refusal(known, FEED, clients=["ada-fast"])
    refuse(known, PUSH, clients=["ada-fast"])


def test_long_polling_requires_socket_io(contestants):
    known = contestants(polled=('protocol = "websocket"', 'protocol = "socketio"'))
    polled = BOTS + 'transport = "polling"\n'
    line = refusal(known, polled, servers=["ada-fast"])
    assert line.startswith("ada-fast/contestant.toml: protocol is 'websocket', but ")
    assert line.endswith("workload 'asked' needs socketio: omit it")
    refuse(known, polled, servers=["ada-polled"])


@pytest.mark.parametrize(
    ("claim", "setting"), [("decode", 'decode = "whole"'), ("seconds", "drain_s = 1")]
)
def test_what_few_published_clients_can_do_is_claimed(contestants, claim, setting):
    workload = FEED.replace("clock", "stocks") + setting + "\n"
    known = contestants(
        able=("", f"{PUBLISHED_CLIENT}{claim} = true\n"), plain=("", PUBLISHED_CLIENT)
    )
    refuse(known, workload, clients=["ada-able"])
    line = refusal(known, workload, clients=["ada-plain"])
    assert f"published.client.{claim} is false" in line


VARIANT = """
[[variant]]
name      = "old"
env       = {}
published = true
"""


def test_a_variant_may_be_one_of_published_programs_only(contestants):
    known = contestants(PUBLISHED_SERVER + PUBLISHED_CLIENT + VARIANT)
    refuse(known, FEED, clients=["ada-fast+old"])
    refuse(known, FEED, servers=["ada-fast+old"])
    refuse(known, PUSH, clients=["ada-fast"])


def test_the_engine_serves_no_series(contestants):
    workload = FEED.replace("clock", "stocks") + "bars = 30\n"
    line = refusal(contestants(), workload)
    assert line.startswith("workload 'asked' needs bars, which the engine does not")


def test_only_the_engine_is_an_open_loop_client(contestants):
    refuse(contestants(), BOTS, servers=["ada-fast"])
    assert refusal(contestants(), BOTS, clients=["ada-fast"]) == (
        "workload 'asked' has the engine as its only client: list ada-fast as a "
        "server, or omit it"
    )


def test_the_engine_serves_no_socket_io(contestants):
    line = refusal(contestants(), BOTS + 'transport = "polling"\n')
    assert line.startswith("workload 'asked' needs socketio, which the engine does not")


def test_a_push_is_over_websocket(contestants):
    known = contestants(other=('protocol = "websocket"', 'protocol = "socketio"'))
    line = refusal(known, PUSH, clients=["ada-other"])
    assert line.startswith("ada-other/contestant.toml: protocol is 'socketio', but ")


def test_a_client_without_the_deflate_claim_does_not_offer_it(contestants):
    refuse(contestants(), PUSH + "deflate = true\n", clients=["ada-fast"])


def test_a_contestant_without_a_partner_of_its_protocol_is_refused(contestants):
    known = contestants(
        PUBLISHED_SERVER + PUBLISHED_CLIENT,
        other=('protocol = "websocket"', 'protocol = "socketio"'),
        feeder=("", ""),
    )
    ends = {"servers": ["ada-fast", "ada-other"], "clients": ["ada-feeder"]}
    assert refusal(known, FEED, **ends) == (
        "ada-other/contestant.toml: protocol is 'socketio', which no peer of ada-other "
        "speaks: add one that does, or omit ada-other"
    )
    ends["clients"].append("reference")
    refuse(known, FEED, **ends)


def test_the_engine_is_no_server_for_a_client_of_socket_io(contestants):
    known = contestants(
        PUBLISHED_CLIENT, asker=('protocol = "websocket"', 'protocol = "socketio"')
    )
    line = refusal(known, FEED, clients=["ada-asker"])
    assert "which no peer of ada-asker speaks" in line


def test_a_missing_program_is_refused(contestants):
    line = refusal(contestants(), PUSH, clients=["ada-fast+fork"])
    assert line.startswith("ada-fast/contestant.toml: ada-fast+fork has no [client], ")
