"""Messages that other libraries push are counted and compared."""

import pytest
from peers.engine import load
from peers.node import described


@pytest.mark.parametrize(
    "message", ["hello world", ["hello", " ", "world"]], ids=["whole", "fragments"]
)
def test_counts_the_messages_of_each_library(library, message):
    workload = {"kind": "receive", "messages": 100, "payload": {"text": "hello world"}}
    with library.conversation([message] * 100, ping=True) as (url, answers):
        result = load(url=url, workload=workload, limit_s=120)
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
