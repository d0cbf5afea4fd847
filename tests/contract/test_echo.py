"""The contract, section 5, for every contestant and variant."""

import json
import os
import signal
import threading
import time
from contextlib import closing
from dataclasses import dataclass

import pytest
from peers.echo_server import PACE_S, EchoServer, echo
from peers.expect import (
    expect_close,
    expect_count,
    expect_failure,
    expect_refusal,
    expect_success,
)
from peers.program import LIMIT_S, Finished

TEXT = "grüezi 👋"
WARM_UP_S = 0.3
# Long enough for a client to exchange messages on a busy machine.
WINDOW_S = 1.0
TERMINATION_S = 5.0


def environment(url, **further):
    return {"WORKLOAD": "echo", "URL": url, "WINDOW_S": str(WINDOW_S)} | further


@dataclass(frozen=True)
class Exchange:
    """One exchange, seen from both ends, with the time before and after it."""

    started_at_s: float
    finished: Finished
    ended_at_s: float
    server: EchoServer


def run_exchange(echo_client, server, **further):
    """Let a client exchange echoes with a server until the client ends."""
    started_at_s = time.monotonic()
    finished = echo_client.run(**environment(server.url, **further))
    ended_at_s = time.monotonic()
    if finished.status == 0:
        server.wait_for_close_codes(int(further.get("CONNECTIONS", 1)))
    return Exchange(started_at_s, finished, ended_at_s, server)


@pytest.fixture(scope="module")
def exchange(echo_client):
    """Let a client exchange echoes, with irrelevant variables in its environment."""
    with closing(EchoServer(echo_client.protocol, echo)) as server:
        return run_exchange(echo_client, server, MESSAGES="ten", LINES="autoroute")


def test_it_exchanges_one_text_and_closes_with_1000(exchange):
    expect_success(exchange.finished, is_silent=True)
    (code,) = exchange.server.close_codes
    expect_close(code)
    assert set(exchange.server.received) == {"hello world"}
    assert 0 < exchange.finished.result["echoed"] <= len(exchange.server.received)


@pytest.mark.where("HTTP")
def test_it_offers_no_compression(exchange):
    (request,) = exchange.server.requests
    assert "Sec-WebSocket-Extensions" not in request.headers


def test_its_only_line_is_the_result_for_any_configured_lines(exchange):
    (line,) = exchange.finished.lines
    echoed = json.loads(line)["echoed"]
    assert line == (
        f'{{"event":"result","connections":1,"echoed":{echoed},"wrong":0,'
        f'"window_ns":1000000000}}'
    )


@pytest.fixture(scope="module")
def three_connections(echo_client):
    """Let a client exchange a given text on three connections, after a warm-up."""
    all_are_open = threading.Barrier(3, timeout=LIMIT_S)
    first_messages = threading.local()

    def answer(connection, message):
        # The server has one thread per connection.
        if not hasattr(first_messages, "is_received"):
            first_messages.is_received = True
            all_are_open.wait()
        echo(connection, message)

    further = {"CONNECTIONS": "3", "PAYLOAD": TEXT, "WARM_UP_S": str(WARM_UP_S)}
    with closing(EchoServer(echo_client.protocol, answer)) as server:
        return run_exchange(echo_client, server, **further)


def test_it_has_the_configured_number_of_connections_open_at_once(three_connections):
    finished = three_connections.finished
    expect_success(finished)
    expect_count(finished.result["connections"], 3, "connections")
    assert finished.result["echoed"] > 0
    expect_count(len(three_connections.server.close_codes), 3, "closed connections")
    for code in three_connections.server.close_codes:
        expect_close(code)


def test_it_sends_the_configured_payload(three_connections):
    assert three_connections.finished.result["wrong"] == 0
    assert set(three_connections.server.received) == {TEXT}


def test_messages_of_the_warm_up_are_not_counted(three_connections):
    window_at_s = three_connections.started_at_s + WARM_UP_S  # At the earliest.
    assert three_connections.ended_at_s >= window_at_s + WINDOW_S
    # Each answer that counts is followed by one more message.
    late = [
        at_s for at_s in three_connections.server.received_at_s if at_s >= window_at_s
    ]
    assert 0 < three_connections.finished.result["echoed"] <= len(late)


@dataclass(frozen=True)
class WrongExchange(Exchange):
    """An exchange with some wrong answers, all of them late."""

    wrong: list[str]
    changes: int
    early: list[str]


