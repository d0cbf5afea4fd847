"""Connections that are opened and stay idle, as the server of a library sees them."""

from contextlib import contextmanager

import pytest
from peers.engine import count, load
from peers.websocket import OpenConnections, websocket_peer

from autostrada.errors import UsageError
from autostrada.machine.network import in_namespace, new_namespace, run


def connect(peer, **settings):
    workload = {"kind": "connect", "phases": {"window_s": 0.3}}
    with websocket_peer(peer) as url:
        return load(url=url, workload=workload, **settings)


def test_all_are_open_together_and_close_properly():
    open_connections = OpenConnections()
    result = connect(open_connections, connections=20, threads=2)
    assert result["connections"] == open_connections.open_max == 20
    assert open_connections.close_codes == [1000] * 20
    assert (result["messages"], result["bytes"]) == (0, 0)
    assert (result["ended"], result["failures"]) == ("complete", [])
    assert result["exchange"] is None
    for part in ("tcp", "upgrade", "response"):
        assert count(result[f"connect_{part}_time_ns"]) == 20, part


def origins(**settings):
    """Return the addresses that four connections come from."""
    addresses = []

    async def note(connection):
        addresses.append(connection.remote_address[0])
        await connection.wait_closed()

    connect(note, connections=4, **settings)
    return sorted(addresses)


@contextmanager
def own_loopback(*addresses):
    """Run the block where loopback has further addresses."""
    try:
        with new_namespace() as namespace, in_namespace(namespace):
            run(["ip", "link", "set", "lo", "up"])
            for address in addresses:
                run(["ip", "address", "add", address, "dev", "lo"])
            yield
    except UsageError as error:
        pytest.skip(str(error))


def test_connections_come_from_the_configured_addresses():
    sources = ["127.0.0.2", "127.0.0.3"]
    assert origins(source_addresses=sources) == sorted(sources * 2)


def test_connections_come_from_all_addresses_of_the_machine():
    with own_loopback("127.0.0.2/8", "10.9.9.9/32"):
        found = origins(all_source_addresses=True)
    assert found == ["127.0.0.1"] * 2 + ["127.0.0.2"] * 2
