"""The contract, section 5, for every contestant and variant."""

import json
import os
import re
import signal
import threading
import time

import pytest

WARM_UP_S = 0.3
WINDOW_S = 0.2
LIMIT_S = 60
TERMINATION_S = 5.0


def environment(url, **further):
    return {"WORKLOAD": "echo", "URL": url, "WINDOW_S": str(WINDOW_S)} | further


def expect_failure(finished):
    """Hold what a client has said against clause 5.7."""
    assert finished.status not in (0, 2)
    assert finished.lines == []
    assert finished.stderr.splitlines()[-1]


def test_it_exchanges_one_text_and_closes_with_1000(echo_player, echo_server):
    server = echo_server()
    finished = echo_player.run(**environment(server.url))
    assert (finished.status, finished.stderr) == (0, "")
    assert server.wait_for_close_codes(1) == [1000]
    assert set(server.received) == {"hello world"}
    assert 0 < finished.result["echoed"] <= len(server.received)


@pytest.mark.usefixtures("has_requests")
def test_it_offers_no_compression(echo_player, echo_server):
    server = echo_server()
    assert echo_player.run(**environment(server.url)).status == 0
    (request,) = server.requests
    assert "Sec-WebSocket-Extensions" not in request.headers


def test_its_only_line_is_the_result(echo_player, echo_server):
    finished = echo_player.run(**environment(echo_server().url))
    (line,) = finished.lines
    echoed = json.loads(line)["echoed"]
    assert line == (
        f'{{"event":"result","connections":1,"echoed":{echoed},"wrong":0,'
        f'"window_ns":200000000}}'
    )


def test_it_has_as_many_connections_open_at_once_as_it_is_told(
    echo_player, echo_server
):
    all_are_open = threading.Barrier(3, timeout=LIMIT_S)
    first_messages = threading.local()

    def answer(connection, message):
        # A thread of the server's is a connection.
        if not hasattr(first_messages, "has_come"):
            first_messages.has_come = True
            all_are_open.wait()
        connection.send(message)

    server = echo_server(answer)
    finished = echo_player.run(**environment(server.url, CONNECTIONS="3"))
    assert finished.status == 0, finished.stderr
    assert finished.result["connections"] == 3
    assert finished.result["echoed"] > 0
    assert server.wait_for_close_codes(3) == [1000] * 3


def test_it_sends_the_payload_that_it_is_given(echo_player, echo_server):
    text = "grüezi 👋"
    server = echo_server()
    finished = echo_player.run(**environment(server.url, PAYLOAD=text))
    assert (finished.status, finished.result["wrong"]) == (0, 0)
    assert set(server.received) == {text}


def test_it_sends_again_only_when_it_is_answered(echo_player, echo_server):
    early = []

    def answer(connection, message):
        try:
            early.append(connection.recv(timeout=0.01))
        except TimeoutError:
            connection.send(message)

    finished = echo_player.run(**environment(echo_server(answer).url))
    assert finished.status == 0, finished.stderr
    assert finished.result["echoed"] > 0
    assert early == []


@pytest.mark.parametrize("change", [str.upper, str.encode], ids=["content", "type"])
def test_a_wrong_answer_is_counted_and_the_exchange_goes_on(
    echo_player, echo_server, change, request
):
    if change is str.encode:
        request.getfixturevalue("has_types")
    wrong = []

    def answer(connection, message):
        if len(server.received) % 2:
            wrong.append(message)
            connection.send(change(message))
        else:
            connection.send(message)

    server = echo_server(answer)
    finished = echo_player.run(**environment(server.url))
    assert finished.status == 0, finished.stderr
    assert finished.result["wrong"] == len(wrong) > 0
    assert 0 < finished.result["echoed"] <= len(server.received) - len(wrong)


def test_what_comes_in_the_warm_up_does_not_count(echo_player, echo_server):
    server = echo_server()
    window_at_s = time.monotonic() + WARM_UP_S  # Or later.
    finished = echo_player.run(**environment(server.url, WARM_UP_S=str(WARM_UP_S)))
    assert finished.status == 0, finished.stderr
    assert time.monotonic() >= window_at_s + WINDOW_S
    # After each answer that counts, there was one message more.
    late = [at_s for at_s in server.received_at_s if at_s >= window_at_s]
    assert 0 < finished.result["echoed"] <= len(late)


