"""The contract, clauses 4.3 to 4.5, for every server that claims them."""

import time
from contextlib import ExitStack, suppress

import pytest
from peers.expect import expect_answer
from peers.program import LIMIT_S

pytestmark = [pytest.mark.where("publish"), pytest.mark.clause("4.4")]

PROBE = "has everyone joined"
PROBE_S = 0.1
SILENCE_S = 0.3
AT_ONCE = 100
"""
So many messages are published before one is awaited.

A server that ends the connection of a slow subscriber may do so after 256.
"""
MESSAGES = [
    *("one", "", "grüezi 👋", b"\x00\xff", b"", "x" * 50_000),
    *map(str, range(AT_ONCE)),
]
LARGE_BYTES = 512 * 1024
LARGE_MESSAGES = 24
"""These are 12 MiB, more than the kernel's buffers hold."""


class Subscriber:
    """A subscriber; messages that publishers have sent to await it are left out."""

    def __init__(self, connection):
        self.connection = connection

    def recv(self, timeout):
        while (message := self.connection.recv(timeout)) == PROBE:
            pass
        return message

    def receives(self):
        """Return whether it has joined, and thus receives what awaits it."""
        try:
            message = self.connection.recv(PROBE_S)
        except TimeoutError:
            return False
        assert message == PROBE, f"{message[:40]!r} was published before it joined"
        return True


class Room:
    """The publishers and subscribers of one case."""

    def __init__(self, server, stack):
        self._server = server
        self._stack = stack

    def connect(self, path):
        return self._stack.enter_context(self._server.connect(path))

    def subscribe(self, publisher, count=1):
        """
        Connect subscribers, and publish until all receive.

        A server may add a subscriber only after it has answered its handshake.
        """
        joined = [Subscriber(self.connect("/subscribe")) for _ in range(count)]
        waiting, deadline_s = joined, time.monotonic() + LIMIT_S
        while waiting:
            assert time.monotonic() < deadline_s, "a subscriber receives nothing"
            publisher.send(PROBE)
            waiting = [each for each in waiting if not each.receives()]
        return joined


@pytest.fixture
def room(server):
    with ExitStack() as stack:
        yield Room(server, stack)


def expect_silence(*connections):
    """Check that nothing has arrived after a while, except for what awaited others."""
    time.sleep(SILENCE_S)
    for connection in connections:
        with suppress(TimeoutError):
            message = connection.recv(timeout=0.01)
            pytest.fail(f"{message[:40]!r} was sent to a connection that is no target")


def test_all_subscribers_and_no_others_receive_what_is_published(room):
    publisher, echo = room.connect("/publish"), room.connect("/echo")
    subscribers = room.subscribe(publisher, 3)
    subscribers[0].connection.send("this is ignored")
    for message in MESSAGES:
        publisher.send(message)
    for subscriber in subscribers:
        for message in MESSAGES:
            expect_answer(subscriber, message)
    echo.send("hello")
    expect_answer(echo, "hello")
    expect_silence(publisher, *subscribers)


@pytest.mark.clause("4.3")
def test_several_publishers_are_each_received_in_order(room):
    publishers = {name: room.connect("/publish") for name in "ab"}
    (subscriber,) = room.subscribe(publishers["a"])
    numbers = range(AT_ONCE // 2)
    for number in numbers:
        for name, publisher in publishers.items():
            publisher.send(f"{name}{number}")
    received = [subscriber.recv(LIMIT_S) for _ in range(2 * len(numbers))]
    for name in publishers:
        of_one = [each for each in received if each.startswith(name)]
        assert of_one == [f"{name}{number}" for number in numbers]


@pytest.mark.clause("4.3")
def test_a_late_subscriber_receives_what_is_published_from_then_on(room):
    publisher = room.connect("/publish")
    (early,) = room.subscribe(publisher)
    publisher.send("early")
    expect_answer(early, "early")
    (late,) = room.subscribe(publisher)
    publisher.send("late")
    for subscriber in (early, late):
        expect_answer(subscriber, "late")


@pytest.mark.clause("4.2")
def test_the_end_of_one_subscriber_does_not_affect_the_others(room, server):
    publisher = room.connect("/publish")
    with server.joined_without_reading("/subscribe"):
        leaving, staying = room.subscribe(publisher, 2)
    leaving.connection.close()
    for message in MESSAGES:
        publisher.send(message)
        expect_answer(staying, message)


@pytest.mark.clause("4.5")
def test_a_subscriber_that_does_not_read_delays_no_other(room, server):
    publisher = room.connect("/publish")
    with server.joined_without_reading("/subscribe"):
        (subscriber,) = room.subscribe(publisher)
        for number in range(LARGE_MESSAGES):
            message = bytes([number]) * LARGE_BYTES
            publisher.send(message)
            expect_answer(subscriber, message)
