"""Messages that other libraries push are counted and compared."""

import pytest
from peers.engine import failures, load
from peers.node import described
from peers.socket_io import SocketIoPeer, socket_io_peer
from peers.websocket import pushing, ticking, websocket_peer


def receive(messages, workload, **settings):
    """Receive all messages that a server sends; return the result."""
    wanted = {"kind": "receive", "messages": len(messages)} | workload
    with websocket_peer(pushing(messages)) as url:
        return load(url=url, workload=wanted, limit_s=20, **settings)


def test_counts_messages_and_their_bytes():
    result = receive(["grüezi"] * 100, {"payload": {"text": "grüezi"}}, connections=3)
    assert (result["connections"], result["messages"]) == (3, 300)
    assert result["bytes"] == 300 * len("grüezi".encode())
    assert (result["wrong"], result["failures"]) == (0, [])
    assert result["ended"] == "complete"
    assert result["opened_ns"] <= result["received_ns"]
    assert result["exchange"] is None


@pytest.mark.parametrize(
    "message", ["hello world", ["hello", " ", "world"]], ids=["whole", "fragments"]
)
def test_counts_the_messages_of_each_library(library, message):
    workload = {"kind": "receive", "messages": 100, "payload": {"text": "hello world"}}
    with library.conversation([message] * 100, ping=True) as (url, answers):
        result = load(url=url, workload=workload, limit_s=20)
        assert answers()[2] == 1000
    assert (result["messages"], result["wrong"]) == (100, 0)
    assert (result["ended"], result["failures"]) == ("complete", [])


@pytest.mark.parametrize("close_code", [1000, 1001, 1011, 4000])
def test_an_early_close_is_a_failure_with_its_code(library, close_code):
    workload = {"kind": "echo", "phases": {"window_s": 20}}
    with library.conversation(["hello world"], close=close_code) as (url, answers):
        result = load(url=url, workload=workload)
        assert answers()[2] == close_code
    assert result["ended"] == "closed"
    closes = [row for row in result["failures"] if row["kind"] == "close"]
    assert [row["count"] for row in closes] == [1]
    assert str(close_code) in closes[0]["example"]


def test_binary_messages_are_counted():
    messages = [b"\x00\x01\xff"] * 10
    result = receive(messages, {"payload": {"base64": "AAH/"}})
    assert (result["messages"], result["wrong"]) == (10, 0)


@pytest.mark.parametrize(
    "wrong",
    ["hello World", b"hello world", "", "hello world!", "x" * 100_000],
    ids=["content", "type", "empty", "longer", "long"],
)
def test_a_message_other_than_the_expected_one_is_counted(wrong):
    messages = ["hello world"] * 5 + [wrong] * 2 + ["hello world"] * 3
    result = receive(messages, {"payload": {"text": "hello world"}})
    assert (result["messages"], result["wrong"]) == (10, 2)
    assert failures(result) == {"mismatch": 2}


def test_any_message_counts_without_an_expectation():
    result = receive(["one", b"two", "", ["th", "ree"]], {})
    assert (result["messages"], result["bytes"], result["wrong"]) == (4, 11, 0)
    assert result["failures"] == []
    assert result["window_start_ns"] == result["opened_ns"]


def test_a_window_of_time_may_replace_the_number():
    workload = {
        "kind": "receive",
        "payload": {"text": "tick"},
        "phases": {"window_s": 0.4},
    }
    with websocket_peer(ticking(lambda number: "tick", every_s=0.005)) as url:
        result = load(url=url, workload=workload, connections=2)
    assert result["ended"] == "complete"
    assert (result["connections"], result["failures"]) == (2, [])
    assert result["bytes"] == result["messages"] * len("tick") > 0
    assert result["window_ns"] == pytest.approx(0.4e9, rel=0.01)


@pytest.mark.parametrize("transport", ["websocket", "polling"])
@pytest.mark.parametrize("message", ["grüezi", b"\x00\x01"], ids=["text", "binary"])
def test_events_of_python_are_counted(transport, message):
    peer = SocketIoPeer(namespace="/push", push=[message] * 6)
    protocol = {"kind": "socket-io", "transport": transport, "namespace": "/push"}
    with socket_io_peer(peer):
        result = load(
            url=peer.url, protocol=protocol, workload={"kind": "receive", "messages": 6}
        )
    content = message.encode() if isinstance(message, str) else message
    assert (result["messages"], result["bytes"]) == (6, 6 * len(content))
    assert (result["ended"], result["failures"]) == ("complete", [])


@pytest.mark.parametrize("transport", ["websocket", "polling"])
@pytest.mark.parametrize("message", ["grüezi", b"\x00\x01"], ids=["text", "binary"])
def test_events_of_node_are_counted(node, transport, message):
    protocol = {"kind": "socket-io", "transport": transport, "event": "line"}
    push = [described(message)] * 100
    with node.serve("socket_io_server", event="line", push=push) as server:
        result = load(
            url=server.url,
            protocol=protocol,
            workload={"kind": "receive", "messages": 100},
        )
    content = message.encode() if isinstance(message, str) else message
    assert (result["messages"], result["bytes"]) == (100, 100 * len(content))
    assert (result["ended"], result["failures"]) == ("complete", [])
