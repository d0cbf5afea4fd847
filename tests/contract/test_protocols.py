"""The suite's own peers: what they speak is what the engine speaks."""

import pytest
from peers.engine import failures, load
from peers.protocols import PROTOCOLS

MESSAGES = ["grüezi 👋", "", 'a "b"\n\\c', b"\x00\xff", b"", "x" * 70_000]


@pytest.fixture(params=PROTOCOLS.values(), ids=PROTOCOLS)
def protocol(request):
    """Return each protocol in turn, instead of a contestant's."""
    return request.param


def test_a_client_of_ours_is_answered_by_the_engine(protocol):
    with protocol.serving() as engine:
        url = protocol.address(engine.url, "/echo")
        with protocol.connect(url) as connection:
            for message in MESSAGES:
                connection.send(message)
            assert [connection.recv(timeout=20) for _ in MESSAGES] == MESSAGES


def test_a_client_of_ours_hears_when_the_engine_is_through(protocol):
    feed = {"kind": "sequence", "messages": 3, "every_ms": 1}
    with protocol.serving(feed=feed) as engine:
        url = protocol.address(engine.url, "/feed")
        with protocol.connect(url) as connection:
            assert list(connection) == ["0", "1", "2"]
            assert connection.close_code == 1000


@pytest.mark.parametrize("content", ["text", "binary"])
def test_a_server_of_ours_answers_the_engine(protocol, echo_server, content):
    server = echo_server()
    spoken = protocol.load_plan(server.url.removesuffix("/echo"), "/echo")
    payload = {"random_bytes": 500, "type": content, "stamped": True}
    workload = {"kind": "echo", "payload": payload, "phases": {"window_s": 0.2}}
    result = load(**spoken, workload=workload, connections=2)
    assert failures(result) == {}
    assert result["exchange"]["echoed"] == result["exchange"]["sent"] > 0
    assert server.wait_for_close_codes(2) == [1000, 1000]
    if protocol.has_types:
        expected = str if content == "text" else bytes
        assert {type(each) for each in server.received} == {expected}


def test_a_server_of_ours_ends_it(protocol, echo_server):
    server = echo_server(lambda connection, message: connection.close(1001))
    spoken = protocol.load_plan(server.url.removesuffix("/echo"), "/echo")
    workload = {"kind": "echo", "phases": {"window_s": 20}}
    result = load(**spoken, workload=workload)
    assert (failures(result), result["ended"]) == ({"close": 1}, "closed")
