"""The server's side of one connection, which a test controls byte by byte."""

import base64
import contextlib
import hashlib
import json
import socket
import struct
from concurrent.futures import ThreadPoolExecutor

from peers.framed_protocol import LENGTH, frame
from peers.program import LIMIT_S
from peers.protocols import OPEN, asked_namespace

HANDSHAKE_ID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def framed(opcode, payload):
    """Return an unmasked frame with a payload of less than 64 KiB."""
    head = bytes([opcode, min(len(payload), 126)])
    if len(payload) >= 126:
        head += struct.pack(">H", len(payload))
    return head + payload


class Peer:
    """The server's side of a TCP connection to a client."""

    def __init__(self, connection):
        self.connection = connection
        self.file = connection.makefile("rb")

    def read_request(self):
        """Read the request's head; return its header fields."""
        self.request_line = self.file.readline()
        lines = iter(self.file.readline, b"\r\n")
        fields = (line.decode().strip().partition(":") for line in lines)
        return {name.lower(): value.strip() for name, _, value in fields}

    def upgrade(self):
        key = self.read_request()["sec-websocket-key"].encode()
        accept = base64.b64encode(hashlib.sha1(key + HANDSHAKE_ID).digest())
        self.connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )

    def send(self, *texts):
        """Send short text messages at once, as the first may end the peer."""
        frames = (framed(0x81, text.encode()) for text in texts)
        self.connection.sendall(b"".join(frames))

    def send_binary(self, payload):
        """Send a binary message of less than 64 KiB."""
        self.send_frame(0x82, payload)

    def send_frame(self, opcode, payload):
        self.connection.sendall(framed(opcode, payload))

    def close(self, code):
        self.send_frame(0x88, code.to_bytes(2, "big"))

    def read_text(self):
        """Return the text of the next frame, which must be a short text message."""
        opcode, payload = self.read_frame()
        assert opcode == 0x81
        return payload.decode()

    def read_close(self):
        """Return the code of the close frame, which must be the next frame."""
        opcode, payload = self.read_frame()
        assert opcode == 0x88
        return int.from_bytes(payload[:2], "big")

    def read_frame(self):
        opcode, length = self.file.read(2)
        key, payload = self.file.read(4), self.file.read(length & 0x7F)
        return opcode, bytes(byte ^ key[i % 4] for i, byte in enumerate(payload))

    def read_to_end(self):
        with contextlib.suppress(ConnectionResetError):
            self.file.read()

    def send_last_frame(self, opcode, payload, *, is_answered):
        """Send a frame, await a due answer, end the stream."""
        self.send_frame(opcode, payload)
        with contextlib.suppress(OSError):
            if is_answered:
                self.file.read(1)
            self.connection.shutdown(socket.SHUT_WR)
        self.read_to_end()

    def reset(self):
        """Close so that the kernel discards undelivered data and sends a reset."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


class SocketIoPeer(Peer):
    """The server's side of a session over a WebSocket."""

    def upgrade(self):
        super().upgrade()
        super().send(OPEN)
        self.namespace = asked_namespace(super().read_text())
        super().send(f'40{self.namespace},{{"sid":"namespace"}}')

    def send(self, *texts):
        for text in texts:
            super().send(f"42{self.namespace}," + json.dumps(["message", text]))

    def send_binary(self, payload):
        argument = '{"_placeholder":true,"num":0}'
        super().send(f'451-{self.namespace},["message",{argument}]')
        super().send_binary(payload)

    def close(self, code):
        super().send(f"41{self.namespace},")
        super().close(code)

    def read_text(self):
        head = f"42{self.namespace},"
        packet = super().read_text()
        assert packet.startswith(head)
        event, text = json.loads(packet.removeprefix(head))
        assert event == "message"
        return text

    def read_close(self):
        """
        Read up to the close frame and return its code, or 1000 if it has none.

        None: the stream ended without a close frame, as when a client gives up at once.
        """
        with contextlib.suppress(ConnectionResetError):
            while self.file.peek(1):
                opcode, payload = self.read_frame()
                if opcode == 0x88:
                    return int.from_bytes(payload[:2], "big") if payload else 1000
        return None


class FramedTcpPeer(Peer):
    """The server's side of a stream of messages."""

    def read_message(self):
        (length,) = LENGTH.unpack(self.file.read(LENGTH.size))
        return self.file.read(length)

    def read_request(self):
        self.path = self.read_message()

    def upgrade(self):
        self.read_request()

    def send(self, *texts):
        for text in texts:
            self.send_binary(text.encode())

    def send_binary(self, payload):
        self.connection.sendall(frame(payload))

    def close(self, code):
        self.connection.shutdown(socket.SHUT_WR)

    def read_text(self):
        return self.read_message().decode()

    def read_close(self):
        """Read the end of the stream, which must be next; return 1000 for it."""
        assert self.file.read() == b""
        return 1000


RAW_PEERS = {"websocket": Peer, "socketio": SocketIoPeer, "framed-tcp": FramedTcpPeer}


class RawServer:
    """Accepts one connection in a thread and runs a script with it."""

    def __init__(self, protocol, script):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(LIMIT_S)
        port = self._listener.getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/10"
        self._to_peer = RAW_PEERS[protocol.name]
        self._threads = ThreadPoolExecutor(1)
        self.served = self._threads.submit(self._serve, script)

    def _serve(self, script):
        connection, _ = self._listener.accept()
        # Refuses a library that connects again.
        self._listener.close()
        with connection:
            connection.settimeout(LIMIT_S)
            peer = self._to_peer(connection)
            with peer.file:
                return script(peer)

    def close(self):
        """Stop accepting, and wait for the script."""
        self._listener.close()
        self._threads.shutdown()


def close_properly(peer):
    """End a connection by the closing handshake."""
    peer.close(1001)
    peer.read_close()


def end_the_stream(peer):
    """End a connection without a closing handshake."""


def reset(peer):
    """End a connection by a reset."""
    peer.reset()


ENDS = [reset, close_properly, end_the_stream]
"""All ways in which a server may end a connection."""
