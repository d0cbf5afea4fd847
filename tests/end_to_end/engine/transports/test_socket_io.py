"""Socket.IO with servers in Python and in Node."""

import base64
import json

import pytest
from peers.engine import count, failures, load, load_by_options
from peers.node import described
from peers.socket_io import RoutingPeer, socket_io_peer

TRANSPORTS = ["websocket", "polling"]
IN_FLIGHT = 40
"""Messages of each connection: more than python-engineio reads of one request."""

CONTENTS = {
    "text": ({"text": "grüezi"}, "grüezi"),
    "binary": ({"base64": base64.b64encode(b"\x00\x01\xff").decode()}, b"\x00\x01\xff"),
    "empty": ({"text": ""}, ""),
    "quoted": ({"text": 'a "b"\n\\c'}, 'a "b"\n\\c'),
}


def exchange(url, protocol, payload, **settings):
    """Run a closed loop; return the number of echoed messages."""
    workload = {"kind": "echo", "payload": payload, "phases": {"window_s": 0.4}}
    workload |= {"window": IN_FLIGHT} | settings.pop("workload", {})
    protocol = {"kind": "socket-io"} | protocol
    result = load(url=url, protocol=protocol, workload=workload, **settings)
    assert result["failures"] == []
    assert result["ended"] == "complete"
    exchanged = result["exchange"]
    assert exchanged["echoed"] == exchanged["sent"] > 0
    assert count(exchanged["service_time_ns"]) == exchanged["echoed"]
    assert result["wrong"] == 0
    return exchanged["echoed"]


@pytest.mark.parametrize("acknowledge", [False, True], ids=["event", "acknowledgement"])
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(("payload", "content"), CONTENTS.values(), ids=CONTENTS)
def test_node_answers(node, payload, content, transport, acknowledge):
    protocol = {"transport": transport, "acknowledge": acknowledge}
    with node.serve("socket_io_server") as server:
        echoed = exchange(server.url, protocol, payload, connections=2)
        connections = server.report()
    assert sum(each["messages"] for each in connections) == echoed
    acknowledged = sum(each["acknowledged"] for each in connections)
    assert acknowledged == (echoed if acknowledge else 0)
    assert [each["transport"] for each in connections] == [transport] * 2
    assert [each["first"] for each in connections] == [described(content)] * 2


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("content", ["text", "binary"])
def test_python_answers_over_tls(certificates, transport, content):
    protocol = {"transport": transport, "namespace": "/echo"}
    tls = {"ca_file": str(certificates.ca_file)}
    payload, _ = CONTENTS[content]
    with socket_io_peer(RoutingPeer(), ssl=certificates.server()) as peer:
        exchange(peer.url, protocol, payload, tls=tls)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("content", ["text", "binary"])
def test_pushed_events_are_counted(node, transport, content):
    protocol = {"kind": "socket-io", "transport": transport, "event": "line"}
    workload = {"kind": "receive", "messages": 100}
    _, message = CONTENTS[content]
    push = [described(message)] * 100
    with node.serve("socket_io_server", event="line", push=push) as server:
        result = load(url=server.url, protocol=protocol, workload=workload)
    content = message.encode() if isinstance(message, str) else message
    assert (result["messages"], result["bytes"]) == (100, 100 * len(content))
    assert (result["ended"], result["failures"]) == ("complete", [])


