"""Trials whose servers have a smaller host, and trials over a bridge."""

import json
import sys
from pathlib import Path

import pytest
from tests.unit.obstacle import needs

from autostrada.engine.process import find_engine
from autostrada.experiment.experiment import parse_experiment
from autostrada.machine.host import Host
from autostrada.machine.host_speed import SmallHost, measure
from autostrada.machine.limited_cgroup import Limits, limited
from autostrada.machine.network import bridged
from autostrada.machine.process import Command, Process
from autostrada.machine.software_aes import software_aes
from autostrada.runner.context import RunContext
from autostrada.runner.endpoints import BuiltProgram
from autostrada.runner.isolation import (
    expect_isolation,
    host_of,
    isolation_facts,
    limits_of,
)
from autostrada.runner.observer import observing
from autostrada.runner.topology import topology_of

MIB = 1024**2
S = 1_000_000_000
BUSY_S = 3
SPIN = f"""
import time
end = time.monotonic() + {BUSY_S}
while time.monotonic() < end: pass
"""
EXPERIMENT = """
title = "Isolation"
question = "Do both ends meet?"
repetitions = 1
limit_s = 20
{settings}

[[workload]]
name = "push"
kind = "push"
messages = 200_000
payload_text = "hello"
frames_per_write = "one"

[[workload]]
name = "feed"
kind = "feed"
feed = "clock"
seconds = 0.5
every_ms = 10
processes = 2
workers = 2
connections = 5
"""
BRIDGE = 'network = "bridge"'
SCRIPT = """
import json, sys
from pathlib import Path
from autostrada.experiment.experiment import parse_experiment
from autostrada.machine.orphans import adopt_orphans
from autostrada.runner.context import RunContext
from autostrada.runner.endpoints import BuiltProgram
from autostrada.runner.isolation import host_of
from autostrada.runner.trial import run_trial
from autostrada.store.record import Attempt, Cell, Failure

definition, name, engine, server = sys.argv[1:]
experiment = parse_experiment(definition, origin="trial.toml")
workload = experiment.points()[name]
context = RunContext(
    experiment=experiment, engine=Path(engine), host=host_of(experiment)
)
program = BuiltProgram(arguments=[sys.executable, "-c", server], folder=Path("/"))
adopt_orphans()
trial = run_trial(
    context,
    Attempt(cell=Cell(workload=name), repetition=0),
    workload,
    context.endpoints(server=program if server else None),
)
made, observed = trial.outcome, trial.observation
failure = made if isinstance(made, Failure) else None
print(json.dumps({
    "failure": failure and [failure.kind, failure.message, failure.process],
    "messages": None if failure else made.messages,
    "sampled": sorted({each.process for each in observed.socket_samples
                       if each.sampled and each.received_bytes + each.sent_bytes}),
    "loopback_bytes": max((each.loopback_bytes for each in observed.host_samples),
                          default=None),
    "missing": [each.metric for each in observed.missing_metrics],
}))
"""
FILLS = """
import os, socket
server = socket.create_server((os.environ["HOST"], int(os.environ["PORT"])))
server.accept()
held = []
while True:
    held.append(b"x" * (1 << 20))
"""


needs_bridge = needs(bridged)
needs_limits = needs(
    lambda: limited(Limits(cpu_share_max=0.5, memory_bytes_max=100 * MIB))
)


def experiment(settings):
    return parse_experiment(EXPERIMENT.format(settings=settings), origin="trial.toml")


@pytest.fixture
def trial(orchestrate):
    def run(settings, workload, server=""):
        definition = EXPERIMENT.format(settings=settings)
        printed = orchestrate(SCRIPT, definition, workload, find_engine(), server)
        return json.loads(printed)

    return run


@needs_bridge
def test_a_push_over_a_bridge_is_measured_and_observed_at_both_ends(trial):
    made = trial(BRIDGE, "push")
    assert (made["failure"], made["messages"]) == (None, 200_000)
    assert made["sampled"] == ["client", "server"]
    assert made["loopback_bytes"] == 0


@needs_bridge
def test_several_processes_meet_over_a_bridge(trial):
    made = trial(BRIDGE, "feed")
    assert made["failure"] is None
    assert made["messages"] > 0
    assert {"client", "client 2", "server", "server 2"} == {*made["sampled"]}


