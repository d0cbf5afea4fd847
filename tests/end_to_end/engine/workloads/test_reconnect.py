"""Connections that are dropped and reconnect to another library's server."""

import asyncio
from contextlib import asynccontextmanager
from http import HTTPStatus

import pytest
from peers.background import in_background
from peers.engine import count, load
from peers.websocket import OpenConnections, idle, websocket_peer
from websockets.asyncio.server import serve

CLOSE_CODES = {"close": 1000, "abort": 1006}


def reconnect(url, workload=None, **settings):
    wanted = {
        "kind": "reconnect",
        "back_off": {"initial_ms": 10, "maximum_ms": 50},
        "phases": {"window_s": 0.5},
    }
    return load(url=url, workload=wanted | (workload or {}), **settings)


@pytest.mark.parametrize("drop", CLOSE_CODES)
def test_dropped_connections_reconnect(drop):
    open_connections = OpenConnections()
    with websocket_peer(open_connections) as url:
        result = reconnect(url, {"drop": drop}, connections=10, threads=2)
    recovery = result["recovery"]
    assert (recovery["dropped"], recovery["recovered"]) == (10, 10)
    assert recovery["attempts"] >= 10
    assert count(recovery["recovery_time_ns"]) == 10
    slowest_ns, _ = recovery["recovery_time_ns"][-1]
    assert recovery["recovered_ns"] >= slowest_ns > 0
    assert result["ended"] == "complete"
    assert len(open_connections.close_codes) == 20
    assert sorted(open_connections.close_codes[:10]) == [CLOSE_CODES[drop]] * 10
    assert open_connections.close_codes[10:] == [1000] * 10


def test_a_refused_attempt_is_repeated():
    requests = []

    def refuse_some(connection, request):
        requests.append(request)
        if 4 < len(requests) <= 8:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "later\n")
        return None

    with websocket_peer(idle, process_request=refuse_some) as url:
        result = reconnect(url, connections=4)
    recovery = result["recovery"]
    assert (recovery["dropped"], recovery["recovered"]) == (4, 4)
    assert recovery["attempts"] == len(requests) - 4 == 8


def restarting(connections, *, for_s):
    """Serve; when all have connected and one is gone, stop for a while."""

    @asynccontextmanager
    async def server():
        joined = []
        lost = asyncio.Event()

        async def join(connection):
            joined.append(connection)
            await connection.wait_closed()
            if len(joined) == connections:
                lost.set()

        async def restart(listening, port):
            await lost.wait()
            listening.close()
            await listening.wait_closed()
            await asyncio.sleep(for_s)
            return await serve(join, "127.0.0.1", port)

        listening = await serve(join, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        task = asyncio.create_task(restart(listening, port))
        yield f"ws://127.0.0.1:{port}"
        again = await task
        again.close()
        await again.wait_closed()

    return in_background(server())


def test_clients_reconnect_to_a_server_that_restarts():
    with restarting(3, for_s=0.1) as url:
        result = reconnect(url, {"phases": {"window_s": 1}}, connections=3)
    recovery = result["recovery"]
    assert (recovery["dropped"], recovery["recovered"]) == (3, 3)
    assert recovery["attempts"] > 3


def test_clients_do_not_recover_without_a_server():
    requests = []

    def refuse_later(connection, request):
        requests.append(request)
        if len(requests) > 2:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "never\n")
        return None

    with websocket_peer(idle, process_request=refuse_later) as url:
        result = reconnect(url, connections=2)
    recovery = result["recovery"]
    assert (recovery["dropped"], recovery["recovered"]) == (2, 0)
    assert recovery["attempts"] == len(requests) - 2 > 0
    assert recovery["recovery_time_ns"] == []
    assert recovery["recovered_ns"] is None
