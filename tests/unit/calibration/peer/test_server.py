"""The peer server with a client that checks each message."""

import time
from itertools import pairwise

import pytest
from websockets.exceptions import ConnectionClosedOK
from websockets.sync.client import connect

LIMIT_S = 300
MS = 1_000_000


def stamped(number, due_ns):
    return f"{number:020} {due_ns:020} hello"


def received(connection, count):
    return [connection.recv(timeout=LIMIT_S) for _ in range(count)]


def test_it_echoes_messages_and_reports_their_delay(serving):
    with serving() as (server, url), connect(f"{url}/echo") as connection:
        message = stamped(0, time.monotonic_ns() - 5 * MS)
        connection.send(message)
        assert connection.recv(timeout=LIMIT_S) == message
        server.send("")
        held = server.line()
    assert held["event"] == "held"
    [held_ns] = held["held_ns"]
    assert held_ns >= 5 * MS


@pytest.mark.parametrize(
    ("faults", "messages", "least_ms"),
    [({"delay_ms": 300}, 3, 300), ({"rate_per_s": 20}, 5, 200)],
)
def test_messages_are_delayed_together_or_sent_at_most_at_a_rate(
    serving, faults, messages, least_ms
):
    with serving(faults) as (_, url), connect(f"{url}/echo") as connection:
        begun_ns = time.monotonic_ns()
        sent = [stamped(number, begun_ns) for number in range(messages)]
        for message in sent:
            connection.send(message)
        assert received(connection, messages) == sent
        assert time.monotonic_ns() - begun_ns >= least_ms * MS


def test_a_stall_delays_messages_that_arrive_during_it(serving):
    stall = {"every_ms": 50, "for_ms": 40}
    with serving({"stall": stall}) as (server, url), connect(f"{url}/echo") as peer:
        deadline_s = time.monotonic() + LIMIT_S
        longest_ns = 0
        while longest_ns < 20 * MS and time.monotonic() < deadline_s:
            peer.send(stamped(0, time.monotonic_ns()))
            peer.recv(timeout=LIMIT_S)
            server.send("")
            longest_ns = max(server.line()["held_ns"])
    assert longest_ns >= 20 * MS


def test_the_last_message_of_a_burst_releases_it(serving):
    with serving({"burst": 3}) as (_, url), connect(f"{url}/echo") as connection:
        for message in "abc":
            connection.send(message)
        assert received(connection, 3) == ["a", "b", "c"]


def test_a_feed_is_sent_to_all_subscribers_and_then_closed(serving):
    feed = {"kind": "sequence", "messages": 5, "subscribers": 2}
    faults = {"swap_every": 5}
    with (
        serving(faults, feed) as (_, url),
        connect(f"{url}/feed") as first,
        connect(f"{url}/feed") as second,
    ):
        for connection in (first, second):
            assert received(connection, 5) == list("01234")
            with pytest.raises(ConnectionClosedOK):
                connection.recv(timeout=LIMIT_S)


def test_the_clock_of_a_feed_is_when_each_message_was_due(serving):
    feed = {"kind": "clock", "messages": 4, "subscribers": 1, "every_ms": 2}
    with serving(feed=feed) as (_, url), connect(f"{url}/feed") as connection:
        dues = [int(each) for each in received(connection, 4)]
    assert [b - a for a, b in pairwise(dues)] == [2 * MS] * 3
