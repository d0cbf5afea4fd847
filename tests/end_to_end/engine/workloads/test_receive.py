"""Messages that other libraries push are counted and compared."""

import pytest
from peers.engine import load
from peers.node import described


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
