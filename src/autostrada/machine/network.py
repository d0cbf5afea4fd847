"""
Network namespaces for the two ends of a trial, which a bridge connects as containers.

Namespaces have no name: descriptors of this process keep them. When it ends, however
it ends, and the processes in a namespace have ended too, the kernel removes the
namespace with its devices.
"""

import ctypes
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from autostrada.errors import UsageError
from autostrada.machine.executable import find_program

SERVER_ADDRESS = "198.18.0.1"
CLIENT_ADDRESS = "198.18.0.2"
"""Addresses of both ends, of the range for benchmarks (RFC 2544, appendix C.2.2)."""

CLIENT_NETWORK = "198.19"
"""First half of further addresses that clients may connect from."""

PREFIX_BITS = 15
"""Length of the network's prefix, which includes ``CLIENT_NETWORK``."""

NEW_NETWORK = 0x40000000
"""CLONE_NEWNET (namespaces(7))."""

REMEDY = "run autostrada as root; in a container, start it with docker run --privileged"

_SETTINGS = (
    "core/somaxconn",
    "ipv4/ip_local_port_range",
    "ipv4/tcp_congestion_control",
    "ipv4/tcp_max_syn_backlog",
    "ipv4/tcp_rmem",
    "ipv4/tcp_wmem",
)
"""Settings in ``/proc/sys/net`` that each namespace has, and that trials depend on."""

Namespace = Literal["bridge", "server", "client"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Network:
    """Descriptors of the network namespaces of both ends."""

    server: int
    client: int


def commands(paths: dict[Namespace, str]) -> Iterator[tuple[Namespace, Sequence[str]]]:
    """
    Yield the commands that connect three namespaces, each with the one it is run in.

    ``paths`` are the names or paths of the namespaces for ``ip``.
    """

    def ip(namespace: Namespace, words: str) -> tuple[Namespace, Sequence[str]]:
        return namespace, ["ip", *words.split()]

    yield ip("bridge", "link add bridge0 type bridge")
    yield ip("bridge", "link set bridge0 up")
    ends: tuple[tuple[Namespace, str], ...] = (
        ("server", SERVER_ADDRESS),
        ("client", CLIENT_ADDRESS),
    )
    for end, address in ends:
        peer = f"peer name eth0 netns {paths[end]}"
        yield ip("bridge", f"link add {end} type veth {peer}")
        yield ip("bridge", f"link set {end} master bridge0 up")
        yield ip(end, f"address add {address}/{PREFIX_BITS} dev eth0")
        yield ip(end, "link set lo up")
        yield ip(end, "link set eth0 up")
    # All addresses of this range belong to the client, without an entry for each.
    yield ip("client", f"route add local {CLIENT_NETWORK}.0.0/16 dev lo")


@contextmanager
def new_bridge() -> Iterator[Network]:
    """
    Create a network for the block: a namespace for each end, and a bridge between.

    Raises:
        UsageError: it cannot be created; the message has the remedy.
    """
    with ExitStack() as stack:
        namespaces: dict[Namespace, int] = {
            "bridge": stack.enter_context(new_namespace()),
            "server": stack.enter_context(new_namespace()),
            "client": stack.enter_context(new_namespace()),
        }
        paths = {
            name: f"/proc/{os.getpid()}/fd/{descriptor}"
            for name, descriptor in namespaces.items()
        }
        for name, command in commands(paths):
            with in_namespace(namespaces[name]):
                run(command)
        settings = _settings()
        for name in ("server", "client"):
            with in_namespace(namespaces[name]):
                _apply(settings)
        yield Network(server=namespaces["server"], client=namespaces["client"])


@contextmanager
def new_namespace() -> Iterator[int]:
    """
    Create a network namespace; yield a descriptor, with which it exists.

    Raises:
        UsageError: it cannot be created; the message has the remedy.
    """
    with _own_descriptor() as before:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(NEW_NETWORK) != 0:
            reason = os.strerror(ctypes.get_errno())
            raise UsageError(
                f"a network namespace cannot be created ({reason}): {REMEDY}"
            )
        try:
            made = _own()
        finally:
            _enter(before)
    try:
        yield made
    finally:
        os.close(made)


@contextmanager
def in_namespace(namespace: int | None) -> Iterator[None]:
    """
    Run the block in a network namespace; processes started in it inherit it.

    Only the calling thread enters it; with ``None`` nothing changes.

    Raises:
        OSError: the kernel refuses.
    """
    if namespace is None:
        yield
        return
    with _own_descriptor() as before:
        _enter(namespace)
        try:
            yield
        finally:
            _enter(before)


def run(command: Sequence[str]) -> None:
    """
    Run a command of iproute2.

    Raises:
        UsageError: it is not installed, or fails.
    """
    find_program(command[0])
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=Path("/")
    )
    if done.returncode != 0:
        reason = done.stderr.strip() or done.stdout.strip()
        raise UsageError(f"{' '.join(command)}: {reason}")


@contextmanager
def _own_descriptor() -> Iterator[int]:
    before = _own()
    try:
        yield before
    finally:
        os.close(before)


def _own() -> int:
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def _enter(namespace: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, NEW_NETWORK) != 0:
        number = ctypes.get_errno()
        raise OSError(
            number, f"cannot enter a network namespace: {os.strerror(number)}"
        )


def _settings() -> dict[Path, str]:
    found = {}
    for name in _SETTINGS:
        path = Path("/proc/sys/net", name)
        with suppress(FileNotFoundError):
            found[path] = path.read_text(encoding="ascii")
    return found


def _apply(settings: dict[Path, str]) -> None:
    for path, text in settings.items():
        if path.exists() and path.read_text(encoding="ascii") != text:
            path.write_text(text, encoding="ascii")
