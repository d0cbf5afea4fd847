"""The facts about this machine that are stored with a run."""

import os
import platform
import re
import resource
from pathlib import Path

from autostrada.machine.cgroup import has_cgroups
from autostrada.machine.host import Host, join

Fact = str | int | float

_IPV4 = Path("/proc/sys/net/ipv4")
_CPU = Path("/sys/devices/system/cpu")


def facts(host: Host) -> dict[str, Fact]:
    """Return properties and limits of the machine; ``unknown`` if not readable."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return {
        "cpu_model": _first_match(Path("/proc/cpuinfo"), r"^model name\s*: (.+)$"),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "governor": _read(_CPU / "cpu0/cpufreq/scaling_governor"),
        "boost": _boost(),
        "virtualization": _virtualization(),
        "hypervisor": _hypervisor(),
        "server_cpus": join(host.server_cpus),
        "client_cpus": join(host.client_cpus),
        "observer_cpus": join(host.observer_cpus),
        "is_pinned": _yes_or_no(host.is_pinned),
        "is_shared_core": _yes_or_no(host.is_shared),
        "kept_together_by": "cgroup" if has_cgroups() else "process group",
        "system": _first_match(Path("/etc/os-release"), r'^PRETTY_NAME="?(.*?)"?$'),
        "kernel": platform.release(),
        "cgroup_version": _cgroup_version(Path("/proc/self/cgroup")),
        "is_root": _yes_or_no(os.geteuid() == 0),
        "is_preferred": _yes_or_no(_can_raise_priority()),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
        "congestion_control_default": _read(_IPV4 / "tcp_congestion_control"),
        "tcp_rmem": _read(_IPV4 / "tcp_rmem"),
        "tcp_wmem": _read(_IPV4 / "tcp_wmem"),
        "tcp_mem_pages": _read(_IPV4 / "tcp_mem"),
        "somaxconn": _read(Path("/proc/sys/net/core/somaxconn")),
        "port_range": _read(_IPV4 / "ip_local_port_range"),
        "open_files_max": _limit(soft),
        "open_files_max_hard": _limit(hard),
        "open_files_max_system": _read(Path("/proc/sys/fs/file-max")),
    }


def _limit(value: int) -> Fact:
    return "unlimited" if value == resource.RLIM_INFINITY else value


def _boost() -> str:
    """Return whether frequency boost is enabled: ``on``, ``off`` or ``unknown``."""
    files = {
        _CPU / "cpufreq/boost": {"1": "on", "0": "off"},
        _CPU / "intel_pstate/no_turbo": {"0": "on", "1": "off"},
    }
    for path, texts in files.items():
        if (word := texts.get(_read(path))) is not None:
            return word
    return "unknown"


def _virtualization() -> str:
    if not _is_virtual():
        return "none seen"
    vendor = _read(Path("/sys/class/dmi/id/sys_vendor"))
    return "virtual machine" if vendor == "unknown" else f"virtual machine, {vendor}"


def _hypervisor() -> str:
    """Return the hypervisor as named by the kernel, else inferred from the clock."""
    if not _is_virtual():
        return "none seen"
    named = _read(Path("/sys/hypervisor/type"))
    if named != "unknown":
        return named
    source = _read(
        Path("/sys/devices/system/clocksource/clocksource0/available_clocksource")
    )
    clocks = {"kvm-clock": "kvm", "hyperv": "hyperv", "xen": "xen"}
    found = [name for clock, name in clocks.items() if clock in source]
    return found[0] if found else "unknown"


def _is_virtual() -> bool:
    flags = _first_match(Path("/proc/cpuinfo"), r"^flags\s*: (.+)$")
    return "hypervisor" in flags.split()


def _cgroup_version(places: Path) -> str:
    """Return the versions of the cgroup hierarchies: ``2``, ``1`` or ``1 and 2``."""
    try:
        lines = places.read_text(encoding="utf-8").splitlines()
    except OSError:
        return "none seen"
    has_second = any(line.startswith("0::") for line in lines)
    has_first = any(not line.startswith("0::") for line in lines)
    versions = [name for name, there in (("1", has_first), ("2", has_second)) if there]
    return " and ".join(versions) or "none seen"


def _can_raise_priority() -> bool:
    """Whether ``process.raise_priority`` has an effect on this machine."""
    enabled = _read(Path("/proc/sys/kernel/sched_autogroup_enabled"))
    return os.geteuid() == 0 and enabled == "1"


def _yes_or_no(value: bool) -> str:
    return str(value).lower()


def _read(path: Path) -> str:
    try:
        return " ".join(path.read_text(encoding="utf-8").split()) or "unknown"
    except OSError:
        return "unknown"


def _first_match(path: Path, pattern: str) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match and match[1] else "unknown"