@needs_limits
def test_a_server_that_exceeds_the_memory_of_its_host_is_out_of_memory(trial):
    settings = "server_host = { memory_bytes_max = 200_000_000 }"
    made = trial(settings, "feed", FILLS)
    assert made["failure"] == [
        "out of memory",
        "killed: the server's host has 0.2 GiB of memory",
        "server",
    ]


@needs_limits
# A higher share would need a core of its own, which other tests may use.
@pytest.mark.parametrize("share", [0.2, 0.4])
def test_processes_share_the_limit_of_cpu_time_as_the_observer_sees(share, deadline_s):
    host = host_of(experiment('cores = "shared"'))
    with (
        limited(Limits(cpu_share_max=share)) as limits,
        observing(find_engine(), cpus=host.observer_cpus) as observer,
        spinning(host, limits) as first,
        spinning(host, limits) as second,
    ):
        limits.limit_cpu_time()
        observer.begin({"first": first.pid, "second": second.pid})
        first.wait(deadline_s)
        observer.end()
        observation = observer.observation()
    used = {}
    for sample in observation.process_samples:
        used.setdefault(sample.since_start_ns, []).append(sample.cpu_ns)
    whole = {at: sum(each) for at, each in used.items() if len(each) == 2}
    begun, ended = min(whole), max(whole)
    assert ended - begun > 2 * S
    held = (whole[ended] - whole[begun]) / (ended - begun)
    assert held == pytest.approx(share, rel=0.03)


def spinning(host, limits):
    return Process(
        Command(
            arguments=[sys.executable, "-c", SPIN],
            folder=Path("/"),
            cpus=host.server_cpus,
            limits=limits,
            is_measured=True,
        )
    )


@needs_limits
def test_a_host_is_measured():
    limits = Limits(cpu_share_max=0.5, memory_bytes_max=300 * MIB)
    host = SmallHost(
        cpus=host_of(experiment("")).server_cpus,
        limits=limits,
        environment=software_aes(),
    )
    speed = measure(host)
    assert speed.loop_share > 0
    assert 0 < speed.cipher_bytes_per_s < 0.8 * speed.machine_cipher_bytes_per_s
    assert speed.memory_bytes_reached == pytest.approx(300 * MIB, rel=0.05)


@needs_limits
def test_facts_have_the_limits_and_what_was_measured():
    settings = "server_host = { cpu_share_max = 0.5 }"
    found = isolation_facts(experiment(settings), host_of(experiment("")))
    assert found["server_host_cpu_share_max"] == 0.5
    assert found["server_host_aes"] == "hardware"
    assert found["server_host_cipher_bytes_per_s"] > 0
    assert "server_host_memory_bytes_reached" not in found
    assert json.loads(json.dumps(found)) == found


def test_without_a_server_host_only_the_network_is_a_fact():
    everywhere = Host(
        server_cpus=frozenset({0}),
        client_cpus=frozenset({0}),
        observer_cpus=frozenset({0}),
    )
    assert isolation_facts(experiment(""), everywhere) == {"network": "loopback"}
    assert isolation_facts(experiment(BRIDGE), everywhere) == {"network": "bridge"}


def test_nothing_is_needed_without_limits_and_bridge():
    expect_isolation(experiment(""))
    assert limits_of(experiment("server_host = { cores = 1 }").server_host) is None


def test_both_ends_are_configured_for_the_bridge():
    server, client = launches(
        BRIDGE, BuiltProgram(arguments=["server"], folder=Path("/"))
    )
    assert server.environment["HOST"] == "198.18.0.1"
    assert client.documents[0]["url"] == "ws://198.18.0.1:8008/feed"
    server, _ = launches(BRIDGE)
    assert server.documents[0]["listen"] == "198.18.0.1:8008"


def test_only_servers_encrypt_in_software():
    settings = 'server_host = { aes = "software" }'
    server, client = launches(settings)
    assert server.environment.items() >= software_aes().items()
    assert not client.environment.keys() & software_aes().keys()


def launches(settings, server=None):
    made = experiment(settings)
    host = Host(
        server_cpus=frozenset({0}),
        client_cpus=frozenset({1}),
        observer_cpus=frozenset({0}),
    )
    context = RunContext(experiment=made, engine=Path("engine"), host=host)
    ends = context.endpoints(server=server)
    topology = topology_of(context, ends, made.points()["feed"], [8008, 8009])
    return topology.servers[0].launch, topology.clients[0].launch
