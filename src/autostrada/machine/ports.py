"""Ports for servers that must know one before they start, and room for connections."""

import random
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from autostrada.errors import EngineError
from autostrada.machine.process import Process

RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
FIRST = 10_000
ADDRESS = "127.0.0.1"
LISTENS = "0A"
"""How the kernel writes that a socket listens (proc_pid_net(5))."""

_ASK_EVERY_S = 0.005


@contextmanager
def reserved_port() -> Iterator[int]:
    """
    Reserve a port on which nobody listens, for as long as the block lasts.

    A server that allows several sockets on its port (SO_REUSEPORT) would share one
    with its neighbour and never know. So a port is reserved by a name in the abstract
    namespace of Unix sockets, which is as wide as that of the ports; and it is none
    that the kernel gives to outgoing connections.

    Raises:
        EngineError: no port is left.
    """
    given_by_kernel = int(RANGE.read_text(encoding="ascii").split()[0])
    numbers = range(FIRST, given_by_kernel)
    for number in random.sample(numbers, k=len(numbers)):
        with socket.socket(socket.AF_UNIX) as reservation:
            try:
                reservation.bind(f"\0autostrada/tcp/{number}")
                with socket.create_server((ADDRESS, number)):
                    pass
            except OSError:
                continue
            yield number
            return
    raise EngineError(f"no port from {FIRST} to {given_by_kernel} is free")


def await_listener(process: Process, port: int, deadline_s: float) -> bool:
    """
    Wait until somebody listens on a port; return whether the process still runs.

    The port is not connected to: a server may take the first client for one of
    its subscribers.

    Raises:
        TimeoutError: ``deadline_s`` (of ``time.monotonic``) has come.
    """
    while process.status() is None:
        if sockets_of_port(port, LISTENS):
            return True
        if time.monotonic() >= deadline_s:
            raise TimeoutError
        time.sleep(_ASK_EVERY_S)  # The kernel tells nobody when somebody listens.
    return False


def sockets_of_port(port: int, state: str) -> set[str]:
    """Return the inodes of the TCP sockets of a port that are in a state."""
    found = set()
    for table in ("tcp", "tcp6"):
        # A system without IPv6 has no such table.
        with suppress(FileNotFoundError):
            text = Path(f"/proc/net/{table}").read_text(encoding="ascii")
            for fields in map(str.split, text.splitlines()[1:]):
                local_port = int(fields[1].rpartition(":")[2], 16)
                if fields[3] == state and local_port == port:
                    found.add(fields[9])
    return found


def outgoing_ports() -> int:
    """Return how many ports the kernel gives to connections from one address."""
    first, last = map(int, RANGE.read_text(encoding="ascii").split())
    return last - first + 1


def descriptors_max() -> int | None:
    """Return how many descriptors a process may have; ``None`` for any number."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return None if limit == resource.RLIM_INFINITY else limit
