"""Resources of this machine that many connections need."""

import resource
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Self

RESERVED_DESCRIPTORS = 1000
"""Descriptors of each thread's table for other files and an uneven division."""

RESERVED_PORTS = 232
"""Ports of each source address that other programs on this machine may use."""

QUICK_PORTS_PART = 3
"""The kernel finds a free port quickly if less than one in three ports is used."""

FIRST_SOURCE = IPv4Address("127.0.0.2")

PLAIN_BYTES = 16 * 1024
"""Memory of a plain connection: two sockets in the kernel, and both engines."""

TLS_BYTES = 48 * 1024
"""Memory of a TLS connection: two sockets in the kernel, and both engines."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConnectionResources:
    """Resources of this machine for connections."""

    descriptors: int
    """Maximum size of one descriptor table."""
    files: int
    """Number of files that all processes together can still open."""
    ports: int
    """Number of ephemeral ports of one source address."""
    memory_bytes: int

    @classmethod
    def this(cls) -> Self:
        """Read the resources from the kernel."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        opened, _, files_max = _numbers("fs/file-nr")
        first, last = _numbers("net/ipv4/ip_local_port_range")
        return cls(
            descriptors=_numbers("fs/nr_open")[0]
            if hard == resource.RLIM_INFINITY
            else hard,
            files=files_max - opened,
            ports=last - first + 1,
            memory_bytes=_available_bytes(),
        )

    def threads(self, connections: int) -> int:
        """Return the number of descriptor tables, one per thread, that are needed."""
        return -(-connections // max(1, self.descriptors - RESERVED_DESCRIPTORS))

    def sources(self, connections: int) -> list[str]:
        """Return enough source addresses to open the connections quickly."""
        quick_ports = (self.ports - RESERVED_PORTS) // QUICK_PORTS_PART
        count = -(-connections // max(1, quick_ports))
        return [str(FIRST_SOURCE + number) for number in range(count)]

    def shortage(self, connections: int, bytes_each: int) -> str | None:
        """Describe what is missing for both ends, or return ``None``."""
        missing = []
        memory_bytes = connections * bytes_each
        if self.memory_bytes < memory_bytes:
            missing.append(
                f"{memory_bytes / 2**30:.1f} GiB of memory are needed, "
                f"{self.memory_bytes / 2**30:.1f} available (MemAvailable)"
            )
        if self.files < 2 * connections:
            missing.append(
                f"{2 * connections:,} open files are needed, {self.files:,} allowed "
                f"(sysctl fs.file-max)"
            )
        missing += self._missing_descriptors(2 * RESERVED_DESCRIPTORS)
        missing += self._missing_ports(2 * RESERVED_PORTS)
        return "; ".join(missing) or None

    def client_shortage(self, connections: int) -> str | None:
        """Describe what a client with one descriptor table and one address lacks."""
        missing = self._missing_descriptors(connections + RESERVED_DESCRIPTORS)
        missing += self._missing_ports(connections + RESERVED_PORTS)
        return "; ".join(missing) or None

    def _missing_descriptors(self, needed: int) -> list[str]:
        if self.descriptors >= needed:
            return []
        return [
            f"a limit of {needed:,} open files is needed, "
            f"{self.descriptors:,} available (ulimit -Hn)"
        ]

    def _missing_ports(self, needed: int) -> list[str]:
        if self.ports >= needed:
            return []
        return [
            f"{needed:,} ports are needed, {self.ports:,} available "
            f"(sysctl net.ipv4.ip_local_port_range)"
        ]


def raise_descriptor_limit() -> None:
    """Raise the soft limit of open files of this process to its hard limit."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def resident_bytes(pid: int) -> int | None:
    """Return the resident memory of a process; ``None`` if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return None
    return _kibibytes(status, "VmRSS")


def _available_bytes() -> int:
    text = Path("/proc/meminfo").read_text(encoding="utf-8")
    return _kibibytes(text, "MemAvailable") or 0


def _kibibytes(text: str, name: str) -> int | None:
    """Return the value of a line of a file such as ``/proc/meminfo``, in bytes."""
    for line in text.splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return None


def _numbers(name: str) -> list[int]:
    text = Path("/proc/sys", name).read_text(encoding="utf-8")
    return [int(word) for word in text.split()]
