"""The published programs, section 2: clients of feeds."""

import json
import threading
import time
from contextlib import ExitStack

import pytest
import vectors
from peers.expect import expect_close, expect_count, expect_refusal, expect_success
from peers.program import LIMIT_S, finish
from peers.raw_peers import ENDS

pytestmark = pytest.mark.clause("published 2.1")

KINDS = ["stocks", "hello", "sequence", "clock"]
"""Every client receives the first kind, which has all keys of a result."""

MESSAGES = 50
DELAY_NS = 50_000_000
KEYS = {
    *("event", "connections", "messages", "bytes", "opened_ns", "received_ns"),
    *("wrong", "sequence", "latency_ns"),
}


@pytest.fixture
def feed(protocol):
    """Return a function that starts the engine with a feed and returns its address."""
    with ExitStack() as stack:

        def start(kind, encoding="json", *, messages=MESSAGES, **settings):
            plan = {"kind": kind, "encoding": encoding, "messages": messages} | settings
            serving = protocol.serving(feed=plan)
            return protocol.address(stack.enter_context(serving).url, "/feed")

        yield start


def check_latencies(result, messages):
    """Check the number of latencies, and that each has three significant digits."""
    counts = result["latency_ns"]
    assert sum(counts.values()) == messages
    for latency_ns in counts:
        assert latency_ns == str(int(latency_ns))
        assert latency_ns[3:].strip("0") == ""


def in_order(messages):
    others = dict.fromkeys(
        ["gaps", "missing", "duplicates", "reordered", "unexpected"], 0
    )
    return {"in_order": messages} | others


@pytest.mark.parametrize("encoding", ["json", "binary"])
def test_it_receives_each_feed_until_the_server_closes(
    client, feed, encoding, choose_cases
):
    settings, kinds = {"stocks": {"stocks": 3}}, choose_cases(KINDS)
    all_finished = client.run_all(
        {
            "URL": feed(kind, encoding, **settings.get(kind, {})),
            "FEED": kind,
            "ENCODING": encoding,
        }
        for kind in kinds
    )
    for kind, finished in zip(kinds, all_finished, strict=True):
        expect_success(finished)
        result = finished.result
        assert set(result) - {"cut_off"} == KEYS
        assert (result["connections"], result["messages"]) == (1, MESSAGES)
        assert result["wrong"] == 0
        if kind in ("sequence", "stocks"):
            assert result["sequence"] == in_order(MESSAGES)
        else:
            assert result["sequence"] is None
        if kind in ("clock", "stocks"):
            check_latencies(result, MESSAGES)
        else:
            assert result["latency_ns"] is None


@pytest.mark.clause("published 2.3")
def test_each_of_many_connections_is_checked_separately(client, feed):
    url = feed("stocks", subscribers=16, every_ms=5, messages=10)
    finished = client.run(URL=url, FEED="stocks", CONNECTIONS="16")
    expect_success(finished)
    assert (finished.result["connections"], finished.result["messages"]) == (16, 160)
    assert finished.result["sequence"] == in_order(160)
    check_latencies(finished.result, 160)


def test_it_closes_after_the_configured_number_of_messages(client, raw_server):
    def serve(peer):
        peer.upgrade()
        peer.send("7", "8", "9", "10", "11")
        code, closing_ns = peer.read_close(), time.monotonic_ns()
        peer.close(1000)
        return code, closing_ns

    server = raw_server(serve)
    finished = client.run(URL=server.url, FEED="sequence", MESSAGES="3")
    code, closing_ns = server.served.result()
    expect_close(code)
    expect_success(finished)
    result = finished.result
    assert (result["messages"], result["bytes"]) == (3, 3)
    assert result["sequence"] == in_order(3)
    assert result["opened_ns"] < result["received_ns"] < closing_ns


@pytest.mark.clause("published 2.3")
def test_it_classifies_numbers_and_counts_wrong_messages(client, raw_server, protocol):
    numbers = [5, 6, 8, 9, 9, 7, 7, 20, 3, 19, *range(21, 200), 10, 10**12, 200]
    wrong = ["", "grüezi 日本語", "-1", "0200", str(2**53), "200 "]
    wrong_total = len(wrong) + protocol.has_types
    texts = [*map(str, numbers), *wrong, *["201"] * (1 + protocol.has_types)]

    def serve(peer):
        peer.upgrade()
        for number in numbers:
            peer.send(str(number))
        peer.send(*wrong)
        if protocol.has_types:
            peer.send_binary(b"201")
        peer.send("201")
        peer.close(1000)
        peer.read_close()

    server = raw_server(serve)
    finished = client.run(URL=server.url, FEED="sequence")
    server.served.result()
    expect_success(finished)
    expected = vectors.sequence_case("", [*numbers, 201])["counts"]
    assert finished.result["sequence"] == expected
    assert finished.result["wrong"] == wrong_total
    assert finished.result["messages"] == len(texts)
    assert finished.result["bytes"] == sum(len(text.encode()) for text in texts)


