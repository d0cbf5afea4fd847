"""Each server, started once with each of several environments, and its clients."""

import json
import os
import sys
import time
from contextlib import ExitStack, closing, suppress

import pytest
from peers.certificates import make_certificates
from peers.engine import load
from peers.program import LIMIT_S, finish, start
from peers.protocols import PROTOCOLS

from autostrada.contestants.catalog import find_catalog
from autostrada.machine.ports import (
    await_listener,
    reserved_port,
    sockets_of_port,
)

CATALOG = find_catalog()
KITS = CATALOG.root / "kits"

# The environments of a contestant's servers: each kind and encoding, one and eight
# subscribers, continuous and every 50 ms; one server each for claims and for its own
# host. 48 messages with 5000 stocks are 9.6 MB, more than the kernel's buffers hold.
ENVIRONMENTS = {
    "sequence json": {"MESSAGES": "1000"},
    "sequence binary": {
        "SUBSCRIBERS": "8",
        "EVERY_MS": "50",
        "MESSAGES": "4",
        "HOST": "127.0.0.2",
    },
    "hello json": {"SUBSCRIBERS": "2", "SECONDS": "0.1"},
    "hello binary": {"EVERY_MS": "50", "SECONDS": "0.2"},
    "clock json": {"SUBSCRIBERS": "8", "MESSAGES": "100"},
    "clock binary": {"EVERY_MS": "50", "MESSAGES": "4"},
    "stocks json": {
        "SUBSCRIBERS": "8",
        "EVERY_MS": "50",
        "MESSAGES": "4",
        "STOCKS": "25",
    },
    "stocks binary": {"STOCKS": "5000", "SECONDS": "0.3"},
    "large": {"SUBSCRIBERS": "2", "STOCKS": "5000", "MESSAGES": "48"},
    "slow": {"SUBSCRIBERS": "2", "EVERY_MS": "50", "MESSAGES": "12", "STOCKS": "20000"},
    "series json": {"MESSAGES": "20", "STOCKS": "3", "BARS": "30"},
    "series binary": {"MESSAGES": "20", "STOCKS": "3", "BARS": "30"},
}
SERIES = ["series json", "series binary"]
FEEDS = [name for name in ENVIRONMENTS if name not in ("large", "slow", *SERIES)]
FEEDS_OF_A_KIT = ["hello json", "hello binary", "clock binary"]
"""Feeds whose further properties the kit decides: its messages and its schedule."""

TLS_FEED = "clock json"
COMPRESSED_FEED = "stocks json"
HAS_FAILED = pytest.StashKey[bool]()


