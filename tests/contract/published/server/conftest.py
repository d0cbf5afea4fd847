"""Each published server, started once with each of several environments."""

from contextlib import closing

import pytest
from peers.server_process import ServerPool

# Each kind and encoding, one and eight subscribers, continuous and every 50 ms. 48
# messages with 5000 stocks are 9.6 MB, more than the kernel's buffers hold.
FEEDS = {
    "sequence json": {"MESSAGES": "1000"},
    "sequence binary": {"SUBSCRIBERS": "8", "EVERY_MS": "50", "MESSAGES": "4"},
    "clock json": {"SUBSCRIBERS": "8", "MESSAGES": "100"},
    "stocks json": {
        "SUBSCRIBERS": "8",
        "EVERY_MS": "50",
        "MESSAGES": "4",
        "STOCKS": "25",
    },
    "stocks binary": {"STOCKS": "5000", "SECONDS": "0.3"},
}
FEEDS_OF_A_KIT = {
    "hello json": {"SUBSCRIBERS": "2", "SECONDS": "0.1"},
    "hello binary": {"EVERY_MS": "50", "SECONDS": "0.2"},
    "clock binary": {"EVERY_MS": "50", "MESSAGES": "4"},
}
"""Feeds whose further properties the kit decides: its messages and its schedule."""

# More bars, and more stocks, than there are records.
SERIES = {
    "stocks json series": {"MESSAGES": "20", "STOCKS": "3", "BARS": "30"},
    "stocks binary series": {"MESSAGES": "20", "STOCKS": "25", "BARS": "2"},
}
LONG = {
    "stocks binary large": {"SUBSCRIBERS": "2", "STOCKS": "5000", "MESSAGES": "48"},
    "stocks binary slow": {
        "SUBSCRIBERS": "2",
        "EVERY_MS": "50",
        "MESSAGES": "12",
        "STOCKS": "20000",
    },
}
ENVIRONMENTS = FEEDS | FEEDS_OF_A_KIT | SERIES | LONG
"""Environments by name, which begins with the kind and the encoding."""

TLS_FEED = "clock json"
COMPRESSED_FEED = "stocks json"


@pytest.fixture(scope="session")
def server_pool(starter, certificates, stocks_file):
    """Return the servers by the name of their feed."""
    claims = starter.subject.claims

    def start_named(name):
        kind, encoding, *_ = name.split()
        given = {"FEED": kind, "ENCODING": encoding} | ENVIRONMENTS[name]
        if kind == "stocks":
            given["STOCKS_FILE"] = str(stocks_file)
        if name == COMPRESSED_FEED and claims.deflate:
            given["COMPRESSION"] = "deflate"
        has_tls = name == TLS_FEED and claims.tls
        return starter.start(tls=certificates if has_tls else None, **given)

    with closing(ServerPool(start_named)) as pool:
        yield pool


@pytest.fixture(params=FEEDS)
def feeding(request, pool):
    """Return the server of each feed in turn."""
    return pool[request.param]


@pytest.fixture(params=FEEDS_OF_A_KIT)
def feeding_of_kit(request, pool):
    """Return the server of each feed in turn, for one contestant of each kit."""
    return pool[request.param]


@pytest.fixture(params=SERIES)
def series(request, pool):
    """Return the server of each feed of series in turn."""
    return pool[request.param]
