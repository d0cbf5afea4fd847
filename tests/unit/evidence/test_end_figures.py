"""Figures of one end, from made-up samples."""

from dataclasses import fields

import pytest

from autostrada.evidence.end_figures import end_figures
from autostrada.store.record import (
    Observation,
    ProcessSample,
    SocketSample,
)

S = 1_000_000_000
MIB = 1024**2
WINDOW_NS = 3 * S


def sample(kind, **values):
    """Return a sample in which all other values are 0."""
    nothing = {each.name: 0 for each in fields(kind)}
    return kind(**nothing | values)


def process(name, at_s, cpu_s, mib):
    return sample(
        ProcessSample,
        process=name,
        since_start_ns=round(at_s * S),
        cpu_ns=round(cpu_s * S),
        resident_bytes=mib * MIB,
    )


def sockets(name, sampled, **queues):
    return sample(
        SocketSample, process=name, connections=100, sampled=sampled, **queues
    )


SAMPLES = (
    process("server", -1, 0.5, 10),
    process("server", 0, 1.0, 30),
    process("server", 1, 1.5, 40),
    process("server", 2, 2.0, 70),
    process("server", 3, 2.5, 50),
    process("server", 4, 9.0, 20),
)


def figures(name, **observed):
    observation = Observation(**{key: tuple(value) for key, value in observed.items()})
    return {
        each.figure: each.value for each in end_figures(name, observation, WINDOW_NS, 4)
    }


def test_an_end_has_cpu_time_and_memory():
    found = figures("server", process_samples=SAMPLES)
    assert found == {
        "server_cpu_share": 0.5,
        "server_memory_bytes_max": 70 * MIB,
        "server_memory_bytes_third_1": 40 * MIB,
        "server_memory_bytes_third_2": 70 * MIB,
        "server_memory_bytes_third_3": 50 * MIB,
        # From the first sample to the start of the window, for four connections.
        "server_memory_bytes_per_connection": 5 * MIB,
    }


def test_samples_of_the_other_end_are_ignored():
    assert figures("client", process_samples=SAMPLES) == {}


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("server", "server_send_queue_bytes_max"),
        ("client", "client_receive_queue_bytes_max"),
    ],
)
def test_sampled_sockets_stand_for_all(name, figure):
    queues = {"send_queue_bytes": 30, "receive_queue_bytes": 30}
    samples = [
        sockets(name, 50, **queues),
        sockets(name, 100, send_queue_bytes=40, receive_queue_bytes=40),
        sockets(name, 0, send_queue_bytes=999, receive_queue_bytes=999),
    ]
    assert figures(name, socket_samples=samples) == {figure: 60}