@pytest.fixture(scope="module")
def wrong_exchange(echo_client):
    """Let a client exchange echoes with a server that answers late and wrongly."""
    # Without message types, an answer of another type is correct.
    changes = [str, str.upper, *[str.encode] * echo_client.protocol.has_types]
    wrong, early = [], []

    def answer(connection, message):
        change = changes[len(server.received) % len(changes)]
        if change is not str:
            wrong.append(message)
        try:
            early.append(connection.recv(timeout=PACE_S))
        except TimeoutError:
            connection.send(change(message))

    with closing(EchoServer(echo_client.protocol, answer)) as server:
        exchanged = run_exchange(echo_client, server)
        return WrongExchange(
            **vars(exchanged), wrong=wrong, changes=len(changes), early=early
        )


def test_it_sends_again_only_after_an_answer(wrong_exchange):
    expect_success(wrong_exchange.finished)
    assert wrong_exchange.early == []


def test_a_wrong_answer_is_counted_and_the_exchange_continues(wrong_exchange):
    finished, wrong = wrong_exchange.finished, len(wrong_exchange.wrong)
    expect_success(finished)
    assert finished.result["wrong"] == wrong >= wrong_exchange.changes - 1
    correct_answers = len(wrong_exchange.server.received) - wrong
    assert 0 < finished.result["echoed"] <= correct_answers


@pytest.mark.where("HTTP")
def test_the_window_starts_when_the_last_connection_is_open(echo_client, echo_server):
    requests = []
    has_exchanged = threading.Event()

    def process_request(connection, request):
        requests.append(request)
        if len(requests) > 1:
            assert has_exchanged.wait(LIMIT_S)

    def answer(connection, message):
        echo(connection, message)
        # The first connection lasts longer than the whole window.
        if server.received_at_s[-1] - server.received_at_s[0] > 2 * WINDOW_S:
            has_exchanged.set()

    server = echo_server(answer, process_request)
    finished = echo_client.run(**environment(server.url, CONNECTIONS="2"))
    expect_success(finished)
    expect_count(finished.result["connections"], 2, "connections")
    assert server.wait_for_close_codes(2) == [1000] * 2


def test_a_server_that_ends_the_exchange_causes_a_status_with_a_reason(
    echo_client, raw_server, end
):
    def serve_three(peer):
        peer.upgrade()
        for _ in range(3):
            peer.send(peer.read_text())
        peer.read_text()
        end(peer)

    server = raw_server(serve_three)
    finished = echo_client.run(**environment(server.url, WINDOW_S="60"))
    server.served.result()
    expect_failure(finished)


def test_the_end_of_one_connection_ends_all(echo_client, echo_server):
    threads = []

    def answer(connection, message):
        if threading.current_thread() not in threads:
            threads.append(threading.current_thread())
        if len(threads) > 1 and threading.current_thread() is threads[1]:
            connection.close(1001)
        else:
            echo(connection, message)

    server = echo_server(answer)
    url, connections = server.url, "2"
    finished = echo_client.run(
        **environment(url, CONNECTIONS=connections, WINDOW_S="60")
    )
    expect_failure(finished)


def test_a_connection_that_is_refused_causes_a_status_with_a_reason(
    echo_client, unused_url
):
    expect_failure(echo_client.run(**environment(unused_url)))


@pytest.mark.where("HTTP")
def test_one_refused_handshake_ends_all(echo_client, echo_server):
    requests = []

    def process_request(connection, request):
        requests.append(request)
        return connection.respond(404, "no\n") if len(requests) > 1 else None

    server = echo_server(process_request=process_request)
    expect_failure(echo_client.run(**environment(server.url, CONNECTIONS="2")))


def test_an_invalid_environment_causes_status_2_and_names_the_variable(
    echo_client, choose_cases
):
    url = "ws://127.0.0.1:1/echo"
    cases = [
        ("URL", {"WORKLOAD": "echo", "WINDOW_S": "1"}),
        ("URL", environment("http://127.0.0.1:1/echo")),
        ("WINDOW_S", {"WORKLOAD": "echo", "URL": url}),
        ("WINDOW_S", environment(url, WINDOW_S="0")),
        ("WINDOW_S", environment(url, WINDOW_S="two")),
        ("WARM_UP_S", environment(url, WARM_UP_S="-1")),
        ("CONNECTIONS", environment(url, CONNECTIONS="0")),
        ("WORKLOAD", environment(url, WORKLOAD="sing")),
    ]
    cases = choose_cases(cases)
    finished = echo_client.run_all(given for _, given in cases)
    for (variable, _), ended in zip(cases, finished, strict=True):
        expect_refusal(ended, variable)


def test_it_ends_on_sigterm(echo_client, echo_server):
    is_exchanging = threading.Event()

    def answer(connection, message):
        echo(connection, message)
        is_exchanging.set()

    server = echo_server(answer)
    with echo_client.start(**environment(server.url, WINDOW_S="60")) as process:
        assert is_exchanging.wait(LIMIT_S)
        os.kill(process.pid, signal.SIGTERM)
        process.wait(time.monotonic() + TERMINATION_S)
        assert not process.has_group()
