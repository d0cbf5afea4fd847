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

# What each server of a fleet is told. Each kind and encoding, one and eight members,
# continuous and every 50 ms; of claims, and of a host of its own, each is tried by one.
# 48 messages with 5000 stocks are 9.6 MB, more than the kernel's buffers have room for.
FLEET = {
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
}
FEEDS = [name for name in FLEET if name not in ("large", "slow")]
FEEDS_OF_A_KIT = ["hello json", "hello binary", "clock binary"]
"""What they check beside the others is the kit's: its messages and its schedule."""

SPEAKS_TLS = "clock json"
COMPRESSES = "stocks json"
HAS_FAILED = pytest.StashKey[bool]()


class ServerProcess:
    """A server that is started; it is waited for when its address is asked for."""

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
        """Its address, once it listens."""
        listens = await_listener(self.process, self.port, time.monotonic() + LIMIT_S)
        assert listens, finish(self.process).stderr
        return f"{'wss' if self.tls else 'ws'}://{self.host}:{self.port}"

    @property
    def host(self):
        return self.environment.get("HOST", "127.0.0.1")

    def connect(self, path, *, compression=None, is_narrow=False):
        """Connect to a path once it listens; return the conversation as a context."""
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
        """Return its next result; the seconds before it are left out."""
        while True:
            line = json.loads(self.process.read_line(time.monotonic() + LIMIT_S))
            if line["event"] == "result":
                return line
            assert line["event"] == "second"


class Starter:
    """A contestant whose server is built, and can be started."""

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


class Fleet:
    """The servers of one contestant, each with another environment, once asked for."""

    def __init__(self, starter, certificates):
        self.starter = starter
        self.certificates = certificates
        self.members = {}
        self.lent = set()

    def __getitem__(self, name):
        self.lent.add(name)
        if name not in self.members:
            self.members[name] = self._start(name)
        return self.members[name]

    def discard(self):
        """End what a test had that failed, with what its feed left unsaid."""
        for name in self.lent:
            with self.members.pop(name):
                pass

    def close(self):
        # All are asked before one is waited for.
        for member in self.members.values():
            with suppress(ProcessLookupError):
                os.kill(member.process.pid, 15)
        for member in self.members.values():
            with member:
                pass

    def _start(self, name):
        return self.starter.start(
            tls=self.certificates if is_tls(self.starter, name) else None,
            **environment(self.starter, name),
        )


def is_tls(starter, name):
    return name == SPEAKS_TLS and starter.claims.tls


def environment(starter, name):
    kind, encoding = name.split() if name in FEEDS else ("stocks", "binary")
    given = dict(FLEET[name]) if starter.claims.feed else {}
    if starter.claims.feed:
        given |= {"FEED": kind, "ENCODING": encoding}
        if kind == "stocks":
            given["STOCKS_FILE"] = str(starter.stocks_file)
    if "HOST" in FLEET[name]:
        given["HOST"] = FLEET[name]["HOST"]
    if name == COMPRESSES and starter.claims.deflate:
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
def started_fleet(starter, certificates):
    with closing(Fleet(starter, certificates)) as fleet:
        yield fleet


@pytest.fixture
def fleet(started_fleet, request):
    """Return the servers; no other test gets those that were part of a failure."""
    started_fleet.lent.clear()
    yield started_fleet
    if request.node.stash.get(HAS_FAILED, False):
        started_fleet.discard()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Remember that a test has failed, for the fixtures that clear up after it."""
    report = yield
    if report.failed:
        item.stash[HAS_FAILED] = True
    return report


@pytest.fixture
def echo_server(fleet):
    return fleet["sequence json"]


@pytest.fixture(params=[name for name in FEEDS if name not in FEEDS_OF_A_KIT])
def feeding(request, fleet):
    """Return the server of each feed in turn."""
    return fleet[request.param]


@pytest.fixture(params=FEEDS_OF_A_KIT)
def feeding_of_kit(request, fleet):
    """Return the server of each feed in turn that one contestant of a kit has."""
    return fleet[request.param]


@pytest.fixture
def load_at(certificates):
    """Return a function that has the engine put a load on a path of a server."""

    def load_path(server, path, *, session=None, **plan):
        if server.tls:
            plan["tls"] = {"ca_file": str(certificates.ca_file)}
        spoken = server.protocol.load_plan(server.url, path, **(session or {}))
        return load(**spoken, **plan)

    return load_path


@pytest.fixture(scope="session")
def vectors():
    """Return the module that has worked out what messages are."""
    sys.path.insert(0, str(KITS))
    try:
        import vectors
    finally:
        sys.path.pop(0)
    return vectors
