"""The suite's own peers speak the same protocols as the engine."""

import pytest
from peers.engine import failures, load
from peers.expect import expect_answer, expect_no_failures
from peers.program import LIMIT_S
from peers.protocols import PROTOCOLS
from peers.script_server import echo

MESSAGES = ["grüezi 👋", "", 'a "b"\n\\c', b"\x00\xff", b"", "x" * 70_000]


@pytest.fixture(params=PROTOCOLS.values(), ids=PROTOCOLS)
def protocol(request):
    """Return each protocol in turn, independent of contestants."""
    return request.param


@pytest.fixture(params=[each for each in PROTOCOLS.values() if each.serving])
def served(request):
    """Return each protocol in turn that the engine or its equivalent serves."""
    return request.param


def load_echo(protocol, server, connections, **workload):
    """Let the engine exchange echoes with a server of the suite."""
    plan = {"workload": {"kind": "echo"} | workload, "connections": connections}
    return load(**protocol.load_plan(server.url, "/echo"), **plan)


def test_the_client_of_the_suite_is_answered_by_the_engine(served):
    with served.serving() as engine:
        url = served.address(engine.url, "/echo")
        with served.connect(url) as connection:
            for message in MESSAGES:
                connection.send(message)
            for message in MESSAGES:
                expect_answer(connection, message)


def test_the_client_of_the_suite_receives_the_end_of_a_feed(served):
    feed = {"kind": "sequence", "messages": 3, "every_ms": 1}
    with served.serving(feed=feed) as engine:
        url = served.address(engine.url, "/feed")
        with served.connect(url) as connection:
            assert list(connection) == ["0", "1", "2"]
            assert connection.close_code == 1000


@pytest.mark.parametrize("content", ["text", "binary"])
def test_the_server_of_the_suite_answers_the_engine(protocol, script_server, content):
    server = script_server(echo)
    payload = {"random_bytes": 500, "type": content, "stamped": True}
    phases = {"window_s": 0.2}
    result = load_echo(protocol, server, 2, payload=payload, phases=phases)
    expect_no_failures(result)
    assert result["exchange"]["echoed"] == result["exchange"]["sent"] > 0
    for _ in range(2):
        received, close_code = server.result()
        assert close_code == 1000
        if protocol.has_types:
            expected = str if content == "text" else bytes
            assert {type(each) for each in received} == {expected}


def test_the_server_of_the_suite_closes_a_connection(protocol, script_server):
    def close_after_a_message(connection):
        connection.recv(timeout=LIMIT_S)
        connection.close(1001)

    server = script_server(close_after_a_message)
    result = load_echo(protocol, server, 1, phases={"window_s": 20})
    assert (failures(result), result["ended"]) == ({"close": 1}, "closed")
