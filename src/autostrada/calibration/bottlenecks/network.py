"""A separate network namespace whose loopback device has a low bandwidth."""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NEW_NETWORK = 0x40000000
"""CLONE_NEWNET (namespaces(7))."""

BUCKET = ("rate", "20mbit", "burst", "32kbit", "latency", "50ms")
"""Parameters of the token bucket filter (tc-tbf(8))."""

COMMANDS = (
    # The usual MTU of Ethernet: packets larger than the bucket would be dropped.
    ("ip", "link", "set", "lo", "up", "mtu", "1500"),
    ("tc", "qdisc", "add", "dev", "lo", "root", "tbf", *BUCKET),
)


class NoNetworkError(Exception):
    """The network cannot be created; the message has the reason or the remedy."""


@contextmanager
def throttled() -> Iterator[None]:
    """
    Run the block in its own network namespace, with loopback limited to 20 Mbit/s.

    Processes started in the block belong to it. The kernel removes it after the block,
    when all of these processes have ended.

    Raises:
        NoNetworkError: the network cannot be created, or root permission is missing.
    """
    missing = [command[0] for command in COMMANDS if shutil.which(command[0]) is None]
    if missing:
        raise NoNetworkError(f"{missing[0]} is missing: apt install iproute2")
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        if libc.unshare(NEW_NETWORK) != 0:
            reason = os.strerror(ctypes.get_errno())
            raise NoNetworkError(f"a separate network needs root ({reason})")
        try:
            _set_up()
            yield
        finally:
            if libc.setns(before, NEW_NETWORK) != 0:
                raise OSError(ctypes.get_errno(), "cannot leave the separate network")
    finally:
        os.close(before)


def _set_up() -> None:
    for command in COMMANDS:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=Path("/")
        )
        if done.returncode != 0:
            raise NoNetworkError(f"{' '.join(command[:3])}: {done.stderr.strip()}")
