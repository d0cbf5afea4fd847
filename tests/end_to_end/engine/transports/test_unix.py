"""Unix sockets: the address, the request, and more connections than the backlog has."""

from peers.engine import load
from peers.websocket import Echo, unix_peer


def test_a_server_is_reached_at_its_socket(tmp_path):
    socket = tmp_path / "server.sock"
    peer = Echo()
    with unix_peer(peer, socket):
        result = load(
            url=f"unix:{socket}:/chat?room=1",
            connections=300,
            workload={"kind": "echo", "messages": 900, "phases": {"window_s": 60}},
        )
    assert (result["connections"], result["failures"]) == (300, [])
    assert result["exchange"]["echoed"] == 900
    assert {each.request.path for each in peer.connections} == {"/chat?room=1"}
    assert {each.request.headers["Host"] for each in peer.connections} == {"localhost"}


def test_a_missing_socket_is_named(tmp_path):
    result = load(
        url=f"unix:{tmp_path}/nothing.sock",
        workload={"kind": "connect", "phases": {"window_s": 0.1}},
    )
    (failure,) = result["failures"]
    assert failure["kind"] == "connect"
    assert "No such file" in failure["example"]
