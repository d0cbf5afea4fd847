"""A throttled network that cannot be made is refused with the reason."""

import os

import pytest

from autostrada.calibration import network
from autostrada.calibration.network import throttled
from autostrada.errors import UsageError


def own_network():
    return os.readlink("/proc/thread-self/ns/net")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("no-such-program",), r"no-such-program is missing: apt|as root"),
        (("ls", "/no/such/folder"), r"no/such/folder|as root"),
    ],
)
def test_a_command_that_fails_is_named_and_the_network_is_left(
    monkeypatch, command, reason
):
    monkeypatch.setattr(network, "COMMANDS", (command,))
    before = own_network()
    with pytest.raises(UsageError, match=reason), throttled():
        pass
    assert own_network() == before
