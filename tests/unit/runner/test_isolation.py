"""Trials whose servers have a smaller host, and trials over a bridge."""

import json
from pathlib import Path

import pytest
from tests.unit.definitions import TWO_CORES, define, definition
from tests.unit.obstacle import needs
from tests.unit.programs import python

from autostrada.engine.process import find_engine
from autostrada.experiment.experiment import parse_experiment
from autostrada.machine.host_speed import SmallHost, measure
from autostrada.machine.limited_cgroup import Limits, new_limited_cgroup
from autostrada.machine.network import new_bridge
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
import threading, time
ends = []
def read():
    input()
    ends.append(time.monotonic() + {BUSY_S})
threading.Thread(target=read, daemon=True).start()
while not ends or time.monotonic() < ends[0]: pass
"""
BRIDGE = 'network = "bridge"'
FILLS = """
import os, socket
server = socket.create_server((os.environ["HOST"], int(os.environ["PORT"])))
server.accept()
held = []
while True:
    held.append(b"x" * (1 << 20))
"""


needs_bridge = needs(new_bridge)
needs_limits = needs(
    lambda: new_limited_cgroup(Limits(cpu_share_max=0.5, memory_bytes_max=100 * MIB))
)


def text(settings):
    return definition(
        define("push", messages=200_000, frames_per_write="one"),
        define("feed", seconds=0.5, every_ms=10, processes=2, workers=2, connections=5),
        more=settings,
    )


def experiment(settings):
    return parse_experiment(text(settings), origin="trial.toml")


def sampled(observation):
    """Return the processes whose sockets were sampled while they had traffic."""
    return {
        each["process"]
        for each in observation["socket_samples"]
        if each["sampled"] and each["received_bytes"] + each["sent_bytes"]
    }


@needs_bridge
def test_a_push_over_a_bridge_is_measured_and_observed_at_both_ends(trial):
    made = trial(text(BRIDGE), "push")
    assert made["outcome"].get("messages") == 200_000, made["outcome"]
    observation = made["observation"]
    assert sampled(observation) == {"client", "server"}
    assert max(each["loopback_bytes"] for each in observation["host_samples"]) == 0


@needs_bridge
def test_several_processes_meet_over_a_bridge(trial):
    made = trial(text(BRIDGE), "feed")
    assert made["outcome"].get("messages", 0) > 0, made["outcome"]
    names = {"client", "client 2", "server", "server 2"}
    assert sampled(made["observation"]) == names


@needs_limits
def test_a_server_that_exceeds_the_memory_of_its_host_is_out_of_memory(trial):
    settings = "server_host = { memory_bytes_max = 200_000_000 }"
    made = trial(text(settings), "feed", FILLS)["outcome"]
    assert (made["kind"], made["process"]) == ("out of memory", "server")
    assert made["message"] == "killed: the server's host has 0.2 GiB of memory"


@needs_limits
# A higher share would need a core of its own, which other tests may use.
@pytest.mark.parametrize("share", [0.2, 0.4])
def test_processes_share_the_limit_of_cpu_time_as_the_observer_sees(share, deadline_s):
    host = host_of(experiment('cores = "shared"'))
    settings = {"cpus": host.server_cpus, "is_measured": True}
    with (
        new_limited_cgroup(Limits(cpu_share_max=share)) as limits,
        observing(find_engine(), cpus=host.observer_cpus) as observer,
    ):
        # The scheduler prefers both: without a limit nothing else would run.
        limits.limit_cpu_time()
        with (
            python(SPIN, limits=limits, **settings) as first,
            python(SPIN, limits=limits, **settings) as second,
        ):
            observer.begin({"first": first.pid, "second": second.pid})
            for process in (first, second):
                process.send("\n")
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
    assert isolation_facts(experiment(""), TWO_CORES) == {"network": "loopback"}
    assert isolation_facts(experiment(BRIDGE), TWO_CORES) == {"network": "bridge"}


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
    context = RunContext(experiment=made, engine=Path("engine"), host=TWO_CORES)
    ends = context.endpoints(server=server)
    topology = topology_of(context, ends, made.points()["feed"], [8008, 8009])
    return topology.servers[0].launch, topology.clients[0].launch
