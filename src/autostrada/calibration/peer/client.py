"""
The peer client: an independent implementation of the engine's client, in Python.

It uses another WebSocket library. Like ``autostrada-engine load`` it reads a plan from
stdin, for stamped echoes, a feed with numbers or a push, and prints a result of the
same form. The key ``slowness`` of the plan makes it slow.
"""

import asyncio
import json
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from autostrada.calibration.peer.delay import Slowness
from autostrada.stats.buckets import into_buckets

SPIN_S = 0.002
"""Time before a message is due in which the client does not sleep, because timers are
too coarse."""

NORMAL = 1000
LIMIT_S = 10.0


@dataclass(slots=True)
class Tally:
    """Counts of one connection; each number is compared with those received before."""

    first: int | None = None
    """First expected number; ``None`` for a feed until a message is received."""

    next: int = 0
    seen: set[int] = field(default_factory=set)
    messages: int = 0
    gaps: int = 0
    duplicates: int = 0
    reordered: int = 0
    wrong: int = 0
    response_time_ns: list[int] = field(default_factory=list)

    @property
    def missing(self) -> int:
        """Number of numbers below the highest one that were not received."""
        return self.next - (self.first or 0) - len(self.seen)

    def add(self, number: int, *, is_right: bool = True) -> bool:
        """Count a message; return whether it is correct and not a duplicate."""
        self.messages += 1
        self.wrong += not is_right
        if self.first is None:
            self.first = self.next = number
        if number in self.seen:
            self.duplicates += 1
            return False
        self.reordered += number < self.next
        self.gaps += number > self.next
        self.seen.add(number)
        self.next = max(self.next, number + 1)
        return is_right


