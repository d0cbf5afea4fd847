"""The machine as a value: which cores play which part, and what must be known of it."""

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """
    Where a trial runs.

    ``client_cpus`` and ``server_cpus`` are apart where there are two cores or more.
    The orchestrator sleeps while a trial runs; it lives with the engine, which has
    time to spare, never with the contestant.
    """

    server_cpus: frozenset[int]
    client_cpus: frozenset[int]

    @property
    def is_shared(self) -> bool:
        """Whether server and client have to share a core."""
        return bool(self.server_cpus & self.client_cpus)


def this_host() -> Host:
    """
    Divide the cores that this process may use between server and client.

    The engine has one thread: it gets one core. The client gets one core as well, as
    in the published comparisons; the last one, as interrupts prefer the first.
    """
    cpus = sorted(os.sched_getaffinity(0))
    return Host(server_cpus=frozenset(cpus[:1]), client_cpus=frozenset(cpus[-1:]))


def facts(host: Host) -> dict[str, str | int | float]:
    """Return what a reader must know of this machine to judge a figure."""
    return {
        "cpu_model": _first_match("/proc/cpuinfo", r"^model name\s*: (.+)$"),
        "cores": len(os.sched_getaffinity(0)),
        "server_cpus": _join(host.server_cpus),
        "client_cpus": _join(host.client_cpus),
        "is_shared_core": str(host.is_shared).lower(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "virtualization": _virtualization(),
        "system": _first_match("/etc/os-release", r'^PRETTY_NAME="?(.*?)"?$'),
        "kernel": platform.release(),
        "congestion_control_default": _read(
            "/proc/sys/net/ipv4/tcp_congestion_control"
        ),
        "tcp_rmem": _read("/proc/sys/net/ipv4/tcp_rmem"),
        "tcp_wmem": _read("/proc/sys/net/ipv4/tcp_wmem"),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
    }


def _join(cpus: frozenset[int]) -> str:
    return ",".join(str(cpu) for cpu in sorted(cpus))


def _read(path: str) -> str:
    try:
        return " ".join(Path(path).read_text(encoding="utf-8").split())
    except OSError:
        return "unknown"


def _first_match(path: str, pattern: str) -> str:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else "unknown"


def _virtualization() -> str:
    flags = _first_match("/proc/cpuinfo", r"^flags\s*: (.+)$").split()
    if "hypervisor" not in flags:
        return "none seen"
    vendor = _read("/sys/class/dmi/id/sys_vendor")
    return "virtual machine" if vendor == "unknown" else f"virtual machine, {vendor}"
