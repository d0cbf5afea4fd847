"""Connections that are opened and stay idle, as the server of a library sees them."""

from peers.engine import count, load
from peers.raw import raw_peer
from peers.websocket import OpenConnections, websocket_peer


def connect(peer, *, phases=None, **settings):
    workload = {"kind": "connect", "phases": phases or {"window_s": 0.3}}
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


def test_connections_are_opened_at_a_rate():
    open_connections = OpenConnections()
    result = connect(open_connections, connections=10, connect_rate_per_s=100)
    assert result["connections"] == open_connections.open_max == 10
    assert count(result["connect_response_time_ns"]) == 10


def test_connections_come_from_the_configured_addresses():
    addresses = []

    async def note(connection):
        addresses.append(connection.remote_address[0])
        await connection.wait_closed()

    sources = ["127.0.0.2", "127.0.0.3"]
    connect(note, connections=4, source_addresses=sources)
    assert sorted(addresses) == sorted(sources * 2)


def test_a_late_answer_to_the_handshake_is_accepted():
    async def answer_late(wire):
        await wire.upgrade(after_s=0.2)
        await wire.read_to_end()

    workload = {"kind": "connect", "phases": {"opening_s": 20, "window_s": 0.2}}
    with raw_peer(answer_late) as url:
        result = load(url=url, workload=workload)
    assert (result["connections"], result["failures"]) == (1, [])
    assert result["connect_upgrade_time_ns"][0][0] > 100_000_000


def test_a_ping_is_answered():
    answered = []

    async def ping(connection):
        await (await connection.ping())
        answered.append(connection)
        await connection.wait_closed()

    connect(ping, connections=3)
    assert len(answered) == 3
