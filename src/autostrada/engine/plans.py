"""Builds the engine's plans (``docs/format.md``); keys with ``None`` are omitted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from autostrada.engine.messages import FORMAT

ADDRESS = "127.0.0.1"

Plan = dict[str, object]
Protocol = Literal["websocket", "socketio", "socketio2", "framed-tcp"]
"""The protocols of endpoints: docs/contract.md, sections 3 to 5."""

SCHEMES: dict[Protocol, tuple[str, str]] = {
    "websocket": ("ws", "wss"),
    "socketio": ("http", "https"),
    "socketio2": ("http", "https"),
    "framed-tcp": ("tcp", "tls"),
}
"""URL schemes of each protocol: without TLS, and with TLS."""

KINDS: dict[Protocol, str] = {
    "websocket": "websocket",
    "socketio": "socket-io",
    "socketio2": "socket-io",
    "framed-tcp": "framed-tcp",
}
"""Name of each protocol in the engine's plans."""

ENGINE_IO_VERSIONS: dict[Protocol, int] = {"socketio": 4, "socketio2": 3}
"""Version of Engine.IO of each protocol with paths as namespaces, Socket.IO."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tls:
    """Paths of the certificate files, and the cipher suite that clients offer."""

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
    **extra: object,
) -> Plan:
    """
    Return the plan of a server with a push or a feed; it also serves ``/echo``.

    ``extra`` are additional keys of the plan.
    """
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
            **extra,
        }
    )


def load_plan(
    *,
    url: str,
    workload: Mapping[str, object],
    protocol: Mapping[str, object] | None = None,
    tls: Tls | None = None,
    congestion_control: str | None = None,
    **extra: object,
) -> Plan:
    """Return the plan of a client; ``extra`` are additional keys of the plan."""
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
            **extra,
        }
    )


def observe_plan(
    *, processes: Mapping[str, int], every_ms: float, loop_cores: Iterable[int] = ()
) -> Plan:
    """Return the plan of an observer of processes, given as IDs by name."""
    return {
        "format": FORMAT,
        "processes": processes,
        "every_ms": every_ms,
        "loop_cores": sorted(loop_cores),
    }


def url_of(
    protocol: Protocol,
    port: int,
    path: str,
    *,
    is_over_tls: bool,
    address: str = ADDRESS,
) -> str:
    """Return the URL for an engine's client; Socket.IO uses namespaces as paths."""
    scheme = SCHEMES[protocol][is_over_tls]
    return f"{scheme}://{address}:{port}{'/' if is_socket_io(protocol) else path}"


def protocol_plan(protocol: Protocol, path: str, **extra: object) -> Plan:
    """Return the protocol of a client's plan; ``extra`` are keys for Socket.IO."""
    if not is_socket_io(protocol):
        return {"kind": KINDS[protocol]}
    version = ENGINE_IO_VERSIONS[protocol]
    return {
        "kind": KINDS[protocol],
        **({"engine_io_version": version} if version != 4 else {}),
        "namespace": path,
        **extra,
    }


def is_socket_io(protocol: Protocol | None) -> bool:
    """Whether a protocol is a version of Socket.IO, which the engine cannot serve."""
    return protocol in ENGINE_IO_VERSIONS


def constant(rate_per_s: float, *, per: str | None = None) -> Plan:
    """Return the schedule of an open loop at a constant rate."""
    return _without_none({"kind": "constant", "per": per, "rate_per_s": rate_per_s})


def _without_none(document: Mapping[str, object]) -> Plan:
    return {key: value for key, value in document.items() if value is not None}


@dataclass(frozen=True, kw_only=True, slots=True)
class ConnectionLimits:
    """The limits of this machine on the number of connections."""

    descriptors: int | None
    """Number of descriptors that a process may have; ``None`` for no limit."""

    outgoing_ports: int
    """Number of ports for outgoing connections from one address."""

    source_network: str | None = "127.0"
    """First half of the addresses that clients may connect from; ``None`` if the kernel
    chooses one."""

    def threads_for(self, sockets: int) -> int:
        """Return the number of threads of the engine that this many sockets need."""
        if self.descriptors is None:
            return 1
        return max(1, ceil(sockets / max(1, self.descriptors - RESERVED_DESCRIPTORS)))

    def source_addresses_for(self, sockets: int) -> Sequence[str]:
        """Return the addresses to connect from; empty if the default one suffices."""
        quick = max(FEW_SOCKETS, ceil(self.outgoing_ports / QUICK_PORTS_PART))
        if self.source_network is None or sockets <= quick:
            return []
        return [
            f"{self.source_network}"
            f".{1 + number // _NETWORK_SIZE}.{1 + number % _NETWORK_SIZE}"
            for number in range(ceil(sockets / quick))
        ]

    def load_keys(self, sockets: int) -> Plan:
        """Return the keys of a ``load`` plan that this many sockets need."""
        return _without_none(
            {
                "connect_pending_max": PENDING_MAX,
                "threads": self.threads_for(sockets),
                "source_addresses": self.source_addresses_for(sockets) or None,
            }
        )


RESERVED_DESCRIPTORS = 64
"""Number of descriptors that each thread of the engine needs besides connections."""

QUICK_PORTS_PART = 3
"""The kernel finds a free port quickly if less than this fraction (one third) of the
ports is in use."""

FEW_SOCKETS = 10_000
"""Number of sockets up to which finding a free port is always quick."""

PENDING_MAX = 50
"""Largest number of connections that open at the same time: the shortest listen queue
(backlog) of any library."""

_NETWORK_SIZE = 250
