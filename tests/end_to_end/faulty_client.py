"""A client without a library that keeps its contract, or breaks it as FAULT says."""

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

MESSAGES = int(os.environ.get("MESSAGES", "0"))
HALF_MESSAGES = MESSAGES // 2
RECEIVE_BUFFER_BYTES = 64 * 1024
CLOSE = 0x88
PING, PONG = 0x89, b"\x8a\x88\0\0\0\0"
"""The first byte of a ping, and a pong up to its payload, with a masking key of 0."""

CLOSE_1000 = b"\x88\x82mask" + bytes([0x03 ^ ord("m"), 0xE8 ^ ord("a")])


class Client:
    """One connection, which parses only short frames of equal length."""

    def __init__(self):
        self.messages = self.payload_bytes = 0
        self.buffer = b""
        self.opened_ns = time.monotonic_ns()
        self.url = urlsplit(os.environ["URL"])

    def connect(self):
        self.socket = socket.socket()
        # A small kernel buffer, so that the server always has to wait for the client.
        self.socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES
        )
        self.socket.connect((self.url.hostname, self.url.port))

    def open(self):
        self.connect()
        self.socket.sendall(
            f"GET {self.url.path} HTTP/1.1\r\nHost: {self.url.netloc}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            f"Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = self.socket.recv(1)
            assert byte, "the server has ended the handshake"
            head += byte
        assert head.startswith(b"HTTP/1.1 101 "), head
        self.opened_ns = time.monotonic_ns()

    def receive(self, messages):
        """
        Count this number of further messages, and answer the pings between them.

        A closing frame ends them.
        """
        while messages:
            header = self._buffered(2)
            size = 2 + header[1]
            if header[0] == CLOSE:
                return
            if header[0] == PING:
                self.socket.sendall(PONG + self._take(size)[2:])
                continue
            # No message contains the first byte of a control frame.
            received = self._buffered(size)
            before_control = received.partition(bytes([PING]))[0]
            before_control = before_control.partition(bytes([CLOSE]))[0]
            whole = min(messages, len(before_control) // size)
            self._take(whole * size)
            messages -= whole
            self.messages += whole
            self.payload_bytes += whole * header[1]

    def _buffered(self, size):
        """Return the received bytes, at least ``size`` of them."""
        while len(self.buffer) < size:
            received = self.socket.recv(1 << 18)
            assert received, "the server has ended the connection"
            self.buffer += received
        return self.buffer

    def _take(self, size):
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def close(self):
        self.socket.sendall(CLOSE_1000)
        while self.socket.recv(1 << 18):
            pass

    def work(self):
        self.open()
        self.receive(MESSAGES or sys.maxsize)
        self.close()

    def print_result(self, **changes):
        """Print the result, with changes to the true values."""
        result = {
            "event": "result",
            "connections": 1,
            "messages": self.messages,
            "bytes": self.payload_bytes,
            "opened_ns": self.opened_ns,
            "received_ns": time.monotonic_ns(),
        }
        print(json.dumps(result | changes), flush=True)

    def print_full_result(self):
        """Print the result of a client that has received everything."""
        self.print_result(messages=MESSAGES, bytes=MESSAGES * len("hello world"))


def print_error(reason):
    print(reason, file=sys.stderr, flush=True)


def note(pid):
    """Report a PID to the test; a named pipe blocks until the test reads it."""
    folder = os.environ.get("FAULT_NOTES")
    if folder is not None:
        with Path(folder, os.environ.get("FAULT", "none")).open("a") as file:
            file.write(f"{pid}\n")


def start_child(*, escapes=False, prints=False):
    """Start a process that outlives this one; return once it runs."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        if escapes:
            os.setsid()
        if not prints:
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
        os.write(writing, b"!")
        signal.pause()
    os.read(reading, 1)
    note(pid)


def crashes_at_once(client):
    sys.exit("no reason comes to mind")


def is_killed(client):
    client.open()
    client.receive(HALF_MESSAGES)
    print_error("not feeling met")
    os.kill(os.getpid(), signal.SIGKILL)


def crashes_with_a_child_that_prints(client):
    start_child(escapes=True, prints=True)
    sys.exit("there was a child")


def floods_stderr(client):
    for _ in range(20_000):
        print("x" * 1_000, file=sys.stderr)
    sys.exit("and that was all")


def prints_while_it_works(client):
    for _ in range(20_000):
        print("x" * 1_000, file=sys.stderr)
    client.work()
    client.print_result()


def hangs(client):
    client.open()
    print_error("a long thought")
    signal.pause()


def prints_invalid_output(client):
    print_error("this is how it came about")
    print("received quite a lot", flush=True)
    signal.pause()


def invents_seconds(client):
    client.open()
    second = 0
    while True:
        print(f'{{"event":"second","second":{second},"messages":0,"bytes":0}}')
        second += 1


def never_connects(client):
    client.print_full_result()


def only_connects(client):
    client.connect()
    client.socket.close()
    client.print_full_result()


def closes_early(client):
    client.open()
    client.receive(HALF_MESSAGES)
    print_error("that is enough")
    client.close()
    client.print_result()


def disagrees(client):
    client.work()
    client.print_result(received_ns=time.monotonic_ns() + 10_000_000_000)


def leaves_a_child(client):
    client.work()
    start_child()
    client.print_result()


def leaves_a_child_that_escapes(client):
    client.work()
    start_child(escapes=True)
    client.print_result()


def works(client):
    client.work()
    client.print_result()


note(os.getpid())
# Without its fault it works, so that a run can be resumed.
fault = "works" if "FAULTS_OFF" in os.environ else os.environ.get("FAULT", "works")
globals()[fault.replace("-", "_")](Client())
