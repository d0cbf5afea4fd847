"""The contract, sections 2 and 3: clients that count."""

import os
import re
import signal
import threading
import time
from contextlib import closing
from dataclasses import dataclass

import pytest
from peers.expect import (
    expect_close,
    expect_count,
    expect_failure,
    expect_refusal,
    expect_success,
)
from peers.program import LIMIT_S, Finished
from peers.raw_peers import ENDS, RawServer, close_properly, end_the_stream
from peers.script_server import await_close
from peers.server_process import TERMINATION_S

pytestmark = pytest.mark.clause("3.2")

MESSAGES = 2_000
CONNECTIONS = 2
MESSAGE_BYTES_MAX = 16 * 1024 * 1024
RESULT_KEYS = {"event", "connections", "messages", "opened_ns", "received_ns"}


def receive(client, server, **environment):
    """Let a client ask for messages of the engine, or of its equivalent."""
    url = client.protocol.address(server.url, f"/{MESSAGES}")
    return client.run(URL=url, MESSAGES=str(MESSAGES), **environment)


@dataclass(frozen=True)
class Reception:
    """A run of a client, with the time before and after it, and what was served."""

    started_ns: int
    finished: Finished
    ended_ns: int
    served: list[dict]


@pytest.fixture(scope="module")
def reception(client):
    """Let a client receive on several connections."""
    workload = {"kind": "push", "payload": {"text": "grüezi 👋"}}
    settings = {"workload": workload, "connections": CONNECTIONS}
    with client.protocol.serving(**settings) as server:
        started_ns = time.monotonic_ns()
        finished = receive(client, server, CONNECTIONS=str(CONNECTIONS))
        ended_ns = time.monotonic_ns()
        expect_success(finished)
        served = [server.result() for _ in range(CONNECTIONS)]
    return Reception(started_ns, finished, ended_ns, served)


@pytest.mark.clause("1.3")
def test_its_build_has_a_version_of_one_line(client):
    assert re.fullmatch(r".*\d.*", client.built.version)


def test_it_counts_what_is_pushed_and_closes_with_1000(client, reception):
    counted = reception.finished.result
    expect_count(counted["connections"], CONNECTIONS, "connections")
    expect_count(counted["messages"], CONNECTIONS * MESSAGES)
    for served in reception.served:
        assert (served["messages"], served["ended"]) == (MESSAGES, "complete")
        expect_close(served["close_code"], client.protocol)
        assert served["acknowledged_bytes"] == served["wire_bytes"]


@pytest.mark.clause("3.3")
def test_its_only_line_is_a_result_with_instants_in_order(reception):
    (_,) = reception.finished.lines
    result = reception.finished.result
    assert (set(result), result["event"]) == (RESULT_KEYS, "result")
    instants = [result["opened_ns"], result["received_ns"]]
    instants = [reception.started_ns, *instants, reception.ended_ns]
    assert instants == sorted(instants)


@pytest.mark.clause("3.3")
def test_it_counts_up_to_the_last_message_wanted_and_has_its_instant(
    client, raw_server
):
    def serve(peer):
        started_ns = time.monotonic_ns()
        peer.upgrade()
        peer.send("one", "two", "three", "not wanted", "not wanted")
        code, closing_ns = peer.read_close(), time.monotonic_ns()
        peer.close(1000)
        return started_ns, code, closing_ns

    server = raw_server(serve)
    finished = client.run(URL=server.url, MESSAGES="3")
    started_ns, code, closing_ns = server.served.result()
    expect_success(finished)
    expect_close(code, client.protocol)
    result = finished.result
    expect_count(result["messages"], 3)
    instants = [started_ns, result["opened_ns"], result["received_ns"], closing_ns]
    assert client.subject.has_page_clock or instants == sorted(instants)


@pytest.mark.clause("3.3")
@pytest.mark.where("clock")
def test_its_instant_is_that_of_the_connection_that_receives_last(
    client, script_server
):
    is_first, has_ended = threading.Lock(), threading.Event()

    def serve(connection):
        if is_first.acquire(blocking=False):
            connection.send("one")
            await_close(connection)
            has_ended.set()
            return 0
        assert has_ended.wait(LIMIT_S)
        sent_ns = time.monotonic_ns()
        connection.send("two")
        await_close(connection)
        return sent_ns

    server = script_server(serve)
    finished = client.run(URL=f"{server.url}/1", MESSAGES="1", CONNECTIONS="2")
    expect_success(finished)
    expect_count(finished.result["messages"], 2)
    assert finished.result["received_ns"] >= max(server.result(), server.result())


