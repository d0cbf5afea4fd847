"""Room for many connections: threads by descriptors, addresses by ports."""

import resource
from ipaddress import ip_address, ip_network

import pytest

from autostrada.runner.trial import room

LOOPBACK = ip_network("127.0.0.0/8")


@pytest.fixture
def descriptors(monkeypatch):
    def limit(hard):
        monkeypatch.setattr(room.resource, "getrlimit", lambda _: (1, hard))

    return limit


@pytest.mark.parametrize(
    ("hard", "sockets", "threads"),
    [
        (20_000, 1, 1),
        (20_000, 19_936, 1),
        (20_000, 19_937, 2),
        (20_000, 100_000, 6),
        (resource.RLIM_INFINITY, 1_000_000, 1),
    ],
)
def test_each_thread_has_as_many_descriptors_as_a_process(
    descriptors, hard, sockets, threads
):
    descriptors(hard)
    assert room.threads_for(sockets) == threads


def test_few_connections_come_from_the_usual_address():
    assert room.source_addresses_for(room.FEW_SOCKETS) == []
    assert "source_addresses" not in room.client_room(room.FEW_SOCKETS)


@pytest.mark.parametrize("sockets", [50_000, 10_000_000])
def test_many_come_from_addresses_of_loopback(sockets):
    addresses = room.client_room(sockets)["source_addresses"]
    assert len(set(addresses)) == len(addresses)
    assert len(addresses) * 32_768 > sockets
    assert all(ip_address(each) in LOOPBACK for each in addresses)
