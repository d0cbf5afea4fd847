"""Room for many connections: descriptors, ports and queues of this machine."""

import resource
from math import ceil

from autostrada.machine.ports import RANGE

RESERVED_DESCRIPTORS = 64
"""Of each thread of the engine: what it needs beside its connections."""

QUICK_PORTS_PART = 3
"""The kernel finds a free port quickly while less than one in so many is taken."""

FEW_SOCKETS = 10_000
"""So few that no search for a port is long."""

PENDING_MAX = 50
"""On their way to being open at once: the shortest queue that a library asks for."""

_ADDRESSES_A_NET = 250


def threads_for(sockets: int) -> int:
    """Return how many threads of the engine have room for so many sockets."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if limit == resource.RLIM_INFINITY:
        return 1
    return max(1, ceil(sockets / max(1, limit - RESERVED_DESCRIPTORS)))


def source_addresses_for(sockets: int) -> list[str]:
    """Return the addresses to connect from; none where the usual one has room."""
    quick = max(FEW_SOCKETS, ceil(_outgoing_ports() / QUICK_PORTS_PART))
    if sockets <= quick:
        return []
    return [
        f"127.0.{1 + number // _ADDRESSES_A_NET}.{1 + number % _ADDRESSES_A_NET}"
        for number in range(ceil(sockets / quick))
    ]


def client_room(sockets: int) -> dict[str, object]:
    """Return the keys of a ``load`` plan that make room for so many sockets."""
    keys: dict[str, object] = {
        "connect_pending_max": PENDING_MAX,
        "threads": threads_for(sockets),
    }
    if addresses := source_addresses_for(sockets):
        keys["source_addresses"] = addresses
    return keys


def _outgoing_ports() -> int:
    """Return how many ports the kernel gives to connections from one address."""
    first, last = map(int, RANGE.read_text(encoding="ascii").split())
    return last - first + 1
