"""The published programs, section 1: servers of feeds."""

import socket
import struct
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
import vectors
from peers.expect import expect_answer, expect_count, expect_no_failures
from peers.program import LIMIT_S
from websockets.exceptions import ConnectionClosed

pytestmark = [pytest.mark.where("feed"), pytest.mark.clause("published 1.2")]

SENT_MAX = 64
CHECKED_MAX = 3
LATE_S = 1.5
"""Longer than a library waits for the answer to its close frame."""

LATE = ["sequence json", "stocks binary", "stocks binary large"]
"""Feeds that fit into the kernel's buffers, or not; every other subscriber is late."""

ANSWER_BYTES_MAX = 1024
"""Longer than any answer to a request to join."""


class SubscriberRecord(NamedTuple):
    """Received messages of a subscriber, with time; code and time of the end."""

    received: list[tuple[int, Any]]
    code: int
    ended_ns: int


def planned(server):
    """Return the planned number of messages per subscriber; None: unlimited."""
    settings = server.environment
    if "MESSAGES" in settings:
        return int(settings["MESSAGES"])
    if "EVERY_MS" in settings:
        return round(float(settings["SECONDS"]) * 1000 / float(settings["EVERY_MS"]))
    return None


def subscribers(server):
    return int(server.environment.get("SUBSCRIBERS", 1))


def receive_all(connection):
    """Return the messages until the connection closes, each with its time."""
    received = []
    with suppress(ConnectionClosed):
        while True:
            message = connection.recv(timeout=LIMIT_S)
            received.append((time.monotonic_ns(), message))
    return received


def join_all(server):
    """
    Join a feed with all of its subscribers; return the record of each.

    An unlimited feed uses narrow buffers, because Python takes long to read a million
    messages.
    """
    is_narrow = planned(server) is None

    def join(_):
        with server.connect("/feed", is_narrow=is_narrow) as connection:
            received = receive_all(connection)
            return SubscriberRecord(
                received, connection.close_code, time.monotonic_ns()
            )

    with ThreadPoolExecutor(subscribers(server)) as threads:
        return list(threads.map(join, range(subscribers(server))))


def test_echo_shows_that_it_is_ready(pool):
    with pool["sequence json"].connect("/echo") as connection:
        for message in ("hello", b"\x00\xff"):
            connection.send(message)
            expect_answer(connection, message)


@pytest.mark.where("complete")
def test_a_feed_is_what_the_engine_expects(feeding):
    check_by_engine(feeding)


@pytest.mark.where("first of its kit")
def test_a_feed_of_the_kit_is_what_the_engine_expects(feeding_of_kit):
    check_by_engine(feeding_of_kit)


@pytest.mark.clause("published 1")
@pytest.mark.where("bars")
def test_a_feed_of_series_is_what_the_engine_expects(series):
    check_by_engine(series)


def check_by_engine(feeding):
    settings = feeding.environment
    feed = {"kind": settings["FEED"], "encoding": settings["ENCODING"]}
    # The load ends with the feed: all connections are closed before the window ends.
    workload = {"kind": "receive", "feed": feed, "phases": {"window_s": LIMIT_S}}
    result = feeding.load("/feed", connections=subscribers(feeding), workload=workload)
    expect_no_failures(result)
    expect_count(result["wrong"], 0, "wrong messages")
    assert result["ended"] == "closed"
    sent = feeding.result()
    if result["sequence"]:
        assert result["sequence"]["missing"] == 0
        assert result["sequence"]["in_order"] == result["messages"]
    # Messages before the last connection was open are not in the engine's window.
    assert result["messages"] <= sent["messages"]
    if planned(feeding) is not None:
        assert sent["messages"] == planned(feeding) * subscribers(feeding)


@pytest.mark.clause("published 1")
@pytest.mark.where("complete")
def test_a_feed_is_as_documented_byte_for_byte(feeding):
    check_bytes(feeding)


@pytest.mark.clause("published 1")
@pytest.mark.where("first of its kit")
def test_a_feed_of_the_kit_is_as_documented_byte_for_byte(feeding_of_kit):
    check_bytes(feeding_of_kit)


@pytest.mark.clause("published 1")
@pytest.mark.where("bars")
def test_a_feed_of_series_is_as_documented_byte_for_byte(series):
    check_bytes(series)


def check_bytes(feeding):
    settings = feeding.environment
    kind, encoding = settings["FEED"], settings["ENCODING"]
    stocks = int(settings.get("STOCKS", 1))
    bars = int(settings["BARS"]) if "BARS" in settings else None
    records = join_all(feeding)
    # All subscribers receive the same messages, also in the second group.
    messages = [message for _, message in records[0].received]
    for each in records:
        assert each.code == 1000
        assert [message for _, message in each.received] == messages
    assert len(messages) == (planned(feeding) or len(messages)) > 0
    sent = feeding.result()
    if planned(feeding):
        payloads = [m.encode() if isinstance(m, str) else m for m in messages]
        assert sent["bytes"] == sum(map(len, payloads)) * subscribers(feeding)
    instants_ns = []
    for number, message in enumerate(messages[:CHECKED_MAX]):
        time_ns = instant_of(kind, encoding, message)
        case = vectors.feed_case(kind, encoding, number, time_ns, stocks, bars)
        expected = case["text"] if "text" in case else bytes.fromhex(case["hex"])
        assert message == expected
        instants_ns.append(time_ns)
    if kind not in ("clock", "stocks"):
        return
    check_instants(settings, instants_ns, records)
    if "EVERY_MS" in settings:
        time_ns = instant_of(kind, encoding, messages[-1])
        over_ns = time_ns + int(settings["EVERY_MS"]) * 1_000_000
        # Closing earlier would mean that the last message was too early.
        assert min(each.ended_ns for each in records) > over_ns


