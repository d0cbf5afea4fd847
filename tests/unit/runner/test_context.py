"""The ends of a trial: the engine, unless there is a program."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.definitions import TWO_CORES, define, make_experiment

from autostrada.contestants.contestant import parse_manifest
from autostrada.errors import EngineError
from autostrada.machine.host import Host
from autostrada.runner.context import (
    BuiltContestant,
    RunContext,
    fitting_workloads,
    placed,
)
from autostrada.runner.endpoints import BuiltProgram
from autostrada.store.record import REFERENCE, Cell

MANIFEST = """
library  = "fast"
homepage = ""
protocol = "framed-tcp"
server   = { command = ["./server"], env = { SPEED = "low" }, deflate = true }
client.command  = ["./client"]
client.delivers = "bytes"
client.validates_utf8 = true
version.command = ["./version"]
"""
HOST = TWO_CORES
CONTEXT = RunContext(
    experiment=make_experiment(
        define("echo", "plain"),
        define("echo", "polled", transport="polling"),
        define("echo", "secure", tls=True),
    ),
    engine=Path("engine"),
    host=HOST,
)
PLAIN, POLLED, SECURE = CONTEXT.experiment.workload


def program(protocol="websocket"):
    return BuiltProgram(arguments=["./program"], folder=Path(), protocol=protocol)


def endpoints(server=None, client=None):
    return CONTEXT.endpoints(
        server=program(server) if server else None,
        client=program(client) if client else None,
    )


def test_ends_of_one_protocol_match_and_the_engine_serves_no_socket_io():
    assert endpoints().has_common_protocol
    assert endpoints(server="socketio").has_common_protocol
    assert endpoints(client="framed-tcp").has_common_protocol
    assert not endpoints(client="socketio").has_common_protocol
    assert endpoints(server="socketio", client="socketio").has_common_protocol
    assert not endpoints(server="socketio", client="websocket").has_common_protocol
    assert not endpoints(client="socketio2").has_common_protocol
    assert not endpoints(server="socketio2", client="socketio").has_common_protocol


def test_the_ends_of_a_cell_are_the_programs_of_its_contestants():
    (fast,) = parse_manifest(MANIFEST, folder=Path("ada-fast"))
    built = {
        REFERENCE: None,
        "ada-fast": BuiltContestant(contestant=fast, folder=Path()),
    }

    def ends(**roles):
        cell = Cell(**roles, workload="plain")
        return CONTEXT.endpoints_of(cell, PLAIN, built)

    served = ends(server="ada-fast")
    assert (served.server.is_engine, served.client.is_engine) == (False, True)
    loaded = ends(client="ada-fast")
    assert (loaded.server.is_engine, loaded.client.protocol) == (True, "framed-tcp")


def test_the_ends_need_the_longer_warm_up_of_both():
    slow, quick = replace(program(), warm_up_s=10), replace(program(), warm_up_s=2)
    assert CONTEXT.endpoints(server=slow, client=quick).warm_up_s == 10
    assert CONTEXT.endpoints(client=quick).warm_up_s == 2
    assert CONTEXT.endpoints().warm_up_s == 0


def test_a_workload_that_needs_published_programs_gets_them():
    (own,) = parse_manifest(MANIFEST, folder=Path("ada-fast"))
    published = '[published.server]\ncommand = ["./game"]'
    (both,) = parse_manifest(MANIFEST + published, folder=Path("ada-fast"))

    def server(contestant, workload):
        built = BuiltContestant(contestant=contestant, folder=Path())
        return built.program("server", workload)

    working = PLAIN.model_copy(update={"work_us": 200})
    assert server(both, PLAIN).arguments == ("./server",)
    assert server(both, working).arguments == ("./game",)
    assert server(own, working) is None


@pytest.mark.parametrize(
    ("ends", "workload", "protocol"),
    [
        (endpoints(), PLAIN, "websocket"),
        (endpoints(), POLLED, "socketio"),
        (endpoints(server="framed-tcp"), PLAIN, "framed-tcp"),
        (endpoints(client="socketio"), PLAIN, "socketio"),
        (endpoints(server="websocket"), POLLED, "websocket"),
    ],
)
def test_the_engine_speaks_the_protocol_of_the_other_end(ends, workload, protocol):
    assert ends.protocol_in(workload) == protocol
    assert CONTEXT.setup(workload, ends).protocol == protocol


def test_tls_requires_certificates():
    with pytest.raises(EngineError, match="no certificates"):
        CONTEXT.setup(SECURE, endpoints())


def test_the_measured_end_has_the_core_farther_from_the_observer():
    assert placed(HOST, endpoints(client="websocket"), PLAIN) == HOST
    assert placed(HOST, endpoints(), PLAIN) == HOST
    assert placed(HOST, endpoints(server="websocket"), PLAIN).server_cpus == {1}


def test_a_contestant_has_the_cores_that_the_workload_gives_it():
    host = Host(
        server_cpus=frozenset({0}),
        client_cpus=frozenset({3}),
        observer_cpus=frozenset({1, 2}),
    )
    workload = PLAIN.model_copy(update={"contestant_cores": 2})
    client = placed(host, endpoints(client="websocket"), workload)
    assert (client.server_cpus, client.client_cpus) == ({0}, {2, 3})
    server = placed(host, endpoints(server="websocket"), workload)
    assert (server.server_cpus, server.client_cpus) == ({2, 3}, {0})
    assert client.observer_cpus == server.observer_cpus == {1}


def test_a_workload_that_needs_more_cores_is_left_out_with_the_reason():
    wide = PLAIN.model_copy(update={"name": "wide", "contestant_cores": 2})
    experiment = CONTEXT.experiment.model_copy(update={"workload": (PLAIN, wide)})
    fitting, left_out = fitting_workloads(experiment, HOST)
    assert [each.name for each in fitting.workload] == [PLAIN.name]
    assert left_out == [
        "workload 'wide' needs 2 cores for a contestant and one for the engine; this "
        "run has 2"
    ]
    large = replace(HOST, observer_cpus=frozenset({2}))
    assert fitting_workloads(experiment, large) == (experiment, [])


def test_programs_are_those_of_a_contestant_and_its_variant(tmp_path):
    variant = '[[variant]]\nname = "fork"\nenv.FORK = "yes"\nprograms = ["server"]\n'
    plain, fork = parse_manifest(MANIFEST + variant, folder=Path("ada-fast"))
    built = BuiltContestant(contestant=plain, folder=tmp_path)
    assert built.program("client", PLAIN).arguments == ("./client",)
    built = BuiltContestant(contestant=fork, folder=tmp_path)
    assert built.program("client", PLAIN) is None
    assert built.program("server", PLAIN) == BuiltProgram(
        arguments=("./server",),
        folder=tmp_path,
        environment={"SPEED": "low", "FORK": "yes"},
        protocol="framed-tcp",
        deflate=True,
    )


def test_a_contestant_with_published_programs_only_takes_part_with_them(tmp_path):
    manifest = """
    library  = "fast"
    homepage = ""
    published.server.command = ["./game"]
    version.command = ["./version"]
    """
    (game,) = parse_manifest(manifest, folder=Path("ada-fast"))
    built = BuiltContestant(contestant=game, folder=tmp_path)
    assert built.program("server", PLAIN).arguments == ("./game",)