@pytest.mark.clause("published 2.3")
def test_latency_is_measured_from_the_timestamp_to_the_delivery(client, raw_server):
    def serve(peer):
        peer.upgrade()
        for _ in range(10):
            peer.send(str(time.monotonic_ns() - DELAY_NS))
        peer.send(str(time.monotonic_ns() + 3_600_000_000_000))
        peer.close(1000)
        peer.read_close()

    server = raw_server(serve)
    started_ns = time.monotonic_ns()
    finished = client.run(URL=server.url, FEED="clock")
    longest_ns = DELAY_NS + time.monotonic_ns() - started_ns
    server.served.result()
    expect_success(finished)
    check_latencies(finished.result, 10)
    for latency_ns in map(int, finished.result["latency_ns"]):
        # Rounded to three digits.
        assert DELAY_NS <= latency_ns <= 1.005 * longest_ns
    assert finished.result["wrong"] == 1


def test_long_messages_are_received(client, feed):
    url = feed("stocks", stocks=60_000, messages=2)
    finished = client.run(URL=url, FEED="stocks")
    expect_success(finished)
    assert finished.result["sequence"] == in_order(2)
    assert finished.result["bytes"] > 2 * 3_500_000


@pytest.mark.clause("published 2.2")
@pytest.mark.where("decode")
@pytest.mark.parametrize("encoding", ["json", "binary"])
def test_it_decodes_whole_messages(client, raw_server, encoding):
    def message(number, bars):
        case = vectors.feed_case("stocks", encoding, number, 42, 1, bars)
        return case["text"] if "text" in case else bytes.fromhex(case["hex"])

    def serve(peer):
        peer.upgrade()
        # The second one has too few bars, which only whole decoding finds.
        for each in (message(0, 2), message(1, 1), message(2, 2)):
            (peer.send if encoding == "json" else peer.send_binary)(each)
        peer.close(1000)
        peer.read_close()

    environment = {"FEED": "stocks", "ENCODING": encoding, "BARS": "2"}
    servers = [raw_server(serve) for _ in range(2)]
    of_heading, of_all = client.run_all(
        [
            {"URL": servers[0].url} | environment,
            {"URL": servers[1].url, "DECODE": "whole"} | environment,
        ]
    )
    for server, finished, numbers in zip(
        servers, (of_heading, of_all), ([0, 1, 2], [0, 2]), strict=True
    ):
        server.served.result()
        expect_success(finished)
        result = finished.result
        assert (result["messages"], result["wrong"]) == (3, 3 - len(numbers))
        assert result["sequence"] == vectors.sequence_case("", numbers)["counts"]


@pytest.mark.where("seconds")
def test_it_ends_itself_while_it_receives(client, feed):
    url = feed("clock", every_ms=20, messages=100_000)
    finished = client.run(URL=url, FEED="clock", SECONDS="0.5")
    expect_success(finished)
    result = finished.result
    assert set(result) == KEYS | {"cut_off"}
    assert result["cut_off"] is True
    assert 0 < result["messages"] < 100_000
    check_latencies(result, result["messages"])


@pytest.mark.where("seconds")
def test_it_is_not_cut_off_if_the_feed_ends_first(client, feed):
    finished = client.run(URL=feed("clock"), FEED="clock", SECONDS="600")
    expect_success(finished)
    assert finished.result["cut_off"] is False
    expect_count(finished.result["messages"], MESSAGES)


def test_it_prints_seconds_and_accepts_each_end_of_a_feed(
    client, raw_server, choose_cases
):
    ends, were_received = choose_cases(ENDS), threading.Event()

    def serving(end):
        def serve(peer):
            peer.upgrade()
            peer.send("1", "2")
            # A reset may discard messages that were sent before it.
            assert were_received.wait(LIMIT_S)
            end(peer)

        return raw_server(serve)

    servers = [serving(end) for end in ends]
    with ExitStack() as stack:
        # All at once, because each client prints its count only after a second.
        processes = [
            stack.enter_context(client.start(URL=server.url, FEED="sequence"))
            for server in servers
        ]
        try:
            seconds = [read_json(process) for process in processes]
        finally:
            were_received.set()
        all_finished = [finish(process) for process in processes]
    for end, server, second, finished in zip(
        ends, servers, seconds, all_finished, strict=True
    ):
        server.served.result()
        assert finished.status == 0, (end, finished.stderr)
        assert second == {"event": "second", "second": 0, "messages": 2, "bytes": 2}
        assert finished.result["sequence"] == in_order(2), end


def read_json(process):
    return json.loads(process.read_line(time.monotonic() + LIMIT_S))


@pytest.mark.clause("2.5")
def test_an_invalid_environment_causes_status_2_and_names_the_variable(
    client, choose_cases
):
    valid = {"URL": "ws://127.0.0.1:1/feed", "FEED": "stocks"}
    wrong = [("FEED", "weather"), ("ENCODING", "xml")]
    wrong += [("MESSAGES", "all"), ("CONNECTIONS", "two")]
    if client.subject.claims.decode:
        wrong += [("DECODE", "all"), ("BARS", "0")]
    if client.subject.claims.seconds:
        wrong += [("SECONDS", "0"), ("SECONDS", "nan")]
    cases = [(name, valid | {name: value}) for name, value in wrong]
    cases = choose_cases([*cases, ("URL", {"FEED": "stocks"})])
    all_finished = client.run_all(given for _, given in cases)
    for (variable, _), finished in zip(cases, all_finished, strict=True):
        expect_refusal(finished, variable)