def instant_of(kind, encoding, message):
    """Return the time in a message, or 0 if it has none."""
    if kind == "clock":
        return int(message) if encoding == "json" else int.from_bytes(message, "big")
    if kind == "stocks" and encoding == "json":
        return int(message.partition('"time_ns":')[2].partition(",")[0])
    return struct.unpack_from(">Q", message, 8)[0] if kind == "stocks" else 0


def check_instants(settings, instants_ns, records):
    assert instants_ns == sorted(instants_ns)
    for each in records:
        for time_ns, (received_ns, _) in zip(instants_ns, each.received, strict=False):
            assert 0 < time_ns < received_ns
    if "EVERY_MS" in settings:
        every_ns = int(settings["EVERY_MS"]) * 1_000_000
        steps = [later - earlier for earlier, later in pairwise(instants_ns)]
        assert set(steps) == {every_ns}


def receive_beside_an_idle_subscriber(server):
    """Let the engine receive a whole feed while another subscriber reads nothing."""
    feed = {"kind": "stocks", "encoding": "binary"}
    workload = {"kind": "receive", "feed": feed, "messages": planned(server)}
    with server.joined_without_reading("/feed"):
        result = server.load("/feed", workload=workload, limit_s=LIMIT_S)
    expect_no_failures(result)
    expect_count(result["wrong"], 0, "wrong messages")
    return result


def test_a_subscriber_that_reads_nothing_delays_no_other(pool):
    server = pool["stocks binary slow"]
    result = receive_beside_an_idle_subscriber(server)
    assert result["sequence"]["in_order"] == planned(server)


@pytest.mark.clause("published 1.3")
@pytest.mark.where("unpaced")
def test_an_unpaced_feed_waits_for_no_subscriber(pool):
    server = pool["stocks binary large"]
    receive_beside_an_idle_subscriber(server)
    assert server.result()["messages"] == planned(server) * subscribers(server)


@pytest.mark.where("paced")
def test_without_an_interval_the_slowest_subscriber_determines_the_rate(pool):
    server = pool["stocks binary"]
    with server.joined_without_reading("/feed") as peer:
        await_feed(peer)
        # As long as it feeds: nothing happens then that could be waited for.
        time.sleep(float(server.environment["SECONDS"]))
    # At most as many as the buffers of both kernels and of the library hold.
    assert 0 < server.result()["messages"] < SENT_MAX


def await_feed(peer):
    """Wait until more bytes have arrived than the answer to the handshake has."""
    deadline_s = time.monotonic() + LIMIT_S
    while len(peer.recv(ANSWER_BYTES_MAX, socket.MSG_PEEK)) < ANSWER_BYTES_MAX:
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


def test_a_subscriber_that_leaves_does_not_stop_the_feed(pool):
    server = pool["sequence binary"]
    with ExitStack() as stack:
        remaining, *others = [
            stack.enter_context(server.connect("/feed"))
            for _ in range(subscribers(server))
        ]
        expect_answer(remaining, (0).to_bytes(8, "big"))
        for number, other in enumerate(others):
            if number % 2:
                other.close()
            else:
                # A feed that is over has already closed the connection.
                with suppress(OSError):
                    other.socket.shutdown(socket.SHUT_RDWR)
        rest = list(remaining)
    assert rest == [number.to_bytes(8, "big") for number in (1, 2, 3)]
    assert remaining.close_code == 1000
    server.result()


@pytest.mark.clause("published 1.3")
@pytest.mark.where("dropping")
def test_a_dropping_feed_drops_messages_of_a_late_subscriber(pool):
    server = pool["stocks binary large"]
    late, other = join_all_late(server)
    assert server.result()["messages"] == planned(server) * subscribers(server)
    assert 0 < late[0] < planned(server)
    assert (late[1], other[1]) == (1000, 1000)


@pytest.mark.where("complete")
def test_a_subscriber_that_reads_late_receives_everything(pool):
    servers = [pool[name] for name in LATE]
    with ThreadPoolExecutor(len(servers)) as threads:
        records = list(threads.map(join_all_late, servers))
    for server, of_subscribers in zip(servers, records, strict=True):
        sent = server.result()["messages"] // subscribers(server)
        assert of_subscribers == [(sent, 1000)] * subscribers(server)
        assert planned(server) in (None, sent)


def join_all_late(server):
    """Join a feed, the first subscriber late; return each count and close code."""

    def join(number):
        with server.connect("/feed", is_narrow=True) as connection:
            if number == 0:
                time.sleep(LATE_S)
            return len(receive_all(connection)), connection.close_code

    with ThreadPoolExecutor(subscribers(server)) as threads:
        return list(threads.map(join, range(subscribers(server))))
