"""The network of a calibration: a loopback device of a low bandwidth."""

from collections.abc import Iterator
from contextlib import contextmanager

from autostrada.machine.network import in_namespace, new_namespace, run

BUCKET = ("rate", "20mbit", "burst", "32kbit", "latency", "50ms")
"""Parameters of the token bucket filter (tc-tbf(8))."""

COMMANDS = (
    # The usual MTU of Ethernet: packets larger than the bucket would be dropped.
    ("ip", "link", "set", "lo", "up", "mtu", "1500"),
    ("tc", "qdisc", "add", "dev", "lo", "root", "tbf", *BUCKET),
)


@contextmanager
def throttled() -> Iterator[None]:
    """
    Run the block in its own network namespace, with loopback limited to 20 Mbit/s.

    Processes started in the block belong to it. The kernel removes it after the block,
    when all of these processes have ended.
    """
    with new_namespace() as namespace, in_namespace(namespace):
        for command in COMMANDS:
            run(command)
        yield
