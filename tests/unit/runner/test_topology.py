"""The processes of a trial: how each is configured and launched, and TLS in both."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.definitions import TWO_CORES, define, make_experiment

from autostrada.errors import EngineError
from autostrada.machine.certificates import Certificates
from autostrada.machine.layout import MemoryLayout
from autostrada.runner.context import RunContext
from autostrada.runner.endpoints import BuiltProgram
from autostrada.runner.topology import topology_of

EXPERIMENT = make_experiment(
    define("feed", "plain", workers=2, processes=4),
    define("feed", "mixed", processes=4, contestant_processes=2),
    define("echo"),
    define("push", messages=10, deflate=True),
)
PLAIN, MIXED, ECHO, PUSH = EXPERIMENT.workload
MADE = Certificates(
    ca_file=Path("/run/ca.pem"),
    certificate_file=Path("/run/server.pem"),
    key_file=Path("/run/server-key.pem"),
)
HOST = TWO_CORES
CONTEXT = RunContext(
    experiment=EXPERIMENT, engine=Path("engine"), host=HOST, certificates=MADE
)
PORTS = [8008, 8009]
PROGRAM = BuiltProgram(
    arguments=["./program"], folder=Path("folder"), environment={"A": "b"}
)


def launches(workload, *, context=CONTEXT, server=None, client=None):
    """Return the first server's launch and the first client's."""
    ports = PORTS[: workload.server_processes]
    ends = context.endpoints(server=server, client=client)
    topology = topology_of(context, ends, workload, ports)
    return topology.servers[0].launch, topology.clients[0].launch


def over_tls(workload, **settings):
    return workload.model_copy(update={"tls": True, **settings})


@pytest.mark.parametrize("plain", [PLAIN, ECHO, PUSH], ids=lambda each: each.name)
def test_both_ends_are_configured_for_tls_if_the_workload_has_it(plain):
    server, client = launches(plain)
    assert "tls" not in server.documents[0] | client.documents[0]
    assert client.documents[0]["url"].startswith("ws://127.0.0.1:8008/")
    server, client = launches(over_tls(plain))
    assert server.documents[0]["tls"] == {
        "certificate_file": "/run/server.pem",
        "key_file": "/run/server-key.pem",
    }
    assert client.documents[0]["tls"] == {"ca_file": "/run/ca.pem"}
    assert client.documents[0]["url"].startswith("wss://127.0.0.1:8008/")


@pytest.mark.parametrize("plain", [PLAIN, ECHO], ids=lambda each: each.name)
def test_a_contestant_that_serves_has_the_certificate_only_over_tls(plain):
    server, _ = launches(plain, server=PROGRAM)
    assert "TLS_CERT" not in server.environment
    server, _ = launches(over_tls(plain), server=PROGRAM)
    assert server.environment["TLS_CERT"] == "/run/server.pem"
    assert server.environment["TLS_KEY"] == "/run/server-key.pem"


def test_a_client_offers_the_cipher_suite_of_the_workload():
    _, client = launches(over_tls(PLAIN, cipher_suite="TLS_AES_128_GCM_SHA256"))
    offered = {"ca_file": "/run/ca.pem", "cipher_suite": "TLS_AES_128_GCM_SHA256"}
    assert client.documents[0]["tls"] == offered


def test_a_contestant_is_configured_by_its_environment():
    server, client = launches(PLAIN, server=PROGRAM, client=PROGRAM)
    assert (server.arguments, server.folder) == (["./program"], Path("folder"))
    assert server.documents == client.documents == ()
    assert (server.environment["HOST"], server.environment["PORT"]) == (
        "127.0.0.1",
        "8008",
    )
    assert client.environment["FEED"] == "clock"
    assert client.environment["A"] == server.environment["A"] == "b"


def test_the_engine_is_configured_by_a_plan():
    server, client = launches(PUSH)
    assert server.arguments == ["engine", "serve", "--plan"]
    assert client.arguments == ["engine", "load", "--plan", "-"]
    assert server.waits_for_observation
    assert not client.waits_for_observation


def test_compression_is_set_for_clients_that_claim_it():
    for knows in (False, True):
        _, client = launches(PUSH, client=replace(PROGRAM, deflate=knows))
        assert ("COMPRESSION" in client.environment) == knows


def test_clients_are_assigned_to_the_workers_in_turn():
    topology = topology_of(CONTEXT, CONTEXT.endpoints(), PLAIN, PORTS)
    assert [each.name for each in topology.servers] == ["server", "server 2"]
    assert [each.port for each in topology.servers] == PORTS
    assert [each.port for each in topology.clients] == [*PORTS, *PORTS]
    assert topology.clients[-1].name == "client 4"


def test_contestants_are_started_with_a_layout_and_the_engine_is_not():
    ends = CONTEXT.endpoints(server=PROGRAM)
    layout = MemoryLayout(stack_bytes_max=2**28, hash_seed=7)
    topology = topology_of(CONTEXT, ends, PLAIN, PORTS, layout)
    launch = topology.servers[0].launch
    assert launch.arguments == layout.command(PROGRAM.arguments)
    assert launch.environment["PYTHONHASHSEED"] == "7"
    assert launch.environment["A"] == "b"
    assert topology.clients[0].launch.arguments[0] == "engine"


def test_the_engine_is_the_client_beside_processes_of_a_contestant():
    ends = CONTEXT.endpoints(client=PROGRAM)
    clients = topology_of(CONTEXT, ends, MIXED, PORTS[:1]).clients
    assert [each.name for each in clients] == [
        "client",
        "client 2",
        "reference",
        "reference 2",
    ]
    assert [each.endpoint.is_engine for each in clients] == [False, False, True, True]
    assert [each.is_beside for each in clients] == [False, False, True, True]
    assert [each.cpus for each in clients] == [HOST.client_cpus] * 4
    assert clients[0].launch.environment["CONNECTIONS"] == "1"
    assert clients[2].launch.documents[0]["connections"] == 1
    assert ends.reference_clients(MIXED) == 2


def test_if_the_engine_is_the_client_it_is_all_of_them():
    ends = CONTEXT.endpoints(server=PROGRAM)
    clients = topology_of(CONTEXT, ends, MIXED, PORTS[:1]).clients
    assert [each.name for each in clients][-1] == "client 4"
    assert ends.reference_clients(MIXED) == 0


def test_on_three_cores_the_engine_beside_a_contestant_has_other_cores():
    context = replace(CONTEXT, host=replace(HOST, observer_cpus=frozenset({2})))
    ends = context.endpoints(client=PROGRAM)
    clients = topology_of(context, ends, MIXED, PORTS[:1]).clients
    assert [each.cpus for each in clients] == [{1}, {1}, {2}, {2}]


def test_an_end_without_a_role_in_the_workload_is_an_engine_error():
    with pytest.raises(EngineError, match="has no configuration"):
        launches(ECHO, client=PROGRAM)
    with pytest.raises(EngineError, match="has no configuration"):
        launches(PUSH, server=PROGRAM)
