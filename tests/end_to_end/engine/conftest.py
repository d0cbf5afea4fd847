"""Fixtures for peers: Node, and certificates."""

import pytest
from peers.certificates import make_certificates
from peers.node import installed


@pytest.fixture(scope="session")
def node():
    """Return the Node peers, installed."""
    return installed()


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """Return a certificate authority and a server certificate for this machine."""
    return make_certificates(tmp_path_factory.mktemp("certificates"))
