"""The contract, clauses 8.5 to 8.9, for every server and variant."""

import socket
import struct
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from peers.engine import failures
from websockets.exceptions import ConnectionClosed

pytestmark = pytest.mark.where("feed")

LIMIT_S = 60
HANDED_MAX = 64
CHECKED_MAX = 3
LATE_S = 1.5
"""Longer than a library waits for the answer to its closing frame."""

LATE = ["sequence json", "stocks binary", "large"]
"""Feeds that the kernel's buffers hold, or not; of the last, one of two is late."""

ANSWER_BYTES_MAX = 1024
"""Longer than any answer to a request to join."""


class Attendance(NamedTuple):
    """What a member got, each message with its instant, and how and when it ended."""

    received: list[tuple[int, Any]]
    code: int
    ended_ns: int


def planned(server):
    """Return how many messages are planned for each member; None: as many as fit."""
    settings = server.environment
    if "MESSAGES" in settings:
        return int(settings["MESSAGES"])
    if "EVERY_MS" in settings:
        return round(float(settings["SECONDS"]) * 1000 / float(settings["EVERY_MS"]))
    return None


def members(server):
    return int(server.environment.get("SUBSCRIBERS", 1))


def hear(connection):
    """Return what comes until the connection is closed, each with its instant."""
    received = []
    with suppress(ConnectionClosed):
        while True:
            message = connection.recv(timeout=LIMIT_S)
            received.append((time.monotonic_ns(), message))
    return received


def attend(server):
    """
    Attend a feed with all of its subscribers; return the attendance of each.

    Of as many as fit, narrow buffers hold fewer: Python takes long to read a million.
    """
    is_narrow = planned(server) is None

    def listen(_):
        with server.connect("/feed", is_narrow=is_narrow) as connection:
            received = hear(connection)
            return Attendance(received, connection.close_code, time.monotonic_ns())

    with ThreadPoolExecutor(members(server)) as threads:
        return list(threads.map(listen, range(members(server))))


def test_a_feed_is_what_the_engine_expects(load_at, feeding):
    check_by_engine(load_at, feeding)


@pytest.mark.where("first of its kit")
def test_a_feed_of_the_kit_is_what_the_engine_expects(load_at, feeding_of_kit):
    check_by_engine(load_at, feeding_of_kit)


def check_by_engine(load_at, feeding):
    settings = feeding.environment
    feed = {"kind": settings["FEED"], "encoding": settings["ENCODING"]}
    # Ends with the feed: all connections are closed before the window is over.
    workload = {"kind": "receive", "feed": feed, "phases": {"window_s": 20}}
    result = load_at(feeding, "/feed", connections=members(feeding), workload=workload)
    assert (failures(result), result["wrong"]) == ({}, 0)
    assert result["ended"] == "closed"
    handed = feeding.result()
    if result["sequence"]:
        assert result["sequence"]["missing"] == 0
        assert result["sequence"]["in_order"] == result["messages"]
    # What came before the last connection was open is not in the engine's window.
    assert result["messages"] <= handed["messages"]
    if planned(feeding) is not None:
        assert handed["messages"] == planned(feeding) * members(feeding)


def test_a_feed_is_as_documented_byte_for_byte(feeding, vectors):
    check_bytes(feeding, vectors)


@pytest.mark.where("first of its kit")
def test_a_feed_of_the_kit_is_as_documented_byte_for_byte(feeding_of_kit, vectors):
    check_bytes(feeding_of_kit, vectors)


def check_bytes(feeding, vectors):
    settings = feeding.environment
    kind, encoding = settings["FEED"], settings["ENCODING"]
    stocks = int(settings.get("STOCKS", 1))
    heard = attend(feeding)
    # The same for all, and for second subscribers the same as for the first.
    messages = [message for _, message in heard[0].received]
    for each in heard:
        assert each.code == 1000
        assert [message for _, message in each.received] == messages
    assert len(messages) == (planned(feeding) or len(messages)) > 0
    if planned(feeding) and kind in ("hello", "sequence"):
        handed = feeding.result()
        payloads = [m.encode() if isinstance(m, str) else m for m in messages]
        assert handed["bytes"] == sum(map(len, payloads)) * members(feeding)
    else:
        feeding.result()
    instants_ns = []
    for number, message in enumerate(messages[:CHECKED_MAX]):
        time_ns = instant_of(kind, encoding, message)
        case = vectors.feed_case(kind, encoding, number, time_ns, stocks)
        expected = case["text"] if "text" in case else bytes.fromhex(case["hex"])
        assert message == expected
        instants_ns.append(time_ns)
    check_instants(settings, kind, instants_ns, heard)
    if kind in ("clock", "stocks") and "EVERY_MS" in settings:
        time_ns = instant_of(kind, encoding, messages[-1])
        over_ns = time_ns + int(settings["EVERY_MS"]) * 1_000_000
        # Closing would make the last message late.
        assert min(each.ended_ns for each in heard) > over_ns