@pytest.mark.clause("3.6")
@pytest.mark.where("frames")
def test_it_answers_pings_and_counts_until_the_server_closes(client):
    pings = {"after": [10, MESSAGES - 1, MESSAGES]}
    workload = {"kind": "push", "seconds": 0.2, "frames_per_write": "one"}
    settings = {"workload": workload | {"pings": pings}, "connections": 1}
    with client.protocol.serving(**settings) as server:
        url = client.protocol.address(server.url, f"/{MESSAGES}")
        finished = client.run(URL=url, VERB="count")
        expect_success(finished)
        served = server.result()
    assert finished.result["messages"] == served["messages"] >= MESSAGES
    assert served["ended"] == "complete"
    # Some libraries leave out the answer to a ping just before a closing frame.
    assert served["pings_unanswered"] <= 1, "it does not answer all pings: clause 3.6"
    assert served["marks"]


@pytest.mark.clause("3.7")
@pytest.mark.where("frames", "tls")
def test_it_trusts_the_certificates_of_ssl_cert_file(client, certificates):
    files = {
        "certificate_file": str(certificates.certificate_file),
        "key_file": str(certificates.key_file),
    }
    with client.protocol.serving(connections=1, tls=files) as server:
        expect_success(receive(client, server, SSL_CERT_FILE=str(certificates.ca_file)))
        assert server.result()["messages"] == MESSAGES


@pytest.mark.clause("3.7")
@pytest.mark.where("frames", "tls")
def test_it_trusts_no_other_certificates(client, certificates):
    files = {
        "certificate_file": str(certificates.certificate_file),
        "key_file": str(certificates.key_file),
    }
    with client.protocol.serving(connections=1, tls=files) as server:
        finished = receive(client, server, SSL_CERT_FILE="missing.pem")
    if finished.status == 2:
        expect_refusal(finished, "SSL_CERT_FILE")
    else:
        expect_failure(finished)


