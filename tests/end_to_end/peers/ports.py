"""Ports for servers that must be told one before they start."""

import random
import socket
from dataclasses import dataclass
from pathlib import Path

RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
FIRST = 10_000


@dataclass(frozen=True)
class ReservedPort:
    """
    A TCP port that nobody else is given until it is closed, or its process ends.

    A server that allows several sockets on its port (SO_REUSEPORT) would share one
    with its neighbour and never know. So a port is reserved by a name in the abstract
    namespace of Unix sockets, which is as wide as that of the ports; and it is none
    that the kernel gives to outgoing connections.
    """

    number: int
    reservation: socket.socket

    def close(self):
        self.reservation.close()


def reserve_port():
    """Reserve a port on which nobody listens."""
    given_by_kernel = int(RANGE.read_text().split()[0])
    numbers = range(FIRST, given_by_kernel)
    for number in random.sample(numbers, k=len(numbers)):
        reservation = socket.socket(socket.AF_UNIX)
        try:
            reservation.bind(f"\0autostrada/tcp/{number}")
            with socket.create_server(("127.0.0.1", number)):
                return ReservedPort(number, reservation)
        except OSError:
            reservation.close()
    raise OSError("no port is left")
