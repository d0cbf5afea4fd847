"""Namespaces that a bridge connects: traffic between them, and their settings."""

import os
import socket
from pathlib import Path

import pytest
from tests.unit.obstacle import needs
from tests.unit.programs import started

from autostrada.machine.network import (
    CLIENT_ADDRESS,
    CLIENT_NETWORK,
    SERVER_ADDRESS,
    in_namespace,
    new_bridge,
)

NOBODY = 65_534


needs_bridge = needs(new_bridge)


def own_network():
    return os.readlink("/proc/thread-self/ns/net")


@needs_bridge
@pytest.mark.parametrize("source", [CLIENT_ADDRESS, f"{CLIENT_NETWORK}.1.250"])
def test_a_client_reaches_the_server_from_each_of_its_addresses(source):
    with new_bridge() as network:
        with in_namespace(network.server):
            server = socket.create_server((SERVER_ADDRESS, 0))
        with in_namespace(network.client):
            client = socket.create_connection(
                server.getsockname(), source_address=(source, 0), timeout=10
            )
        with server, client:
            accepted, (address, _) = server.accept()
            with accepted:
                assert address == source
                client.sendall(b"hello")
                assert accepted.recv(5) == b"hello"


@needs_bridge
def test_only_the_block_is_in_a_namespace():
    before = own_network()
    with new_bridge() as network:
        assert own_network() == before
        with in_namespace(network.server):
            server = own_network()
        with in_namespace(network.client):
            client = own_network()
        with pytest.raises(KeyError), in_namespace(network.server):
            raise KeyError
        assert own_network() == before
    assert len({before, server, client}) == 3


@needs_bridge
def test_a_process_is_started_in_its_namespace(deadline_s):
    with new_bridge() as network:
        running = started("readlink", "/proc/self/ns/net", namespace=network.client)
        with running as process, in_namespace(network.client):
            assert process.read_line(deadline_s) == own_network()


@needs_bridge
def test_the_namespaces_have_the_settings_of_the_machine():
    path = Path("/proc/sys/net/ipv4/tcp_congestion_control")
    with new_bridge() as network, in_namespace(network.server):
        inside = path.read_text()
    assert inside == path.read_text()


def test_without_root_the_remedy_is_named(orchestrate):
    if os.getuid() != 0:
        pytest.skip("only root can become somebody who is not")
    script = f"""
import os
from autostrada.errors import UsageError
from autostrada.machine.network import new_bridge
os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
try:
    with new_bridge():
        pass
except UsageError as error:
    print(error)
"""
    printed = orchestrate(script)
    assert printed.startswith("a network namespace cannot be created (")
    assert "run autostrada as root" in printed
