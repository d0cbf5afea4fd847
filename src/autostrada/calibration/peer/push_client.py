"""
A client of known speed, which shares no code with the engine and no library.

It reads a plan from stdin, receives a push of short text messages, and processes them
at the planned rates. It prints what it had processed when, by its own clock.
"""

import json
import socket
import sys
import time
from collections import deque
from collections.abc import Mapping
from math import inf
from typing import Any
from urllib.parse import urlsplit

TEXT, PING, CLOSE = 0x81, 0x89, 0x88
"""First bytes of the frames that the server sends."""

PONG, CLOSE_FRAME = b"\x8a\x88\0\0\0\0", b"\x88\x82\0\0\0\0\x03\xe8"
"""A pong up to its payload of 8 bytes, and a closing frame with code 1000. The masking
key is 0, so the payload is unchanged (RFC 6455, section 5.3)."""

REST_S = 0.0005
READ_BYTES = 65_536


class Pace:
    """The number of messages that may be processed; idle time is not made up for."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._first: int = plan["first_messages"]
        self._first_per_s: float = plan["first_per_s"]
        self._then_per_s: float = plan["then_per_s"]
        self._allowed = 0.0
        self._at_ns = time.monotonic_ns()

    def allowed(self, now_ns: int, *, is_idle: bool) -> int:
        """Return how many messages may be processed until ``now_ns``."""
        passed_s = 0.0 if is_idle else (now_ns - self._at_ns) / 1e9
        self._at_ns = now_ns
        left = max(0.0, self._first - self._allowed)
        first = min(left, passed_s * self._first_per_s)
        then_s = passed_s - first / self._first_per_s
        self._allowed += first + (0.0 if left > first else then_s * self._then_per_s)
        return int(self._allowed)


class PushClient:
    """One connection, and what was processed on it."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._pace = Pace(plan)
        self._pongs: str = plan["pongs"]
        self._late_ns = round(plan["late_s"] * 1e9)
        self._messages_max: float = inf
        if not plan["has_slices"]:
            self._messages_max = plan["first_messages"]
        self._buffer = b""
        self._messages = 0
        self._progress: list[tuple[int, int]] = []
        self._due: deque[tuple[int, bytes]] = deque()
        self._socket = self._connect(plan["url"])

    def _connect(self, url: str) -> socket.socket:
        address = urlsplit(url)
        assert address.hostname is not None
        assert address.port is not None
        opened = socket.create_connection((address.hostname, address.port))
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        request = (
            f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n"
        )
        opened.sendall(request.encode())
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += opened.recv(READ_BYTES)
        _, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        return opened

    def run(self) -> dict[str, object]:
        """Receive until either side closes; return the result."""
        opened_ns = time.monotonic_ns()
        ended_ns = 0
        while not ended_ns:
            is_idle = not self._buffer
            if is_idle:
                self._read()
            allowed = self._pace.allowed(time.monotonic_ns(), is_idle=is_idle)
            ended_ns = self._process(allowed - self._messages)
            self._answer()
            if self._messages >= self._messages_max:
                ended_ns = time.monotonic_ns()
            elif allowed == self._messages:
                time.sleep(REST_S)
            elif not ended_ns:
                self._read()
        self._finish()
        return {
            "event": "result",
            "messages": self._messages,
            "opened_ns": opened_ns,
            "ended_ns": ended_ns,
            "progress": self._progress,
        }

    def _read(self) -> None:
        self._buffer += self._socket.recv(READ_BYTES)

    def _process(self, allowed: int) -> int:
        """Process messages; return the time of the closing frame, or 0 before it."""
        buffer, at, ended_ns = self._buffer, 0, 0
        begun = self._messages
        while len(buffer) - at >= 2 and not ended_ns:
            length = 2 + buffer[at + 1]
            if buffer[at] == TEXT:
                # No message contains the first byte of another frame.
                ends = [
                    found
                    for other in (PING, CLOSE)
                    if (found := buffer.find(other, at)) >= 0
                ]
                whole = (min(ends, default=len(buffer)) - at) // length
                taken = min(whole, allowed - (self._messages - begun))
                self._messages += taken
                at += taken * length
                if taken < whole or not taken:
                    break
            elif len(buffer) - at < length:
                break
            else:
                self._note()
                if buffer[at] == PING:
                    due_ns = time.monotonic_ns() + self._late_ns
                    self._due.append((due_ns, buffer[at + 2 : at + length]))
                else:
                    ended_ns = time.monotonic_ns()
                at += length
                self._answer()
        self._buffer = buffer[at:]
        if self._messages > begun:
            self._note()
        return ended_ns

    def _note(self) -> None:
        self._progress.append((time.monotonic_ns(), self._messages))

    def _answer(self) -> None:
        """Send the pongs that are due."""
        while self._due and self._due[0][0] <= time.monotonic_ns():
            _, payload = self._due.popleft()
            if self._pongs != "never":
                self._socket.sendall(PONG + payload)

    def _finish(self) -> None:
        """Send the pongs that are late, and answer the closing frame."""
        if self._pongs == "late":
            while self._due:
                time.sleep(REST_S)
                self._answer()
        self._socket.sendall(CLOSE_FRAME)
        while self._socket.recv(READ_BYTES):
            pass


def main() -> None:
    """Execute the plan on stdin and print the result."""
    client = PushClient(json.loads(sys.stdin.readline()))
    print(json.dumps(client.run(), separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
