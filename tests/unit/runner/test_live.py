"""The server of a live page, over sockets."""

import socket
from contextlib import closing
from http.client import HTTPConnection

from autostrada.runner.live import LOOPBACK, LiveServer

LARGE = 2**24
"""Bytes of a version that no buffer of a socket holds."""


def test_a_client_that_does_not_read_delays_nobody():
    server = LiveServer("<p>")
    address = server.server_address
    with (
        closing(socket.create_connection(address)) as hanging,
        closing(HTTPConnection(LOOPBACK, address[1])) as reading,
    ):
        hanging.sendall(
            f"GET /events HTTP/1.1\r\nHost: {server.url[7:-1]}\r\n\r\n".encode()
        )
        for letter in "abc":
            server.publish(letter * LARGE)
        reading.request("GET", "/events")
        response = reading.getresponse()
        assert response.readline() == b"data: %b\n" % (b"c" * LARGE)
        server.end("last")
        assert response.read() == b"\ndata: last\n\n"