@pytest.mark.parametrize("content", ["text", "binary"])
def test_pushed_events_are_sent_back(node, content):
    workload = {"kind": "answer", "phases": {"window_s": 0.5}}
    _, message = CONTENTS[content]
    with node.serve("socket_io_server", push=[described(message)] * 6) as server:
        protocol = {"kind": "socket-io"}
        result = load(url=server.url, protocol=protocol, workload=workload)
        [connection] = server.report()
    assert (connection["messages"], connection["first"]) == (6, described(message))
    assert (result["messages"], result["answered"]) == (6, 6)
    assert result["failures"] == []


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_pings_are_answered_by_an_idle_connection(node, transport):
    workload = {"kind": "connect", "phases": {"window_s": 0.5}}
    protocol = {"kind": "socket-io", "transport": transport}
    with node.serve("socket_io_server") as server:
        result = load(
            url=server.url, protocol=protocol, workload=workload, connections=3
        )
    assert (result["connections"], result["failures"]) == (3, [])
    assert result["messages"] == 0


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_path_can_be_chosen(node, transport):
    protocol = {"kind": "socket-io", "transport": transport}
    workload = {"kind": "connect", "phases": {"window_s": 0.1}}
    with node.serve("socket_io_server") as server:
        for path, kinds in [("/socket.io/", set()), ("/elsewhere/", {"handshake"})]:
            result = load(url=server.url + path, protocol=protocol, workload=workload)
            assert set(failures(result)) == kinds


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_refused_namespace_is_a_failed_handshake(node, transport):
    protocol = {"kind": "socket-io", "transport": transport, "namespace": "/nowhere"}
    workload = {"kind": "connect", "phases": {"window_s": 0.1}}
    with node.serve("socket_io_server") as server:
        result = load(url=server.url, protocol=protocol, workload=workload)
    assert failures(result) == {"handshake": 1}
    assert result["connections"] == 0


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_dropped_connections_reconnect(node, transport):
    workload = {
        "kind": "reconnect",
        "back_off": {"initial_ms": 10},
        "phases": {"window_s": 0.5},
    }
    protocol = {"kind": "socket-io", "transport": transport}
    with node.serve("socket_io_server") as server:
        result = load(
            url=server.url, protocol=protocol, workload=workload, connections=3
        )
    recovery = result["recovery"]
    assert (recovery["dropped"], recovery["recovered"]) == (3, 3)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_connections_show_credentials_and_emit_an_event_first(node, transport):
    protocol = {
        "transport": transport,
        "namespace": "/room",
        "event": "line",
        "auth": '{"token": "secret", "number": {{connection}}}',
        "json": True,
    }
    payload = {"text": '{"n": {{seq}}}', "template": True}
    keys = {"namespace": "/room", "event": "line", "token": "secret"}
    with node.serve("socket_io_server", **keys) as server:
        exchange(
            server.url,
            protocol,
            payload,
            on_open=['["join", {"room": "{{connection}}"}]'],
            workload={"reply": {"kind": "json", "path": "$.n"}},
        )
        assert [each["first"] for each in server.report()] == [{"json": {"n": 0}}]


@pytest.mark.parametrize("reply", ["json:$.n", "ack"])
def test_options_describe_what_users_emit(node, tmp_path, reply):
    users = tmp_path / "users.csv"
    users.write_text("name,token\nann,secret\nbob,secret\n")
    keys = {"namespace": "/chat", "event": "say", "token": "secret"}
    with node.serve("socket_io_server", **keys) as server:
        result = load_by_options(
            *(server.url, "-c", "2", "-n", "20", "--reply", reply),
            *("--namespace", "/chat", "--event", "say", "--users", str(users)),
            *("--auth", '{"token":"{{token}}"}', "-m", '{"n":{{seq}},"of":"{{name}}"}'),
        )
        connections = server.report()
    assert (result["exchange"]["echoed"], result["failures"]) == (20, [])
    assert sum(each["messages"] for each in connections) == 20
    acknowledged = sum(each["acknowledged"] for each in connections)
    assert acknowledged == (20 if reply == "ack" else 0)
    first = sorted(each["first"]["json"]["of"] for each in connections)
    assert first == ["ann", "bob"]


def test_a_message_is_timed_at_all_who_joined_a_room(node):
    with node.serve("socket_io_server") as server:
        result = load_by_options(
            *(server.url, "-c", "3", "-d", "1s", "--warm-up", "0s", "-r", "30/s"),
            *("--on-open", '["join",{"room":"{{uuid}}"}]'),
            *("--on-open", '["join",{"room":"a"}]'),
            *("-m", '{"t":{{now_ns}}}', "--reply", "time:$.t"),
        )
    assert result["failures"] == []
    assert result["messages"] == 3 * result["exchange"]["sent"] > 0
    assert count(result["exchange"]["response_time_ns"]) > result["exchange"]["sent"]


def test_events_are_no_answers_where_acknowledgements_are(node):
    with node.serve("socket_io_server") as server:
        result = load_by_options(
            *(server.url, "-c", "3", "-n", "30", "--reply", "ack"),
            *("--on-open", '["join",{"room":"a"}]'),
        )
    assert result["failures"] == []
    exchanged = result["exchange"]
    assert exchanged["echoed"] == exchanged["completed"] == 30
    assert exchanged["others"] > 30


def test_a_text_that_is_json_is_sent_as_text_if_its_answer_must_be_the_same(node):
    options = ("-m", '{"a": 1}', "--reply", "same", "-n", "2")
    with node.serve("socket_io_server") as server:
        result = load_by_options(server.url, *options)
        assert result["failures"] == []
        # Two messages are on any two of the connections.
        firsts = [each["first"] for each in server.report() if each["first"]]
    assert {json.dumps(first) for first in firsts} == {json.dumps({"text": '{"a": 1}'})}
