"""
Rates that the engine reports, beside what the library at the other end counted.

Both have the same clock. What is on its way when the window begins or ends is counted
by one of them only: at most what is in flight.
"""

import asyncio
import time

import pytest
from peers.background import LIMIT_S
from peers.engine import load, running
from peers.websocket import websocket_peer
from websockets.asyncio.client import connect
from websockets.asyncio.server import broadcast
from websockets.exceptions import ConnectionClosed

PHASES = {"opening_s": 60, "warm_up_s": 0.2, "window_s": 1.0, "drain_s": 5}


def within_window(result, instants_ns):
    """Return how many instants are in the window of a result."""
    start_ns = result["window_start_ns"]
    end_ns = start_ns + result["window_ns"]
    return sum(start_ns <= each < end_ns for each in instants_ns)


async def answer(url, connections):
    """Send each message back until the server closes; return the instants."""
    instants_ns = []

    async def open_one():
        async with connect(url, compression=None) as connection:
            try:
                async for message in connection:
                    instants_ns.append(time.monotonic_ns())
                    await connection.send(message)
            except ConnectionClosed:
                pass

    async with asyncio.timeout(LIMIT_S):
        await asyncio.gather(*(open_one() for _ in range(connections)))
    return instants_ns


def test_replies_are_those_that_the_client_sent():
    connections, in_flight = 5, 3
    with running(
        "load",
        url="ws://127.0.0.1:0/reply",
        end="server",
        connections=connections,
        workload={
            "kind": "echo",
            "window": in_flight,
            "payload": {"text": "hello"},
            "phases": PHASES,
        },
    ) as engine:
        instants_ns = asyncio.run(answer(engine.url, connections))
        result = engine.result()
    expected = within_window(result, instants_ns)
    exchange = result["exchange"]
    assert abs(exchange["completed"] - expected) <= 2 * connections * in_flight
    window_s = result["window_ns"] / 1e9
    completed = exchange["achieved_rate_per_s"] * window_s
    assert completed == pytest.approx(exchange["completed"])
    assert expected > 10 * 2 * connections * in_flight


class Hub:
    """Sends what publishers send to all subscribers; has the instants of sending."""

    def __init__(self):
        self.instants_ns = []
        self._subscribers = set()

    async def __call__(self, connection):
        if connection.request.path == "/subscribe":
            self._subscribers.add(connection)
            await connection.wait_closed()
            self._subscribers.discard(connection)
            return
        try:
            async for message in connection:
                self.instants_ns.append(time.monotonic_ns())
                broadcast(self._subscribers, message)
        except ConnectionClosed:
            pass


def test_published_messages_are_those_that_the_server_sent():
    hub, subscribers = Hub(), 20
    with websocket_peer(hub) as url:
        result = load(
            url=f"{url}/subscribe",
            connections=subscribers + 1,
            workload={
                "kind": "publish",
                "feed": {"kind": "stocks", "broadcast": True, "encoding": "json"},
                "stocks": 1,
                "window": 1,
                "publishers": 1,
                "phases": PHASES,
            },
        )
    published = result["published"]
    expected = within_window(result, hub.instants_ns)
    window_s = result["window_ns"] / 1e9
    assert expected > 20
    assert abs(published["messages"] - expected) <= 1
    delivered = published["delivered_rate_per_s"] * window_s
    # A message at each end of the window may be within it by one clock only.
    assert abs(delivered - subscribers * expected) <= 2 * subscribers
    assert published["undelivered"] == 0


def test_connections_take_as_long_to_open_as_the_server_saw():
    instants_ns = []

    async def note(connection):
        instants_ns.append(time.monotonic_ns())
        await connection.wait_closed()

    with websocket_peer(note) as url:
        begun_ns = time.monotonic_ns()
        result = load(
            url=url,
            connections=1000,
            # On a busy machine the server handles the last ones late.
            workload={"kind": "connect", "phases": {"window_s": 1.0}},
        )
    longest_ns = max(low for low, _ in result["connect_response_time_ns"])
    assert len(instants_ns) == 1000
    # The width of a bucket is a 1,024th of its lower end.
    assert longest_ns * (1 + 1 / 1024) >= instants_ns[-1] - instants_ns[0]
    assert longest_ns <= result["window_start_ns"] - begun_ns
