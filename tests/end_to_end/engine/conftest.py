"""Fixtures for peers: Node and Rust, certificates, and echo servers."""

import pytest
from peers.certificates import make_certificates
from peers.library import LIBRARIES, Library
from peers.node import installed
from peers.rust import built


@pytest.fixture(scope="session")
def node():
    """Return the Node peers, installed."""
    return installed()


@pytest.fixture(scope="session")
def rust():
    """Return the Rust peers, built."""
    return built()


@pytest.fixture(params=LIBRARIES)
def library(request):
    """Return each library, in both roles."""
    return Library(
        request.param,
        node=lambda: request.getfixturevalue("node"),
        rust=lambda: request.getfixturevalue("rust"),
    )


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """Return a certificate authority and a server certificate for this machine."""
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def echo_url(library):
    """Return the address of each library's echo server."""
    with library.echo() as url:
        yield url
