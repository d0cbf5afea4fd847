"""A network of one's own on this machine, through which little passes."""

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
"""As tc-tbf(8) has them."""

COMMANDS = (
    # As on a real one: what is longer than the bucket is deep never gets through.
    ("ip", "link", "set", "lo", "up", "mtu", "1500"),
    ("tc", "qdisc", "add", "dev", "lo", "root", "tbf", *BUCKET),
)


class NoNetworkError(Exception):
    """No such network can be made here; says why, with the remedy."""


@contextmanager
def throttled() -> Iterator[None]:
    """
    Be in a network of its own, whose loopback device lets 20 Mbit/s through.

    What is started inside belongs to it. It is gone when we have left it, and all of
    these are gone.

    Raises:
        NoNetworkError: we may not, or cannot.
    """
    missing = [words[0] for words in COMMANDS if shutil.which(words[0]) is None]
    if missing:
        raise NoNetworkError(f"{missing[0]} is missing: apt install iproute2")
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        if libc.unshare(NEW_NETWORK) != 0:
            reason = os.strerror(ctypes.get_errno())
            raise NoNetworkError(f"a network of our own takes root ({reason})")
        try:
            _set_up()
            yield
        finally:
            if libc.setns(before, NEW_NETWORK) != 0:
                raise OSError(ctypes.get_errno(), "cannot leave our own network")
    finally:
        os.close(before)


def _set_up() -> None:
    for words in COMMANDS:
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, cwd=Path("/")
        )
        if done.returncode != 0:
            raise NoNetworkError(f"{' '.join(words[:3])}: {done.stderr.strip()}")
