"""Connections that are dropped and reconnect to another library's server."""

from http import HTTPStatus

import pytest
from peers.engine import count, load_until
from peers.websocket import OpenConnections, idle, websocket_peer

CLOSE_CODES = {"close": 1000, "abort": 1006}


def reconnect(url, connections, drop="close", times=1, every_ms=None, **settings):
    """Drop all connections; end when each has been reopened so many times."""
    workload = {
        "kind": "reconnect",
        "drop": drop,
        "every_ms": every_ms,
        "back_off": {"initial_ms": 10, "maximum_ms": 50},
        "phases": {"window_s": 600},
    }
    return load_until(
        lambda seconds: (
            sum(each["opened"] for each in seconds) >= (1 + times) * connections
        ),
        url=url,
        workload=workload,
        connections=connections,
        **settings,
    )


@pytest.mark.parametrize("drop", CLOSE_CODES)
def test_dropped_connections_reconnect(drop):
    open_connections = OpenConnections()
    with websocket_peer(open_connections) as url:
        result = reconnect(url, 10, drop, threads=2)
    recovery = result["recovery"]
    assert (recovery["dropped"], recovery["recovered"]) == (10, 10)
    assert recovery["attempts"] >= 10
    assert count(recovery["recovery_time_ns"]) == 10
    slowest_ns, _ = recovery["recovery_time_ns"][-1]
    assert recovery["recovered_ns"] >= slowest_ns > 0
    assert result["ended"] == "interrupted"
    assert len(open_connections.close_codes) == 20
    assert sorted(open_connections.close_codes[:10]) == [CLOSE_CODES[drop]] * 10
    assert open_connections.close_codes[10:] == [1000] * 10


def test_connections_are_dropped_again_and_again():
    with websocket_peer(idle) as url:
        result = reconnect(url, 4, "abort", times=3, every_ms=100)
    recovery = result["recovery"]
    assert recovery["dropped"] >= recovery["recovered"] >= 12
    assert result["failures"] == []


def test_a_refused_attempt_is_repeated():
    requests = []

    def refuse_some(connection, request):
        requests.append(request)
        if 4 < len(requests) <= 8:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "later\n")
        return None

    with websocket_peer(idle, process_request=refuse_some) as url:
        result = reconnect(url, 4)
    recovery = result["recovery"]
    assert (recovery["dropped"], recovery["recovered"]) == (4, 4)
    assert recovery["attempts"] == len(requests) - 4 == 8
