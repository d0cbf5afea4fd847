"""The contract, section 9, for every client that speaks Socket.IO."""

import pytest
from peers.expect import expect_count, expect_failure, expect_refusal, expect_success

pytestmark = pytest.mark.where("Socket.IO")

MESSAGES = 200


def by_polling(url, **further):
    return {"URL": url, "TRANSPORT": "polling"} | further


@pytest.mark.parametrize("connections", [1, 3])
def test_it_receives_by_polling(client, protocol, connections):
    with protocol.serving(connections=connections) as engine:
        url = protocol.address(engine.url, f"/{MESSAGES}")
        given = by_polling(url, MESSAGES=str(MESSAGES), CONNECTIONS=str(connections))
        finished = client.run(**given)
        served = [engine.result() for _ in range(connections)]
    expect_success(finished, is_silent=True)
    expect_count(finished.result["messages"], connections * MESSAGES)
    assert [each["messages"] for each in served] == [MESSAGES] * connections


@pytest.mark.parametrize("encoding", ["json", "binary"])
def test_it_receives_a_feed_by_polling(feed_client, protocol, encoding):
    feed = {"kind": "stocks", "encoding": encoding, "every_ms": 5, "messages": 20}
    with protocol.serving(feed=feed) as engine:
        url = protocol.address(engine.url, "/feed")
        given = by_polling(url, FEED="stocks", ENCODING=encoding)
        finished = feed_client.run(**given)
    expect_success(finished, is_silent=True)
    assert (finished.result["messages"], finished.result["wrong"]) == (20, 0)
    assert finished.result["sequence"]["in_order"] == 20


def test_it_exchanges_echoes_by_polling(echo_client, protocol):
    with protocol.serving() as engine:
        url = protocol.address(engine.url, "/echo")
        given = by_polling(url, WORKLOAD="echo", WINDOW_S="0.2", CONNECTIONS="2")
        finished = echo_client.run(**given)
    expect_success(finished, is_silent=True)
    assert finished.result["echoed"] > 0
    assert finished.result["wrong"] == 0


def test_an_unknown_transport_causes_status_2_and_is_named(client):
    given = {"URL": "ws://127.0.0.1:1/1", "MESSAGES": "1", "TRANSPORT": "pigeon"}
    finished = client.run(**given)
    expect_refusal(finished, "TRANSPORT")


def test_a_refused_namespace_causes_a_status_with_a_reason(client, protocol):
    with protocol.serving() as engine:
        url = protocol.address(engine.url, "/nowhere")
        finished = client.run(URL=url, MESSAGES="1")
    expect_failure(finished)


def test_it_acknowledges_packets_that_request_it(client, raw_server):
    def serve(peer):
        peer.upgrade()
        peer.send_frame(0x81, b'42/10,7["message","one"]')
        _, answer = peer.read_frame()
        peer.send("two")
        peer.read_close()
        return answer

    server = raw_server(serve)
    finished = client.run(URL=server.url, MESSAGES="2")
    assert server.served.result() == b"43/10,7[]"
    expect_success(finished)
    expect_count(finished.result["messages"], 2)


def test_it_answers_pings(client, raw_server):
    def serve(peer):
        peer.upgrade()
        peer.send_frame(0x81, b"2")
        _, answer = peer.read_frame()
        peer.send("one")
        peer.read_close()
        return answer

    server = raw_server(serve)
    finished = client.run(URL=server.url, MESSAGES="1")
    assert server.served.result() == b"3"
    expect_success(finished)
