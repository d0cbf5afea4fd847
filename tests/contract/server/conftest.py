"""The servers of each contestant: one as it is by default, one with all it claims."""

from contextlib import closing

import pytest
from peers.server_process import ServerPool

OTHER_HOST = "127.0.0.2"


@pytest.fixture(scope="session")
def server_pool(starter, certificates):
    """Return the servers ``default`` and ``configured``: host, TLS, compression."""
    claims = starter.subject.claims

    def start_named(name):
        if name == "default":
            return starter.start()
        given = {"HOST": OTHER_HOST}
        if claims.deflate:
            given["COMPRESSION"] = "deflate"
        return starter.start(tls=certificates if claims.tls else None, **given)

    with closing(ServerPool(start_named)) as pool:
        yield pool


@pytest.fixture
def server(pool):
    """Return the server with only a port in its environment."""
    return pool["default"]
