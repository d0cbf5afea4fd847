"""Limits for many connections: threads by descriptors, addresses by ports."""

from ipaddress import ip_address, ip_network

import pytest

from autostrada.engine.plans import FEW_SOCKETS, ConnectionLimits

LOOPBACK = ip_network("127.0.0.0/8")
PORTS = 28_232


@pytest.mark.parametrize(
    ("descriptors", "sockets", "threads"),
    [
        (20_000, 1, 1),
        (20_000, 19_936, 1),
        (20_000, 19_937, 2),
        (20_000, 100_000, 6),
        (None, 1_000_000, 1),
    ],
)
def test_each_thread_has_as_many_descriptors_as_a_process(
    descriptors, sockets, threads
):
    limits = ConnectionLimits(descriptors=descriptors, outgoing_ports=PORTS)
    assert limits.threads_for(sockets) == threads


def test_few_connections_use_the_usual_address():
    limits = ConnectionLimits(descriptors=None, outgoing_ports=PORTS)
    assert limits.source_addresses_for(FEW_SOCKETS) == []
    assert "source_addresses" not in limits.load_keys(FEW_SOCKETS)


@pytest.mark.parametrize("sockets", [50_000, 10_000_000])
def test_many_connections_use_further_loopback_addresses(sockets):
    addresses = ConnectionLimits(descriptors=None, outgoing_ports=PORTS).load_keys(
        sockets
    )["source_addresses"]
    assert len(set(addresses)) == len(addresses)
    assert len(addresses) * 32_768 > sockets
    assert all(ip_address(each) in LOOPBACK for each in addresses)
