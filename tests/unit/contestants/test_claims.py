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
warm_ups    = 0
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


@pytest.fixture
def contestants(manifest):
    """Return a function that makes contestants from manifests, by name."""

    def make(**changes):
        known = {}
        for name, (old, new) in ({"fast": ("", "")} | changes).items():
            text = manifest.replace(old, new) if old else manifest
            for each in parse_manifest(text, folder=Path(f"ada-{name}")):
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


@pytest.mark.parametrize("workload", [FEED, BOTS], ids=["feed", "bots"])
def test_a_server_over_tls_must_claim_it(contestants, workload):
    known = contestants(plain=("tls     = true", ""))
    secure = workload + "tls = true\n"
    refuse(known, secure, servers=["ada-fast"])
    refuse(known, workload, servers=["ada-plain"])
    assert refusal(known, secure, servers=["ada-plain"]) == (
        "ada-plain/contestant.toml: server.tls is false, but workload 'asked' uses "
        "TLS: set tls = true if its server supports it, or omit ada-plain"
    )


def test_a_server_without_feeds_is_refused(contestants):
    known = contestants(plain=("tls     = true", "feed    = false"))
    refuse(known, BOTS, servers=["ada-plain"])
    refused = refusal(known, BOTS + "lobby = {}\n", servers=["ada-plain"])
    assert "server.feed is false" in refused
    assert refusal(known, FEED, servers=["ada-plain"]) == (
        "ada-plain/contestant.toml: server.feed is false, but workload 'asked' is a "
        "feed: remove feed = false if its server has /feed, or omit ada-plain"
    )


def test_a_server_must_claim_work(contestants):
    known = contestants(working=("tls     = true", "work    = true"))
    refuse(known, BOTS + "work_us = 200\n", servers=["ada-working"])
    refuse(known, BOTS + "work_us = 0\n", servers=["ada-fast"])
    assert refusal(known, BOTS + "work_us = 200\n", servers=["ada-fast"]) == (
        "ada-fast/contestant.toml: server.work is false, but workload 'asked' needs "
        "it: set work = true if its server supports it, or omit ada-fast"
    )


def test_a_push_server_must_claim_it(contestants):
    one = PUSH.replace("many", "one")
    known = contestants(able=("tls     = true", "push    = true"))
    refuse(known, one, servers=["ada-able"])
    assert refusal(known, one, servers=["ada-fast"]) == (
        "ada-fast/contestant.toml: server.push is false, but workload 'asked' needs "
        "it: set push = true if its server supports it, or omit ada-fast"
    )


@pytest.mark.parametrize(
    ("workload", "reason"),
    [
        (PUSH, "it pushes many frames"),
        (PUSH + "seconds = 1\n", "it has seconds, deflate, binary or payload_bytes"),
        (PUSH + "binary = true\n", "it has seconds, deflate, binary or payload_bytes"),
    ],
    ids=["frames", "seconds", "binary"],
)
def test_contestants_push_only_texts_one_by_one(contestants, workload, reason):
    assert refusal(contestants(), workload, servers=["ada-fast"]) == (
        f"claims.toml: workload 'asked' has the engine as its only server, because "
        f"{reason}: omit servers"
    )


@pytest.mark.parametrize(
    ("workload", "claimed"),
    [(PUSH, "receive"), (FEED, "feed")],
    ids=["push", "feed"],
)
def test_a_client_must_claim_its_workload(contestants, workload, claimed):
    command = 'command = ["./client", "--quick"]\n'
    known = contestants(
        able=(command, f'{command}workloads = ["{claimed}"]\n'),
        other=(command, f'{command}workloads = ["echo"]\n'),
    )
    refuse(known, workload, clients=["ada-able"])
    assert refusal(known, workload, clients=["ada-other"]) == (
        f"ada-other/contestant.toml: client.workloads has no {claimed!r}, which "
        f"workload 'asked' needs: add it if its client supports it, or omit ada-other"
    )


