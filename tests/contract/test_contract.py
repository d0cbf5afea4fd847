"""The contract, sections 1 to 4, for every contestant and variant."""

import os
import re
import signal
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from peers.expect import (
    expect_close,
    expect_count,
    expect_failure,
    expect_refusal,
    expect_success,
)
from peers.program import LIMIT_S, Finished

from autostrada.machine.process import Process
from autostrada.runner.endpoints import ClientResult
from autostrada.runner.lines import parse_line
from autostrada.workloads.report import SecondReport

MESSAGES = 2_000
TEXT = "grüezi 👋"
TERMINATION_S = 5.0
RESULT_KEYS = {
    "event",
    "connections",
    "messages",
    "opened_ns",
    "received_ns",
}


def pushing(protocol, *, text="hello world", connections=1, **settings):
    """Run a push server."""
    workload = {"kind": "push", "payload": {"text": text}}
    return protocol.serving(workload=workload, connections=connections, **settings)


@pytest.fixture
def push(protocol):
    """Return a function that starts a push server."""
    with ExitStack() as stack:

        def start(**settings):
            return stack.enter_context(pushing(protocol, **settings))

        yield start


def receive(client, server, *, messages=MESSAGES, connections=1, **environment):
    return client.run(
        URL=client.protocol.address(server.url, f"/{messages}"),
        MESSAGES=str(messages),
        CONNECTIONS=str(connections),
        **environment,
    )


def modification_times(*folders):
    return {
        path: path.stat().st_mtime_ns
        for folder in folders
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts
    }


@dataclass(frozen=True)
class Reception:
    """One successful run, seen from both ends, with the time before and after it."""

    started_ns: int
    finished: Finished
    ended_ns: int
    served: dict
    files: tuple[dict[Path, int], dict[Path, int]]


@pytest.fixture(scope="module")
def reception(client, tmp_path_factory):
    """Let a client receive; record files and the clock before and after."""
    home = tmp_path_factory.mktemp("home")
    folders = [client.contestant.folder, client.built.folder, home]
    with pushing(client.protocol, text=TEXT) as server:
        before, started_ns = modification_times(*folders), time.monotonic_ns()
        finished = receive(client, server, HOME=str(home), TMPDIR=str(home))
        ended_ns, after = time.monotonic_ns(), modification_times(*folders)
        expect_success(finished)
        served = server.result()
    return Reception(started_ns, finished, ended_ns, served, (before, after))


def test_its_build_has_a_version_and_a_toolchain(client):
    assert re.search(r"\d", client.built.version)
    assert client.built.toolchain


def test_it_counts_what_is_pushed_and_closes_with_1000(client, reception):
    finished, served = reception.finished, reception.served
    expect_success(finished, is_silent=True)
    expect_count(served["messages"], MESSAGES)
    expect_count(finished.result["messages"], MESSAGES)
    assert served["ended"] == "complete"
    expect_close(served["close_code"], client.protocol)
    assert served["acknowledged_bytes"] == served["wire_bytes"]


@pytest.mark.where("frames")
def test_it_counts_what_is_pushed_until_the_server_closes(client):
    has_pings = client.contestant.protocol == "websocket"
    pings = {"after": [10, MESSAGES - 1, MESSAGES]} if has_pings else None
    workload = {
        "kind": "push",
        "seconds": 0.2,
        "frames_per_write": "one",
        "pings": pings,
    }
    with client.protocol.serving(workload=workload, connections=1) as server:
        url = client.protocol.address(server.url, f"/{MESSAGES}")
        finished = client.run(URL=url, MESSAGES=str(2**31 - 1))
        expect_success(finished)
        served = server.result()
    assert finished.result["messages"] == served["messages"] >= MESSAGES
    assert served["ended"] == "complete"
    # Some libraries leave out the answer to a ping just before a closing frame.
    assert served["pings_unanswered"] <= 1, "it does not answer all pings: clause 3.1"
    assert bool(served["marks"]) is has_pings


def test_its_last_line_is_a_result_and_has_no_other_keys(reception):
    *seconds, result = (
        parse_line(line, ClientResult) for line in reception.finished.lines
    )
    assert isinstance(result, ClientResult)
    assert all(isinstance(second, SecondReport) for second in seconds)
    assert set(reception.finished.result) - {"bytes"} == RESULT_KEYS
    instants = [result.opened_ns, result.received_ns]
    instants = [reception.started_ns, *instants, reception.ended_ns]
    assert instants == sorted(instants)


def test_it_writes_no_file(reception):
    before, after = reception.files
    assert after == before


@pytest.fixture(scope="module")
def by_hand(client):
    """Let a client receive one message with lines in the autoroute format."""
    with pushing(client.protocol) as server:
        finished = receive(client, server, messages=1, LINES="autoroute")
        expect_success(finished)
        return finished, server.result()


def test_it_receives_a_single_message(client, by_hand):
    _, served = by_hand
    assert (served["messages"], served["ended"]) == (1, "complete")
    expect_close(served["close_code"], client.protocol)


def test_it_prints_the_configured_autoroute_lines(client, by_hand):
    finished, _ = by_hand
    found = re.search(r"AUTOROUTE (.+?) :: ([0-9.]+) ?(ms|s)", finished.lines[-1])
    assert found[1] == client.contestant.folder.name
    assert (found[2].isdigit(), found[3]) == (True, "ms")


