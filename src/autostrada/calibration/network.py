"""Networks of a calibration: loopback of a low bandwidth, and ends on a bridge."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from autostrada.errors import UsageError
from autostrada.machine.network import Network, bridged, entered, new_namespace, run

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

    Raises:
        NoNetworkError: the network cannot be created; the message has the remedy.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(entered(stack.enter_context(new_namespace())))
            for command in COMMANDS:
                run(command)
        except UsageError as error:
            raise NoNetworkError(str(error)) from error
        yield


@contextmanager
def separated() -> Iterator[Network]:
    """
    Create a network namespace for each end, and a bridge between them.

    Raises:
        NoNetworkError: they cannot be created; the message has the remedy.
    """
    with ExitStack() as stack:
        try:
            network = stack.enter_context(bridged())
        except UsageError as error:
            raise NoNetworkError(str(error)) from error
        yield network


class NoNetworkError(Exception):
    """The network cannot be created; the message has the reason or the remedy."""
