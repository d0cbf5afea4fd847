"""What peers need: packages of Node, certificates, and servers that echo."""

import pytest
from peers.certificates import make_certificates
from peers.node import installed
from peers.websocket import echo, websocket_peer


@pytest.fixture(scope="session")
def node():
    """Return the peers in Node, installed."""
    return installed()


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """Return an authority and a server's certificate for this machine."""
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(params=["python", "node"])
def echo_url(request):
    """Return the address of each server that sends back what comes."""
    if request.param == "python":
        with websocket_peer(echo) as url:
            yield url
    else:
        with request.getfixturevalue("node").serve("ws_server") as server:
            yield server.url