@pytest.mark.clause("3.6")
def test_it_accepts_a_message_of_16_mib(client, script_server):
    def serve(connection):
        connection.send(bytes(range(256)) * (MESSAGE_BYTES_MAX // 256))
        return await_close(connection)

    server = script_server(serve)
    finished = client.run(URL=f"{server.url}/1", MESSAGES="1")
    expect_success(finished)
    expect_count(finished.result["messages"], 1)
    expect_close(server.result())


def verb_of(client):
    """Return the variables of the verb ``reply``, or of ``count`` without it."""
    return {"VERB": "reply"} if client.subject.claims.reply else {"MESSAGES": "10"}


def send_and_await(peer, replies, *texts):
    """
    Send messages, and await them back if the client replies.

    The client has then reported the connection as open. Before, a library may drop it:
    Firefox has no ``open`` event for a connection that is lost within milliseconds.
    """
    peer.upgrade()
    peer.send(*texts)
    if replies:
        assert [peer.read_text() for _ in texts] == [*texts]


@pytest.mark.clause("3.4")
def test_the_end_of_an_open_connection_is_no_failure(client, raw_server):
    claims = client.subject.claims
    ends = [end for end in ENDS if claims.eof or end is not end_the_stream]

    def serving(end):
        def serve(peer):
            send_and_await(peer, claims.reply, "one", "two", "three")
            ended_ns = time.monotonic_ns()
            end(peer)
            return ended_ns

        return raw_server(serve)

    servers = [serving(end) for end in ends]
    verb = verb_of(client)
    ended = client.run_all([{"URL": server.url, **verb} for server in servers])
    for end, server, finished in zip(ends, servers, ended, strict=True):
        ended_ns = server.served.result()
        expect_success(finished)
        expect_count(finished.result["connections"], 1, "connections")
        # A reset may discard data that the library has not delivered yet.
        possible = [3] if claims.reply or end is close_properly else range(4)
        assert finished.result["messages"] in possible
        assert finished.result["received_ns"] >= ended_ns


@pytest.mark.clause("3.4")
def test_a_refused_connection_causes_a_status_with_a_reason(client, unused_url):
    expect_failure(client.run(URL=unused_url, MESSAGES="10"))


@pytest.fixture(scope="module")
def refusal(client):
    """Refuse a client's handshake; return the request's fields and the client's end."""

    def serve(peer):
        fields = peer.read_request()
        peer.connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        return fields

    with closing(RawServer(client.protocol, serve)) as server:
        finished = client.run(URL=server.url, MESSAGES="10")
        return server.served.result(), finished


@pytest.mark.clause("3.4")
@pytest.mark.where("HTTP")
def test_a_refused_handshake_causes_a_status_with_a_reason(refusal):
    _, finished = refusal
    expect_failure(finished)


@pytest.mark.clause("2.3")
@pytest.mark.where("HTTP", "optional_deflate")
def test_it_offers_no_compression(refusal):
    fields, _ = refusal
    assert fields["upgrade"].lower() == "websocket"
    assert "sec-websocket-extensions" not in fields


@pytest.mark.clause("2.3")
@pytest.mark.where("deflate")
def test_it_offers_compression_if_configured(client):
    with client.protocol.serving(compression={}, connections=1) as server:
        finished = receive(client, server, COMPRESSION="deflate")
        expect_success(finished)
        served = server.result()
    expect_count(finished.result["messages"], MESSAGES)
    # With context takeover, "hello world" is encoded as a reference to earlier
    # messages.
    assert served["wire_bytes"] < served["bytes"]


@pytest.mark.clause("3.4")
@pytest.mark.where("frames")
def test_a_refused_message_causes_a_status_with_a_reason(client, raw_server):
    claims = client.subject.claims
    detects_errors = claims.refusals

    def serve(peer):
        send_and_await(peer, claims.reply, "one")
        # A reserved opcode.
        peer.send_last_frame(0x83, b"what?", is_answered=detects_errors)

    server = raw_server(serve)
    finished = client.run(URL=server.url, **verb_of(client))
    server.served.result()
    if detects_errors:
        expect_failure(finished)
    else:
        expect_success(finished)
        # A library that does not check opcodes delivers the invalid frame as a message.
        assert finished.result["messages"] <= 2
    assert "Traceback" not in finished.stderr


@pytest.mark.clause("1")
@pytest.mark.where("frames")
def test_its_library_refuses_text_that_is_not_utf8_if_claimed(client, raw_server):
    def serve(peer):
        peer.upgrade()
        peer.send("one")
        peer.send_last_frame(0x81, b"\xc3\x28", is_answered=True)

    server = raw_server(serve)
    finished = client.run(URL=server.url, MESSAGES="2")
    server.served.result()
    is_counted = finished.status == 0 and finished.result["messages"] == 2
    assert is_counted != client.subject.claims.validates_utf8, finished


@pytest.mark.clause("2.5")
def test_an_invalid_environment_causes_status_2_and_names_the_variable(
    client, choose_cases
):
    valid = {"URL": "ws://127.0.0.1:1/10"}
    wrong = {
        "URL": ["", "127.0.0.1:8008", "http://127.0.0.1:1/10", "ws://"],
        "MESSAGES": ["ten", "", "0", "-1", "+1", "1e6", "1_0", "5 ", "٣", "9" * 20],
        "CONNECTIONS": ["0", "two"],
        "VERB": ["", "shout"],
    }
    if client.subject.claims.deflate:
        wrong["COMPRESSION"] = ["gzip"]
    cases = choose_cases(
        [
            ("URL", {}),
            *((name, valid | {name: value}) for name in wrong for value in wrong[name]),
        ]
    )
    finished = client.run_all(given for _, given in cases)
    for (variable, _), ended in zip(cases, finished, strict=True):
        expect_refusal(ended, variable)


@pytest.mark.clause("2.4")
@pytest.mark.parametrize("has_opened", [False, True], ids=["connecting", "receiving"])
def test_it_ends_on_sigterm(client, raw_server, has_opened):
    is_waiting = threading.Event()

    def serve(peer):
        if has_opened:
            peer.upgrade()
            peer.send("one")
        else:
            peer.read_request()
        is_waiting.set()
        peer.read_to_end()

    server = raw_server(serve)
    with client.start(URL=server.url, MESSAGES="10") as process:
        assert is_waiting.wait(LIMIT_S)
        os.kill(process.pid, signal.SIGTERM)
        process.wait(time.monotonic() + TERMINATION_S)
        assert not process.has_group()
    server.served.result()