class ServerProcess:
    """A started server; reading its address waits until it listens."""

    def __init__(self, starter, environment, tls):
        self.environment = environment
        self.tls = tls
        self.protocol = starter.protocol
        self.stack = ExitStack()
        self.port = self.stack.enter_context(reserved_port())
        given = {"PORT": str(self.port)} | environment
        self.process = self.stack.enter_context(
            start(starter.contestant, starter.built, "server", given)
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    @property
    def url(self):
        """Address of the server; waits until it listens."""
        listens = await_listener(self.process, self.port, time.monotonic() + LIMIT_S)
        assert listens, finish(self.process).stderr
        return f"{'wss' if self.tls else 'ws'}://{self.host}:{self.port}"

    @property
    def host(self):
        return self.environment.get("HOST", "127.0.0.1")

    def connect(self, path, *, compression=None, is_narrow=False):
        """Connect to a path once the server listens; return a context manager."""
        tls = self.tls.client() if self.tls else None
        url = self.protocol.address(self.url, path)
        encoding = self.environment.get("ENCODING")
        return self.protocol.connect(
            url,
            compression=compression,
            tls=tls,
            encoding=encoding,
            is_narrow=is_narrow,
        )

    def result(self):
        """Return the server's next result; skip the seconds before it."""
        while True:
            line = json.loads(self.process.read_line(time.monotonic() + LIMIT_S))
            if line["event"] == "result":
                return line
            assert line["event"] == "second"


class Starter:
    """A contestant whose server is built and can be started."""

    def __init__(self, contestant, built, stocks_file):
        self.contestant = contestant
        self.built = built
        self.stocks_file = stocks_file
        self.protocol = PROTOCOLS[contestant.protocol]

    @property
    def claims(self):
        return self.contestant.manifest.server

    def start(self, tls=None, **environment):
        if tls:
            environment["TLS_CERT"] = str(tls.certificate_file)
            environment["TLS_KEY"] = str(tls.key_file)
        return ServerProcess(self, environment, tls)


class ServerPool:
    """The servers of one contestant, one per environment, started on first use."""

    def __init__(self, starter, certificates):
        self.starter = starter
        self.certificates = certificates
        self.servers = {}
        self.used = set()

    def __getitem__(self, name):
        self.used.add(name)
        if name not in self.servers:
            self.servers[name] = self._start(name)
        return self.servers[name]

    def discard(self):
        """End the servers that a failed test used, even during a feed."""
        for name in self.used:
            with self.servers.pop(name):
                pass

    def close(self):
        # Terminate all servers before waiting for the first.
        for server in self.servers.values():
            with suppress(ProcessLookupError):
                os.kill(server.process.pid, 15)
        for server in self.servers.values():
            with server:
                pass

    def _start(self, name):
        return self.starter.start(
            tls=self.certificates if is_tls(self.starter, name) else None,
            **environment(self.starter, name),
        )


def is_tls(starter, name):
    return name == TLS_FEED and starter.claims.tls


def environment(starter, name):
    kind, encoding = ("stocks", "binary")
    if name in FEEDS:
        kind, encoding = name.split()
    elif name in SERIES:
        encoding = name.split()[1]
    given = dict(ENVIRONMENTS[name]) if starter.claims.feed else {}
    if starter.claims.feed:
        given |= {"FEED": kind, "ENCODING": encoding}
        if kind == "stocks":
            given["STOCKS_FILE"] = str(starter.stocks_file)
    if "HOST" in ENVIRONMENTS[name]:
        given["HOST"] = ENVIRONMENTS[name]["HOST"]
    if name == COMPRESSED_FEED and starter.claims.deflate:
        given["COMPRESSION"] = "deflate"
    return given


@pytest.fixture(scope="session")
def sockets():
    return sockets_of_port


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def starter(request, build):
    """Return each server in turn."""
    return Starter(request.param, build(request.param), KITS / "stocks.csv")


@pytest.fixture(scope="session")
def server_pool(starter, certificates):
    with closing(ServerPool(starter, certificates)) as pool:
        yield pool


@pytest.fixture
def pool(server_pool, request):
    """Return the servers; those that a failed test used are discarded."""
    server_pool.used.clear()
    yield server_pool
    if request.node.stash.get(HAS_FAILED, False):
        server_pool.discard()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Record that a test has failed, for the fixtures that clean up after it."""
    report = yield
    if report.failed:
        item.stash[HAS_FAILED] = True
    return report


@pytest.fixture
def echo_server(pool):
    return pool["sequence json"]


@pytest.fixture(params=[name for name in FEEDS if name not in FEEDS_OF_A_KIT])
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


@pytest.fixture
def load_at(certificates):
    """Return a function that makes the engine load a path of a server."""

    def load_path(server, path, *, session=None, **plan):
        if server.tls:
            plan["tls"] = {"ca_file": str(certificates.ca_file)}
        protocol_keys = server.protocol.load_plan(server.url, path, **(session or {}))
        return load(**protocol_keys, **plan)

    return load_path


@pytest.fixture(scope="session")
def vectors():
    """Return the module that computes the expected messages."""
    sys.path.insert(0, str(KITS))
    try:
        import vectors
    finally:
        sys.path.pop(0)
    return vectors
