"""The one builder of the engine's plans: ``docs/format.md``; ``None`` is left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from autostrada.engine.messages import FORMAT

ADDRESS = "127.0.0.1"

Plan = dict[str, object]
Protocol = Literal["websocket", "socketio", "framed-tcp"]
"""What both endpoints speak: docs/contract.md, sections 3 to 8, 9, and 10."""

SCHEMES: dict[Protocol, tuple[str, str]] = {
    "websocket": ("ws", "wss"),
    "socketio": ("http", "https"),
    "framed-tcp": ("tcp", "tls"),
}
"""Of a protocol's addresses: plain, and with TLS."""

KINDS: dict[Protocol, str] = {
    "websocket": "websocket",
    "socketio": "socket-io",
    "framed-tcp": "framed-tcp",
}
"""What the engine calls each protocol."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tls:
    """Files of certificates, and what a client offers."""

    certificate_file: str
    key_file: str
    ca_file: str
    cipher_suite: str | None = None


def serve_plan(
    *,
    listen: str = f"{ADDRESS}:0",
    protocol: Protocol | None = None,
    push: Mapping[str, object] | None = None,
    feed: Mapping[str, object] | None = None,
    tls: Tls | None = None,
    **further: object,
) -> Plan:
    """Return the plan of a server: it pushes, or feeds; it always answers ``/echo``."""
    files = tls and {
        "certificate_file": tls.certificate_file,
        "key_file": tls.key_file,
    }
    return _without_none(
        {
            "format": FORMAT,
            "listen": listen,
            "protocol": protocol and {"kind": KINDS[protocol]},
            "workload": {"kind": "push", **(push or {})},
            "feed": feed,
            "tls": files,
            **further,
        }
    )


def load_plan(
    *,
    url: str,
    workload: Mapping[str, object],
    protocol: Mapping[str, object] | None = None,
    tls: Tls | None = None,
    congestion_control: str | None = None,
    **further: object,
) -> Plan:
    """Return the plan of a client."""
    trusted = tls and _without_none(
        {"ca_file": tls.ca_file, "cipher_suite": tls.cipher_suite}
    )
    return _without_none(
        {
            "format": FORMAT,
            "url": url,
            "protocol": protocol,
            "workload": _without_none(workload),
            "tls": trusted,
            "tcp": congestion_control and {"congestion_control": congestion_control},
            **further,
        }
    )


def observe_plan(
    *, processes: Mapping[str, int], every_ms: float, **further: object
) -> Plan:
    """Return the plan of an observer of processes."""
    return {
        "format": FORMAT,
        "processes": processes,
        "every_ms": every_ms,
        **further,
    }


def url_of(protocol: Protocol, port: int, path: str, *, is_over_tls: bool) -> str:
    """Return where a client of the engine connects to; Socket.IO has namespaces."""
    scheme = SCHEMES[protocol][is_over_tls]
    return f"{scheme}://{ADDRESS}:{port}{'/' if protocol == 'socketio' else path}"


def spoken(protocol: Protocol, path: str, **further: object) -> Plan:
    """Return what a client of the engine speaks; ``further`` is of Socket.IO."""
    if protocol != "socketio":
        return {"kind": KINDS[protocol]}
    return {"kind": KINDS[protocol], "namespace": path, **further}


def constant(rate_per_s: float, *, per: str | None = None) -> Plan:
    """Return the schedule of an open loop: so many messages a second, evenly."""
    return _without_none({"kind": "constant", "per": per, "rate_per_s": rate_per_s})


def _without_none(document: Mapping[str, object]) -> Plan:
    return {key: value for key, value in document.items() if value is not None}


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """How many connections this machine has room for: descriptors and ports."""

    descriptors: int | None
    """That a process may have; ``None`` for any number."""

    outgoing_ports: int
    """That the kernel gives to connections from one address."""

    def threads_for(self, sockets: int) -> int:
        """Return how many threads of the engine have room for so many sockets."""
        if self.descriptors is None:
            return 1
        return max(1, ceil(sockets / max(1, self.descriptors - RESERVED_DESCRIPTORS)))

    def source_addresses_for(self, sockets: int) -> Sequence[str]:
        """Return the addresses to connect from; none where the usual one has room."""
        quick = max(FEW_SOCKETS, ceil(self.outgoing_ports / QUICK_PORTS_PART))
        if sockets <= quick:
            return []
        return [
            f"127.0.{1 + number // _ADDRESSES_A_NET}.{1 + number % _ADDRESSES_A_NET}"
            for number in range(ceil(sockets / quick))
        ]

    def load_keys(self, sockets: int) -> Plan:
        """Return the keys of a ``load`` plan that make room for so many sockets."""
        return _without_none(
            {
                "connect_pending_max": PENDING_MAX,
                "threads": self.threads_for(sockets),
                "source_addresses": self.source_addresses_for(sockets) or None,
            }
        )


RESERVED_DESCRIPTORS = 64
"""Of each thread of the engine: what it needs beside its connections."""

QUICK_PORTS_PART = 3
"""The kernel finds a free port quickly while less than one in so many is taken."""

FEW_SOCKETS = 10_000
"""So few that no search for a port is long."""

PENDING_MAX = 50
"""Connections that open at once: the shortest queue that a library asks for."""

_ADDRESSES_A_NET = 250
