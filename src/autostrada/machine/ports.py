"""Reserves ports for servers, and reads the limits on the number of connections."""

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
"""The state of a listening socket in ``/proc/net/tcp`` (proc_pid_net(5))."""

_POLL_EVERY_S = 0.005


@contextmanager
def reserved_port() -> Iterator[int]:
    """
    Reserve a port that no process listens on, for the duration of the block.

    The reservation is a name in the abstract namespace of Unix sockets, which has the
    same scope (network namespace) as ports: listening on the port alone would not
    prevent two servers with SO_REUSEPORT from sharing it. The port is outside the range
    that the kernel uses for outgoing connections.

    Raises:
        EngineError: no port is free.
    """
    given_by_kernel = int(RANGE.read_text(encoding="ascii").split()[0])
    first = random.randrange(FIRST, given_by_kernel)
    for number in (*range(first, given_by_kernel), *range(FIRST, first)):
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
    Wait until a port is listened on; return ``False`` if the process ends first.

    The function does not connect, because a server may count the connection as one of
    its subscribers.

    Raises:
        TimeoutError: ``deadline_s`` (of ``time.monotonic``) is reached.
    """
    while process.status() is None:
        if sockets_of_port(port, LISTENS, process.pid):
            return True
        if time.monotonic() >= deadline_s:
            raise TimeoutError
        time.sleep(_POLL_EVERY_S)  # The kernel has no notification for this.
    return False


def sockets_of_port(port: int, state: str, pid: int | str = "self") -> set[str]:
    """
    Return the inodes of the TCP sockets with this local port and state.

    They belong to the network namespace of the process ``pid``.
    """
    found = set()
    for table in ("tcp", "tcp6"):
        # A system without IPv6 has no such table, and neither has an ended process.
        with suppress(FileNotFoundError, ProcessLookupError):
            text = Path(f"/proc/{pid}/net/{table}").read_text(encoding="ascii")
            for fields in map(str.split, text.splitlines()[1:]):
                local_port = int(fields[1].rpartition(":")[2], 16)
                if fields[3] == state and local_port == port:
                    found.add(fields[9])
    return found


def outgoing_ports() -> int:
    """Return the number of ports for outgoing connections from one address."""
    first, last = map(int, RANGE.read_text(encoding="ascii").split())
    return last - first + 1


def descriptors_max() -> int | None:
    """Return the hard limit of descriptors per process; ``None`` if unlimited."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return None if limit == resource.RLIM_INFINITY else limit
