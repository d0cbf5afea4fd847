"""
The peer server: an independent implementation of the engine's server, in Python.

It uses another WebSocket library and has the same faults. Like
``autostrada-engine serve --plan`` it reads a plan from stdin. For each further line it
prints the times from due to sent of all answers, by its own clock. The key ``slowness``
of the plan makes it slow at each message.
"""

import asyncio
import json
import socket
import struct
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from autostrada.calibration.peer.delay import Slowness
from autostrada.calibration.peer.faults import FaultInjector

FIRST_DUE_NS = 10_000_000
"""Time from the last subscriber's connection to the first message of a feed."""

DUE = slice(21, 41)
"""Position of the due time in a stamp."""

RESET = struct.pack("ii", 1, 0)


class PeerServer:
    """A server with faults, which records how long it really held each answer."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._faults = plan.get("faults", {})
        self._feed = plan.get("feed", {})
        work = {"burn_us": self._faults.get("work_us", 0)}
        self._slowness = Slowness(**plan.get("slowness", work))
        self._subscribers: list[Sender] = []
        self._is_stalling = False
        self.held_ns: list[int] = []

    async def handle(self, connection: ServerConnection) -> None:
        """Serve one connection until it ends."""
        self._begin_stalls()
        assert connection.request is not None
        sender = Sender(connection, self._faults, self.held_ns)
        with suppress(ConnectionClosed):
            if connection.request.path == "/feed":
                await self._join(sender)
                await connection.wait_closed()
            else:
                async for message in connection:
                    assert isinstance(message, str)
                    await self._slowness.apply()
                    await sender.submit(message)

    async def _join(self, sender: "Sender") -> None:
        self._subscribers.append(sender)
        if len(self._subscribers) == self._feed["subscribers"]:
            subscribers, self._subscribers = self._subscribers, []
            await self._publish(subscribers)

    async def _publish(self, subscribers: list["Sender"]) -> None:
        every_ns = round(self._feed.get("every_ms", 0) * 1e6)
        first_ns = time.monotonic_ns() + FIRST_DUE_NS
        for number in range(self._feed["messages"]):
            due_ns = first_ns + number * every_ns
            await asyncio.sleep(max(0.0, (due_ns - time.monotonic_ns()) / 1e9))
            for sender in subscribers:
                is_clock = self._feed["kind"] == "clock"
                with suppress(ConnectionClosed):
                    await sender.submit(str(due_ns if is_clock else number))
        for sender in subscribers:
            with suppress(ConnectionClosed):
                await sender.finish()

    def _begin_stalls(self) -> None:
        if "stall" in self._faults and not self._is_stalling:
            self._is_stalling = True
            self._await_stall(asyncio.get_running_loop().time())

    def _await_stall(self, last_s: float) -> None:
        """Schedule a stall one interval after ``last_s``, and all following ones."""
        next_s = last_s + self._faults["stall"]["every_ms"] / 1000

        def stall() -> None:
            time.sleep(self._faults["stall"]["for_ms"] / 1000)
            self._await_stall(next_s)

        asyncio.get_running_loop().call_at(next_s, stall)


class Sender:
    """Sends the messages of one connection, with injected faults."""

    def __init__(
        self,
        connection: ServerConnection,
        faults: Mapping[str, Any],
        held_ns: list[int],
    ) -> None:
        self._connection = connection
        self._faults = faults
        self._injector = FaultInjector(faults)
        self._sent = 0
        self._held_ns = held_ns
        self._next_s = 0.0
        self._delayed: asyncio.Queue[tuple[float, str]] = asyncio.Queue()
        self._delaying: asyncio.Task[None] | None = None

    async def submit(self, message: str) -> None:
        """Send a message, subject to faults."""
        for delayed in self._injector.apply(message):
            if self._faults.keys() & {"delay_ms", "rate_per_s"}:
                self._delay(delayed)
            else:
                await self._send(delayed)

    async def finish(self) -> None:
        """Send the messages that are still held, and close the connection."""
        for delayed in self._injector.remaining():
            await self._send(delayed)
        await self._connection.close()

    def _delay(self, message: str) -> None:
        loop = asyncio.get_running_loop()
        due_s = max(loop.time() + self._faults.get("delay_ms", 0) / 1000, self._next_s)
        if "rate_per_s" in self._faults:
            self._next_s = due_s + 1 / self._faults["rate_per_s"]
        self._delayed.put_nowait((due_s, message))
        self._delaying = self._delaying or loop.create_task(self._send_delayed())

    async def _send_delayed(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(ConnectionClosed):
            while True:
                due_s, message = await self._delayed.get()
                await asyncio.sleep(due_s - loop.time())
                await self._send(message)

    async def _send(self, message: str) -> None:
        due = message[DUE]
        if due:
            self._held_ns.append(time.monotonic_ns() - int(due))
        await self._connection.send(message)
        self._sent += 1
        if self._sent == self._faults.get("close_after"):
            await self._connection.close()
        if self._sent == self._faults.get("abort_after"):
            transport = self._connection.transport
            peer = transport.get_extra_info("socket")
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            transport.abort()


async def run() -> None:
    """Serve according to the plan on stdin, until the end of stdin."""
    loop = asyncio.get_running_loop()
    plan = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    peer = PeerServer(plan)
    host, _, port = plan["listen"].rpartition(":")
    async with serve(
        peer.handle, host, int(port), compression=None, ping_interval=None
    ) as server:
        host, port = next(iter(server.sockets)).getsockname()[:2]
        _print({"event": "ready", "url": f"ws://{host}:{port}"})
        while await loop.run_in_executor(None, sys.stdin.readline):
            _print({"event": "held", "held_ns": peer.held_ns})


def _print(line: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(run())