@pytest.mark.usefixtures("has_requests")
def test_time_runs_when_the_last_connection_is_open(echo_player, echo_server):
    requests = []
    has_exchanged = threading.Event()

    def process_request(connection, request):
        requests.append(request)
        if len(requests) > 1:
            assert has_exchanged.wait(LIMIT_S)

    def answer(connection, message):
        connection.send(message)
        # The first connection goes on for longer than the whole window.
        if server.received_at_s[-1] - server.received_at_s[0] > 2 * WINDOW_S:
            has_exchanged.set()

    server = echo_server(answer, process_request)
    finished = echo_player.run(**environment(server.url, CONNECTIONS="2"))
    assert finished.status == 0, finished.stderr
    assert finished.result["connections"] == 2
    assert server.wait_for_close_codes(2) == [1000] * 2


def test_it_does_not_look_at_the_variables_of_receiving(echo_player, echo_server):
    server = echo_server()
    finished = echo_player.run(
        **environment(server.url, MESSAGES="ten", LINES="autoroute")
    )
    assert finished.status == 0, finished.stderr
    assert finished.result["echoed"] > 0


def test_a_server_that_ends_the_exchange_is_a_status_with_a_reason(
    echo_player, raw_server, end
):
    def serve_three(peer):
        peer.upgrade()
        for _ in range(3):
            peer.send(peer.read_text())
        peer.read_text()
        end(peer)

    server = raw_server(serve_three)
    finished = echo_player.run(**environment(server.url, WINDOW_S="60"))
    server.served.result()
    expect_failure(finished)


def test_the_end_of_one_connection_ends_all(echo_player, echo_server):
    threads = []

    def answer(connection, message):
        if threading.current_thread() not in threads:
            threads.append(threading.current_thread())
        if len(threads) > 1 and threading.current_thread() is threads[1]:
            connection.close(1001)
        else:
            connection.send(message)

    server = echo_server(answer)
    url, connections = server.url, "2"
    finished = echo_player.run(
        **environment(url, CONNECTIONS=connections, WINDOW_S="60")
    )
    expect_failure(finished)


def test_a_connection_that_is_refused_is_a_status_with_a_reason(
    echo_player, unused_url
):
    expect_failure(echo_player.run(**environment(unused_url)))


@pytest.mark.usefixtures("has_requests")
def test_one_refused_handshake_ends_all(echo_player, echo_server):
    requests = []

    def process_request(connection, request):
        requests.append(request)
        return connection.respond(404, "no\n") if len(requests) > 1 else None

    server = echo_server(process_request=process_request)
    expect_failure(echo_player.run(**environment(server.url, CONNECTIONS="2")))


WRONG = {
    "no URL": ("URL", None),
    "another URL": ("URL", "http://127.0.0.1:1/echo"),
    "no WINDOW_S": ("WINDOW_S", None),
    "no time": ("WINDOW_S", "0"),
    "no number": ("WINDOW_S", "two"),
    "less than no time": ("WARM_UP_S", "-1"),
    "no connection": ("CONNECTIONS", "0"),
    "another workload": ("WORKLOAD", "sing"),
}


@pytest.mark.parametrize(("variable", "value"), WRONG.values(), ids=WRONG)
def test_a_wrong_environment_is_status_2_and_names_the_variable(
    echo_player, variable, value
):
    given = environment("ws://127.0.0.1:1/echo") | {variable: value}
    finished = echo_player.run(**{k: v for k, v in given.items() if v is not None})
    assert finished.status == 2
    assert finished.lines == []
    assert re.search(rf"\b{variable}\b", finished.stderr.splitlines()[-1])


def test_it_ends_when_it_is_asked_to(echo_player, echo_server):
    is_exchanging = threading.Event()

    def answer(connection, message):
        connection.send(message)
        is_exchanging.set()

    server = echo_server(answer)
    with echo_player.start(**environment(server.url, WINDOW_S="60")) as process:
        assert is_exchanging.wait(LIMIT_S)
        os.kill(process.pid, signal.SIGTERM)
        process.wait(time.monotonic() + TERMINATION_S)
        assert not process.has_group()
