"""The opening request as the server receives it: headers, cookies, subprotocols."""

import pytest
from peers.engine import load
from peers.websocket import Echo, websocket_peer


def opened(request, **settings):
    """Open connections with a request; return what the server saw, and the result."""
    peer = Echo()
    workload = {"kind": "connect", "phases": {"window_s": 0.2}}
    plan = {"request": request, "workload": workload, "connections": 3}
    with websocket_peer(peer, **settings) as url:
        result = load(url=f"{url}/a%20path?and=query", **plan)
    assert result["failures"] == []
    return [connection.request for connection in peer.connections], result


def test_the_request_is_as_planned():
    fields = {"Authorization": "Bearer abc", "X-Trace": "1, 2", "Origin": "http://a.b"}
    cookies = {"session": "a1b2", "theme": "dark"}
    requests, _ = opened({"headers": fields, "cookies": cookies})
    for request in requests:
        assert request.path == "/a%20path?and=query"
        found = {name: request.headers[name] for name in fields}
        assert found == fields
        assert request.headers["Cookie"] == "session=a1b2; theme=dark"
        assert "Sec-WebSocket-Protocol" not in request.headers


def test_each_user_has_a_request_and_messages_of_its_own(tmp_path):
    users = tmp_path / "users.csv"
    users.write_text('name,token\nann,a1\n"bob, b",b2\n')
    peer = Echo()
    workload = {
        "kind": "echo",
        "messages": 3,
        "payload": {"text": "I am {{name}}", "template": True},
        "reply": {"kind": "next"},
        "phases": {"window_s": 60},
    }
    with websocket_peer(peer) as url:
        result = load(
            url=f"{url}/?token={{{{token}}}}",
            users={"file": str(users)},
            request={"headers": {"X-User": "{{name}}"}},
            workload=workload,
            connections=3,
        )
    assert (result["connections"], result["failures"]) == (3, [])
    paths = [connection.request.path for connection in peer.connections]
    assert sorted(paths) == ["/?token=a1", "/?token=a1", "/?token=b2"]
    names = [each.request.headers["X-User"] for each in peer.connections]
    assert sorted(names) == ["ann", "ann", "bob, b"]
    assert sorted(peer.messages) == ["I am ann", "I am ann", "I am bob, b"]


@pytest.mark.parametrize(
    ("supported", "granted"),
    [(["chat"], "chat"), (["superchat", "chat"], "superchat"), (["other"], None)],
    ids=["second", "first", "none"],
)
def test_subprotocols_are_offered_and_the_granted_one_is_counted(supported, granted):
    def select(connection, offered):
        return next((name for name in offered if name in supported), None)

    requests, result = opened(
        {"subprotocols": ["superchat", "chat"]}, select_subprotocol=select
    )
    for request in requests:
        fields = request.headers.get_all("Sec-WebSocket-Protocol")
        assert ", ".join(fields) == "superchat, chat"
    if granted:
        assert result["subprotocols"] == {granted: 3}
    else:
        assert result["subprotocols"].get("superchat") is None
