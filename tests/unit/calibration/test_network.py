"""A network namespace: entered and left, or refused with the remedy."""

import os
import subprocess

import pytest

from autostrada.calibration import network
from autostrada.calibration.network import throttled
from autostrada.errors import UsageError


def own_network():
    return os.readlink("/proc/thread-self/ns/net")


def test_a_token_bucket_limits_the_loopback_device_only_inside():
    before = own_network()
    try:
        with throttled():
            shown = subprocess.run(
                ["tc", "qdisc", "show", "dev", "lo"],
                capture_output=True,
                text=True,
                check=True,
            )
            assert own_network() != before
    except UsageError as error:
        pytest.skip(str(error))
    assert " tbf " in shown.stdout
    assert own_network() == before


def test_a_missing_program_is_named_with_its_package(monkeypatch):
    monkeypatch.setattr(network, "COMMANDS", (("no-such-program",),))
    with pytest.raises(UsageError, match=r"no-such-program is missing: apt|as root"):
        throttled().__enter__()


def test_a_failed_command_is_quoted(monkeypatch):
    monkeypatch.setattr(network, "COMMANDS", (("ls", "/no/such/folder"),))
    before = own_network()
    with pytest.raises(UsageError, match=r"no/such/folder|as root"), throttled():
        pass
    assert own_network() == before