def test_it_opens_the_configured_number_of_connections(client, push):
    server = push(connections=2)
    finished = receive(client, server, connections=2)
    expect_success(finished)
    expect_count(finished.result["connections"], 2, "connections")
    expect_count(finished.result["messages"], 2 * MESSAGES)
    for _ in range(2):
        served = server.result()
        assert served["messages"] == MESSAGES
        expect_close(served["close_code"], client.protocol)


def test_it_prints_the_messages_of_each_second(client, raw_server):
    second_was_printed = threading.Event()

    def serve(peer):
        peer.upgrade()
        peer.send("one", "two", "three")
        second_was_printed.wait()
        peer.send("four", "five")
        code = peer.read_close()
        peer.close(1000)
        return code

    server = raw_server(serve)
    with client.start(URL=server.url, MESSAGES="5") as process:
        try:
            line = process.read_line(time.monotonic() + LIMIT_S)
        finally:
            second_was_printed.set()
        more = [line for line in iter_lines(process) if '"second"' not in line]
    second = parse_line(line, ClientResult)
    assert (second.second, second.messages) == (0, 3)
    assert parse_line(more[-1], ClientResult).messages == 5
    expect_close(server.served.result())


def iter_lines(process: Process):
    while (line := process.read_line(time.monotonic() + LIMIT_S)) is not None:
        yield line


def test_it_succeeds_if_the_server_closes_early(client, raw_server, end):
    def serve(peer):
        peer.upgrade()
        peer.send("one", "two", "three")
        end(peer)

    server = raw_server(serve)
    finished = client.run(URL=server.url, MESSAGES="10")
    server.served.result()
    expect_success(finished)
    counted = finished.result["messages"]
    # A reset may discard data that the library has not delivered yet.
    is_proper = end.__name__ == "close_properly"
    assert counted in ([3] if is_proper else [0, 1, 2, 3])


def test_a_refused_connection_causes_a_status_with_a_reason(client, unused_url):
    finished = client.run(URL=unused_url, MESSAGES="10")
    expect_failure(finished)


@pytest.fixture(scope="module")
def refusal(client, raw_server_of):
    """Refuse a client's handshake; return the request's fields and the client's end."""

    def serve(peer):
        fields = peer.read_request()
        peer.connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        return fields

    with raw_server_of(client.protocol, serve) as server:
        finished = client.run(URL=server.url, MESSAGES="10")
        return server.served.result(), finished


@pytest.mark.where("HTTP")
def test_a_refused_handshake_causes_a_status_with_a_reason(refusal):
    _, finished = refusal
    expect_failure(finished)


@pytest.mark.where("frames")
def test_a_rejected_message_causes_a_status_with_a_reason(client, raw_server):
    detects_errors = client.contestant.manifest.client.refusals

    def serve(peer):
        peer.upgrade()
        peer.send("one")
        # A reserved opcode.
        peer.send_last_frame(0x83, b"what?", is_answered=detects_errors)

    server = raw_server(serve)
    finished = client.run(URL=server.url, MESSAGES="10")
    server.served.result()
    if detects_errors:
        assert finished.status not in (0, 2), finished.lines
        assert not any('"result"' in line for line in finished.lines)
        assert finished.stderr.splitlines()[-1]
    else:
        expect_success(finished)
        # A library that does not check opcodes delivers the invalid frame as a message.
        assert finished.result["messages"] <= 2
    assert "Traceback" not in finished.stderr


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
    assert is_counted != client.contestant.manifest.client.validates_utf8, finished


def test_an_invalid_environment_causes_status_2_and_names_the_variable(
    client, choose_cases
):
    url = "ws://127.0.0.1:1/10"
    cases = [
        ("URL", {"MESSAGES": "10"}),
        ("URL", {"URL": "http://127.0.0.1:1/10", "MESSAGES": "10"}),
        ("MESSAGES", {"URL": url}),
        ("MESSAGES", {"URL": url, "MESSAGES": "ten"}),
        ("MESSAGES", {"URL": url, "MESSAGES": "0"}),
        ("LINES", {"URL": url, "MESSAGES": "1", "LINES": "xml"}),
    ]
    cases = choose_cases(cases)
    finished = client.run_all(given for _, given in cases)
    for (variable, _), ended in zip(cases, finished, strict=True):
        expect_refusal(ended, variable)


@pytest.mark.where("HTTP")
def test_it_offers_no_compression(refusal):
    fields, _ = refusal
    assert fields["upgrade"].lower() == "websocket"
    assert "sec-websocket-extensions" not in fields


@pytest.mark.where("client compression")
def test_it_offers_compression_if_claimed_and_configured(client, push):
    server = push(compression={})
    finished = receive(client, server, COMPRESSION="deflate")
    served = server.result()
    expect_success(finished, is_silent=True)
    expect_count(served["messages"], MESSAGES)
    expect_count(finished.result["messages"], MESSAGES)
    # With context takeover, "hello world" is encoded as a reference to earlier
    # messages.
    assert served["wire_bytes"] < served["bytes"]


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
