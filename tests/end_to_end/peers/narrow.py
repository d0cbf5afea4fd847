"""Client sockets with small receive buffers."""

import socket
from urllib.parse import urlsplit

NARROW_BYTES = 64 * 1024


def open_socket(url, *, is_narrow):
    """Connect to the host of an address; a narrow socket's buffer does not grow."""
    parts = urlsplit(url)
    opened = socket.socket()
    if is_narrow:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, NARROW_BYTES)
    opened.connect((parts.hostname, parts.port))
    return opened
