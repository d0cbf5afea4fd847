"""Metrics of one end, from made-up samples."""

import pytest
from tests.unit.blank import blank, process_sample

from autostrada.evidence.end_metrics import end_metrics
from autostrada.store.record import (
    CoreSample,
    HostSample,
    Observation,
    SocketSample,
)

S = 1_000_000_000
MIB = 1024**2
WINDOW_NS = 3 * S


def process(name, at_s, cpu_s, mib):
    known = {"cpu_ns": round(cpu_s * S), "resident_bytes": mib * MIB}
    return process_sample(name, at_s * S, 0, **known)


def sockets(name, sampled, **queues):
    return blank(
        SocketSample, 0, process=name, connections=100, sampled=sampled, **queues
    )


SAMPLES = (
    process("server", -1, 0.5, 10),
    process("server", 0, 1.0, 30),
    process("server", 1, 1.5, 40),
    process("server", 2, 2.0, 70),
    process("server", 3, 2.5, 50),
    process("server", 4, 9.0, 20),
)


def host(at_s, slab_mib, tcp_mib):
    return blank(
        HostSample,
        0,
        since_start_ns=round(at_s * S),
        slab_bytes=slab_mib if slab_mib is None else slab_mib * MIB,
        tcp_memory_bytes=tcp_mib if tcp_mib is None else tcp_mib * MIB,
    )


def metrics(name, connections=4, cpus=frozenset(), **observed):
    observation = Observation(**{key: tuple(value) for key, value in observed.items()})
    return {
        each.metric: each.value
        for each in end_metrics(name, observation, WINDOW_NS, connections, cpus)
    }


def test_an_end_has_cpu_time_and_memory():
    found = metrics("server", process_samples=SAMPLES)
    assert found == {
        "server_cpu_utilization": 0.5,
        "server_memory_bytes_max": 70 * MIB,
        "server_memory_bytes_third_1": 40 * MIB,
        "server_memory_bytes_third_2": 70 * MIB,
        "server_memory_bytes_third_3": 50 * MIB,
        "server_memory_growth_bytes_per_s": 9 * MIB,
        # From the first sample to the start of the window, for four connections.
        "server_memory_bytes_per_connection": 5 * MIB,
    }


@pytest.mark.parametrize(
    ("cpus", "utilization"), [({0}, 0.5 / 0.8), ({1}, 0.5), ({0, 1}, 0.5 / 0.9)]
)
def test_utilization_is_a_share_of_the_time_that_was_not_stolen(cpus, utilization):
    cores = [
        blank(
            CoreSample, 0, core=core, since_start_ns=at_s * S, steal_ns=at_s * stolen_ns
        )
        for core, stolen_ns in ((0, S // 5), (1, 0), (2, S // 2))
        for at_s in (0, 1, 3)
    ]
    found = metrics("server", cpus=cpus, process_samples=SAMPLES, core_samples=cores)
    assert found["server_cpu_utilization"] == pytest.approx(utilization)


HOST_SAMPLES = (host(-1, 400, 0), host(0, 590, 10), host(2, 900, 100))


def test_half_of_the_kernels_memory_belongs_to_the_server():
    observed = {"process_samples": SAMPLES, "host_samples": HOST_SAMPLES}
    found = metrics("server", 10_000, **observed)
    kernel = found["server_kernel_memory_bytes_per_connection"]
    assert kernel == 100 * MIB / 10_000
    total = found["server_total_memory_bytes_per_connection"]
    assert total == pytest.approx((20 + 100) * MIB / 10_000)
    assert not any("kernel" in metric for metric in metrics("client", 9, **observed))


@pytest.mark.parametrize(
    ("connections", "host_samples"),
    [
        (9_999, HOST_SAMPLES),
        (10_000, ()),
        (10_000, (host(-1, None, 0), host(0, 1, None))),
    ],
)
def test_the_kernels_memory_is_omitted_if_it_is_unknown(connections, host_samples):
    observed = {"process_samples": SAMPLES, "host_samples": host_samples}
    assert not any(
        "kernel" in name for name in metrics("server", connections, **observed)
    )


def test_samples_of_the_other_end_are_ignored():
    assert metrics("client", process_samples=SAMPLES) == {}


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("server", "server_send_queue_bytes_max"),
        ("server", "server_socket_memory_bytes_max"),
        ("client", "client_receive_queue_bytes_max"),
    ],
)
def test_sampled_sockets_stand_for_all(name, metric):
    names = ("send_queue_bytes", "receive_queue_bytes", "memory_bytes")
    samples = [
        sockets(name, sampled, **dict.fromkeys(names, bytes_))
        for sampled, bytes_ in ((50, 30), (100, 40), (0, 999))
    ]
    assert metrics(name, socket_samples=samples)[metric] == 60