def instant_of(kind, encoding, message):
    """Return the instant of a message, and 0 where it has none."""
    if kind == "clock":
        return int(message) if encoding == "json" else int.from_bytes(message, "big")
    if kind == "stocks" and encoding == "json":
        return int(message.partition('"time_ns":')[2].partition(",")[0])
    return struct.unpack_from(">Q", message, 8)[0] if kind == "stocks" else 0


def check_instants(settings, kind, instants_ns, heard):
    if kind not in ("clock", "stocks"):
        return
    assert instants_ns == sorted(instants_ns)
    for each in heard:
        for time_ns, (received_ns, _) in zip(instants_ns, each.received, strict=False):
            assert 0 < time_ns < received_ns
    if "EVERY_MS" in settings:
        every_ns = int(settings["EVERY_MS"]) * 1_000_000
        steps = [later - earlier for earlier, later in pairwise(instants_ns)]
        assert set(steps) == {every_ns}


def open_without_reading(server):
    """Join a feed, and take nothing; return the socket."""
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    assert server.url  # It listens.
    peer.connect((server.host, server.port))
    server.protocol.join_by_hand(peer, "/feed")
    return peer


def reset(peer):
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def test_a_member_that_reads_nothing_holds_up_nobody(load_at, fleet):
    server = fleet["slow"]
    feed = {"kind": "stocks", "encoding": "binary"}
    workload = {"kind": "receive", "feed": feed, "messages": planned(server)}
    peer = open_without_reading(server)
    try:
        result = load_at(server, "/feed", workload=workload, limit_s=LIMIT_S)
    finally:
        reset(peer)
    assert (failures(result), result["wrong"]) == ({}, 0)
    assert result["sequence"]["in_order"] == planned(server)


@pytest.mark.where("paced")
def test_without_an_interval_the_slowest_member_sets_the_pace(fleet):
    server = fleet["stocks binary"]
    peer = open_without_reading(server)
    await_feed(peer)
    # As long as it feeds: nothing happens then that could be waited for.
    time.sleep(float(server.environment["SECONDS"]))
    reset(peer)
    # What the buffers of both kernels and of the library have room for, and no more.
    assert 0 < server.result()["messages"] < HANDED_MAX


def await_feed(peer):
    """Wait until more has come than the answer to an opening request is long."""
    peer.settimeout(LIMIT_S)
    peer.recv(ANSWER_BYTES_MAX, socket.MSG_PEEK | socket.MSG_WAITALL)


@pytest.mark.where("unpaced")
def test_without_a_pace_nobody_is_waited_for(load_at, fleet):
    server = fleet["large"]
    feed = {"kind": "stocks", "encoding": "binary"}
    workload = {"kind": "receive", "feed": feed, "messages": planned(server)}
    peer = open_without_reading(server)
    try:
        result = load_at(server, "/feed", workload=workload, limit_s=LIMIT_S)
    finally:
        reset(peer)
    assert server.result()["messages"] == planned(server) * members(server)
    assert (failures(result), result["wrong"]) == ({}, 0)


def test_who_leaves_does_not_stop_the_feed(fleet):
    server = fleet["sequence binary"]
    with ExitStack() as stack:
        stays, *others = [
            stack.enter_context(server.connect("/feed")) for _ in range(members(server))
        ]
        assert stays.recv(timeout=20) == (0).to_bytes(8, "big")
        for number, other in enumerate(others):
            if number % 2:
                other.close()
            else:
                # Of a feed that is over already, there is nothing to leave.
                with suppress(OSError):
                    other.socket.shutdown(socket.SHUT_RDWR)
        rest = list(stays)
    assert rest == [number.to_bytes(8, "big") for number in (1, 2, 3)]
    assert stays.close_code == 1000
    server.result()


def test_who_reads_late_still_gets_everything(fleet):
    servers = [fleet[name] for name in LATE]
    with ThreadPoolExecutor(len(servers)) as threads:
        heard = list(threads.map(attend_late, servers))
    for server, of_members in zip(servers, heard, strict=True):
        handed = server.result()["messages"] // members(server)
        assert of_members == [(handed, 1000)] * members(server)
        assert planned(server) in (None, handed)


def attend_late(server):
    """Attend a feed, the first member late; return how much each got, and its end."""

    def listen(number):
        with server.connect("/feed", is_narrow=True) as connection:
            if number == 0:
                time.sleep(LATE_S)
            return len(hear(connection)), connection.close_code

    with ThreadPoolExecutor(members(server)) as threads:
        return list(threads.map(listen, range(members(server))))


def test_what_a_member_sends_is_ignored(fleet):
    # It does not end before it is read: buffers have no room for all of it.
    server = fleet["stocks binary"]
    with server.connect("/feed", is_narrow=True) as member:
        for _ in range(3):
            member.send("hello?")
        messages = list(member)
    assert 0 < len(messages) == server.result()["messages"]