@pytest.mark.parametrize("end", ["servers", "clients"])
def test_long_polling_requires_socket_io(contestants, end):
    known = contestants(polled=('protocol = "websocket"', 'protocol = "socketio"'))
    polled = BOTS + 'transport = "polling"\n'
    ends = {"servers": ["ada-polled"]} | {end: ["ada-fast"]}
    line = refusal(known, polled, **ends)
    assert line.startswith("ada-fast speaks websocket according to protocol of ada-f")
    assert line.endswith("workload 'asked' needs socketio: omit it")
    if end == "servers":
        refuse(known, polled, servers=["ada-polled"])


@pytest.mark.parametrize(
    ("role", "claim", "setting"),
    [
        ("server", "bars", "bars = 30"),
        ("client", "decode", 'decode = "whole"'),
        ("client", "seconds", "drain_s = 1"),
    ],
)
def test_what_few_programs_can_do_is_claimed(contestants, role, claim, setting):
    workload = FEED.replace("clock", "stocks") + setting + "\n"
    command = 'command = ["./client", "--quick"]\n'
    feeds = f'{command}workloads = ["feed"]\n'
    place = "tls     = true" if role == "server" else command
    kept = "tls = true" if role == "server" else feeds.rstrip()
    known = contestants(
        able=(place, f"{kept}\n{claim} = true\n"), plain=(place, f"{kept}\n")
    )
    refuse(known, workload, **{"servers": ["reference"], f"{role}s": ["ada-able"]})
    assert refusal(known, workload, **{f"{role}s": ["ada-plain"]}) == (
        f"ada-plain/contestant.toml: {role}.{claim} is false, but workload 'asked' "
        f"needs it: set {claim} = true if its {role} supports it, or omit ada-plain"
    )


FEED_ONLY = """
[[variant]]
name      = "old"
env       = {}
feed_only = true
"""


def test_a_variant_may_take_part_in_feeds_only(contestants, manifest):
    client = 'command = ["./client", "--quick"]\n'
    every = f'{client}workloads = ["receive", "feed"]\n'
    known = contestants(every=(manifest, manifest.replace(client, every) + FEED_ONLY))
    refuse(known, FEED, clients=["ada-every+old"])
    refuse(known, FEED, servers=["ada-every+old"])
    refuse(known, PUSH, clients=["ada-every"])
    for workload, end in ((PUSH, "clients"), (BOTS, "servers")):
        assert refusal(known, workload, **{end: ["ada-every+old"]}) == (
            "ada-every/contestant.toml: ada-every+old takes part in feeds only, and "
            "workload 'asked' is none: omit it"
        )


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
    assert line.startswith("ada-other speaks socketio according to ")


def test_a_client_without_the_deflate_claim_does_not_offer_it(contestants):
    refuse(contestants(), PUSH + "deflate = true\n", clients=["ada-fast"])


def test_workers_with_separate_ports_need_no_claim(contestants):
    workers = FEED + "workers = 2\nprocesses = 2\n"
    refuse(contestants(), workers, servers=["ada-fast"])


def test_a_contestant_without_a_partner_of_its_protocol_is_refused(contestants):
    client = 'command = ["./client", "--quick"]\n'
    known = contestants(
        other=('protocol = "websocket"', 'protocol = "socketio"'),
        feeder=(client, f'{client}workloads = ["feed"]\n'),
    )
    ends = {"servers": ["ada-fast", "ada-other"], "clients": ["ada-feeder"]}
    assert refusal(known, FEED, **ends) == (
        "ada-other/contestant.toml: protocol is 'socketio', which no peer of ada-other "
        "speaks: add one that does, or omit ada-other"
    )
    ends["clients"].append("reference")
    refuse(known, FEED, **ends)


def test_the_engine_is_no_server_for_a_client_of_socket_io(manifest):
    client = 'command = ["./client", "--quick"]\n'
    text = manifest.replace('protocol = "websocket"', 'protocol = "socketio"')
    text = text.replace(client, f'{client}workloads = ["feed"]\n')
    known = {each.name: each for each in parse_manifest(text, folder=Path("ada-asker"))}
    line = refusal(known, FEED, clients=["ada-asker"])
    assert "which no peer of ada-asker speaks" in line


def test_a_missing_program_is_refused(contestants):
    line = refusal(contestants(), PUSH, clients=["ada-fast+fork"])
    assert line.startswith("ada-fast+fork has no client, ")