class PeerClient:
    """The connections to one server, and the counts of their messages."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._url: str = plan["url"]
        self._workload = plan["workload"]
        self._connections: list[ClientConnection] = []
        self._text = self._workload.get("payload", {}).get("text", "")
        self._slowness = Slowness(**plan.get("slowness", {}))
        self._receive_buffer_bytes = plan.get("tcp", {}).get("receive_buffer_bytes")
        self._receives = self._workload["kind"] == "receive"
        self._has_numbers = not self._receives or "feed" in self._workload
        self._tallies = [
            Tally(first=None if self._receives else 0)
            for _ in range(plan.get("connections", 1))
        ]
        self._failures: dict[str, int] = {}
        self._sent = 0
        self._unsent = 0
        self._completed = 0
        self._ends_ns = 0
        self._opened_ns = 0
        self._received_ns = 0

    async def run(self) -> None:
        """Open all connections, exchange or receive messages, and close them."""
        for _ in self._tallies:
            self._connections.append(await self._connect())
            self._opened_ns = self._opened_ns or time.monotonic_ns()
        receiving = [
            asyncio.create_task(self._receive(connection, tally))
            for connection, tally in zip(self._connections, self._tallies, strict=True)
        ]
        if self._receives:
            await asyncio.wait(receiving, timeout=LIMIT_S)
        else:
            await self._send()
            await self._drain(self._workload["phases"]["drain_s"])
        for task in receiving:
            task.cancel()
        await asyncio.gather(*receiving, return_exceptions=True)
        for connection in self._connections:
            await connection.close()

    async def _connect(self) -> ClientConnection:
        address = urlsplit(self._url)
        # asyncio sets TCP_NODELAY only if the socket's protocol is given.
        opened = socket.socket(proto=socket.IPPROTO_TCP)
        if self._receive_buffer_bytes:
            opened.setsockopt(
                socket.SOL_SOCKET, socket.SO_RCVBUF, self._receive_buffer_bytes
            )
        opened.connect((address.hostname, address.port))
        opened.setblocking(False)
        return await connect(
            self._url, sock=opened, compression=None, ping_interval=None
        )

    async def _send(self) -> None:
        rate_per_s = self._workload["schedule"]["rate_per_s"]
        messages = round(rate_per_s * self._workload["phases"]["window_s"])
        numbers = [0] * len(self._connections)
        started_ns = time.monotonic_ns() + 10_000_000
        self._ends_ns = started_ns + round(
            self._workload["phases"]["window_s"] * 1_000_000_000
        )
        for turn in range(messages):
            due_ns = started_ns + turn * 1_000_000_000 // rate_per_s
            await _until(due_ns)
            at = turn % len(numbers)
            stamp = f"{numbers[at]:020} {due_ns:020} "
            numbers[at] += 1
            try:
                await self._connections[at].send(stamp + self._text)
                self._sent += 1
            except ConnectionClosed:
                self._unsent += 1

    async def _drain(self, drain_s: float) -> None:
        deadline_s = time.monotonic() + drain_s
        while time.monotonic() < deadline_s:
            if sum(len(tally.seen) for tally in self._tallies) >= self._sent:
                return
            await asyncio.sleep(0.01)

    async def _receive(self, connection: ClientConnection, tally: Tally) -> None:
        enough = self._workload.get("messages")
        try:
            while tally.messages != enough:
                message = await connection.recv()
                now_ns = time.monotonic_ns()
                assert isinstance(message, str)
                await self._slowness.apply()
                self._received_ns = time.monotonic_ns()
                if not self._has_numbers:
                    tally.messages += 1
                    continue
                if enough is not None:
                    tally.add(int(message))
                    continue
                number, due, text = message.split(" ", 2)
                if tally.add(int(number), is_right=text == self._text):
                    tally.response_time_ns.append(now_ns - int(due))
                    self._completed += now_ns < self._ends_ns
        except ConnectionClosed as error:
            code = error.rcvd.code if error.rcvd else None
            kind = "close" if code == NORMAL else "read"
            self._failures[kind] = self._failures.get(kind, 0) + 1

    def _exchange(self, durations_ns: list[int]) -> dict[str, object]:
        window_s = self._workload["phases"]["window_s"]
        return {
            "sent": self._sent,
            "echoed": len(durations_ns),
            "unsent": self._unsent,
            "offered_rate_per_s": self._workload["schedule"]["rate_per_s"],
            "achieved_rate_per_s": self._completed / window_s,
            "backlog": {"at_window_end": self._sent - self._completed},
            "response_time_ns": into_buckets(durations_ns),
        }

    def result(self) -> dict[str, object]:
        """Return the counts in the form of a ``result`` line."""
        tallies = self._tallies
        durations_ns = [
            duration_ns for tally in tallies for duration_ns in tally.response_time_ns
        ]
        return {
            "event": "result",
            "opened_ns": self._opened_ns,
            "ended_ns": max(self._received_ns, self._opened_ns),
            "messages": sum(tally.messages for tally in tallies),
            "wrong": sum(tally.wrong for tally in tallies),
            "failures": [
                {"kind": kind, "count": count} for kind, count in self._failures.items()
            ],
            "exchange": None if self._receives else self._exchange(durations_ns),
            "sequence": {
                name: sum(getattr(tally, name) for tally in tallies)
                for name in ("missing", "gaps", "duplicates", "reordered")
            },
            "regularity": None,
            "generator_limited": None,
        }


async def _until(due_ns: int) -> None:
    """Sleep until shortly before ``due_ns``, then yield to other tasks in a loop."""
    left_s = (due_ns - time.monotonic_ns()) / 1e9
    if left_s > SPIN_S:
        await asyncio.sleep(left_s - SPIN_S)
    while time.monotonic_ns() < due_ns:
        await asyncio.sleep(0)


def main() -> None:
    """Execute the plan on stdin and print the result."""
    client = PeerClient(json.loads(sys.stdin.readline()))
    sys.stdout.write(json.dumps({"event": "ready"}) + "\n")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        asyncio.run(client.run())
    sys.stdout.write(json.dumps(client.result(), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
