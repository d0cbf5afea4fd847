"""Fixtures: contestants, each built once, and servers that tests control exactly."""

import contextlib
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from peers.echo_server import EchoServer, echo
from peers.program import LIMIT_S, finish, start
from peers.protocols import PROTOCOLS
from peers.raw_peers import RAW_PEERS
from receipts import Receipts, Recorder
from xdist.scheduler import LoadScopeScheduling

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import Contestant, content_digest
from autostrada.contestants.kit import read_kits
from autostrada.contestants.requirement import check
from autostrada.contestants.verify import selected
from autostrada.errors import NotInstalled

CATALOG = find_catalog()
CONTESTANTS = selected()
MAY_BE_MISSING = os.environ.get("MAY_BE_MISSING", "").split(",")
KITS = read_kits(CATALOG.root / "kits")
BUILDER = Builder.of(CATALOG)
RECEIPTS = Receipts(CATALOG.root)

KIT_TESTS = "tests/contract/test_kits.py"

CLIENT_WORKLOADS = {"client": "receive", "echo_client": "echo", "feed_client": "feed"}
"""Fixtures of clients, and the workload that such a client must claim."""
CONTESTANT_FIXTURES = CLIENT_WORKLOADS.keys() | {"starter"}
"""Fixtures that are parametrised with the contestants."""


def has_pace(*paces):
    """Return a condition: how servers treat slow subscribers, clauses 8.7 to 8.13."""
    return lambda each: each.environment("server").get("PACE", "paced") in paces


CONDITIONS = {
    "frames": lambda contestant: contestant.protocol == "websocket",
    "HTTP": lambda contestant: contestant.protocol != "framed-tcp",
    "Socket.IO": lambda contestant: contestant.protocol.startswith("socketio"),
    "polling": lambda contestant: contestant.protocol == "socketio",
    "client compression": lambda contestant: contestant.has_deflate("client"),
    "server compression": lambda contestant: contestant.has_deflate("server"),
    "TLS": lambda contestant: contestant.manifest.server.tls,
    "feed": lambda contestant: contestant.manifest.server.feed,
    **{pace: has_pace(pace) for pace in ("paced", "unpaced", "dropping")},
    "complete": has_pace("paced", "unpaced"),
    "work": lambda contestant: contestant.manifest.server.work,
    "bars": lambda contestant: contestant.manifest.server.bars,
    "decode": lambda contestant: contestant.manifest.client.decode,
    "seconds": lambda contestant: contestant.manifest.client.seconds,
    "push": lambda contestant: contestant.manifest.server.push,
    "packets": lambda contestant: contestant.environment("server").get("PACKETS"),
    "first of its kit": lambda contestant: is_first_of_its_kit(contestant, "starter"),
}
"""Conditions for contestants, by the argument of the mark ``where``."""


def pytest_addoption(parser):
    text = "leave out cases that the same contestant has passed with the same suite"
    parser.addoption("--only-changed", action="store_true", help=text)


def pytest_configure(config):
    marker = "where(condition): the test is about contestants that meet it"
    config.addinivalue_line("markers", marker)
    # With several processes, the first one receives the reports of the others.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(RECEIPTS))


def pytest_generate_tests(metafunc):
    """Parametrise each test with the contestants that claim what it tests."""
    marks = metafunc.definition.iter_markers("where")
    conditions = [CONDITIONS[name] for mark in marks for name in mark.args]
    for program in CONTESTANT_FIXTURES & {*metafunc.fixturenames}:
        contestants = [
            each
            for each in contestants_of(program)
            if all(condition(each) for condition in conditions)
            and (is_of_feeds(metafunc.module) or not each.is_feed_only)
        ]
        metafunc.parametrize(
            program,
            contestants,
            ids=lambda each: each.name,
            indirect=True,
            scope="session",
        )


def is_of_feeds(module):
    """Whether all cases of a module are about feeds."""
    return module.__name__.rpartition(".")[2] == "test_feed"


def contestants_of(program):
    """Return the contestants with a server, or with a client that claims a workload."""
    if program == "starter":
        return [each for each in CONTESTANTS.values() if each.has("server")]
    return [
        each
        for each in CONTESTANTS.values()
        if each.has("client") and CLIENT_WORKLOADS[program] in each.workloads
    ]


def is_first_of_its_kit(contestant, program):
    """
    Return whether a contestant is the first installed one of those that use its kit.

    Cases that the kit decides run for this contestant only; the others are tested for
    whether they use the kit.
    """
    return contestant.name == first_of_kit(contestant.kit, program)


@cache
def first_of_kit(kit, program):
    """Return the name of the first installed contestant that uses a kit."""
    same = [each for each in contestants_of(program) if each.kit == kit]
    return next((each for each in same if is_installed(each)), same[0]).name


def is_installed(contestant):
    """Return whether a contestant's requirements are installed on this machine."""
    try:
        check(contestant.manifest.requires, contestant.folder)
    except NotInstalled:
        return False
    return True


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Name the contestant of each case, and sort cases by contestant."""
    left_out = set()
    for item in items:
        parameters = getattr(item, "callspec", None)
        for name, value in parameters.params.items() if parameters else ():
            if isinstance(value, Contestant):
                item.user_properties.append(("contestant", value.name))
                folder, case = builds_of(value.build_name), case_of(item, value, name)
            elif name == "kit":
                folder, case = builds_of_kit(value), item.nodeid
            else:
                continue
            item.user_properties += [("receipt", str(folder)), ("case", case)]
            if case in RECEIPTS.passed(folder):
                left_out.add(item)
    if config.getoption("only_changed"):
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    # Pytest groups by the index of a parameter, which differs between tests.
    order = {}
    for item in items:
        order.setdefault(group_of(item.nodeid), len(order))
    items.sort(key=lambda item: order[group_of(item.nodeid)])


@cache
def builds_of(build_name):
    """Return the folder of a contestant's build; its name has the digest."""
    return BUILDER.target(
        next(each for each in CONTESTANTS.values() if each.build_name == build_name)
    )


@cache
def builds_of_kit(kit):
    """Return a folder for a kit; its name has the digest."""
    digest = content_digest({kit: CATALOG.root / "kits" / kit})
    return CATALOG.root / ".build" / "kits" / f"{kit}-{digest[:16]}"


def case_of(item, contestant, program):
    """Return the ID of a case; the first contestant of its kit is tested further."""
    is_first = is_first_of_its_kit(contestant, program)
    return item.nodeid + (" of the kit" if is_first else "")


def group_of(nodeid):
    """Return the group of a case: those of one server, or of a client in one file."""
    path, _, case = nodeid.partition("::")
    parameters = case.partition("[")[2]
    names = [name for name in CONTESTANTS if name in parameters]
    folder = path.rpartition("/")[0] if "/server/" in path else path
    return f"{folder} {max(names, key=len)}" if names else nodeid


class ByContestant(LoadScopeScheduling):
    """
    Assigns the cases of one server, or of a client in one file, to one process.

    Each server is then started once, and one run of a client serves several cases. The
    groups of pytest-xdist 3.8 have no effect with pytest 9.2. The most expensive groups
    come first, so that no process starts one when all others are finished.
    """

    def _assign_work_unit(self, node):
        most_expensive = max(self.workqueue, key=self._cost)
        self.workqueue.move_to_end(most_expensive, last=False)
        super()._assign_work_unit(node)

    def _cost(self, scope):
        """Return a sort key: compiled, starting slowly, number of cases."""
        contestant = CONTESTANTS.get(scope.rpartition(" ")[2])
        kit = KITS.get(contestant.kit) if contestant else None
        starts_slowly = kit is not None and kit.starts_slowly
        is_compiled = scope.startswith(KIT_TESTS)
        return is_compiled, starts_slowly, len(self.workqueue[scope])

    def _split_scope(self, nodeid):
        return group_of(nodeid)


def pytest_xdist_make_scheduler(config, log):
    return ByContestant(config, log)


class ClientProgram:
    """A built contestant that can be started."""

    def __init__(self, contestant, built):
        self.contestant = contestant
        self.built = built
        self.protocol = PROTOCOLS[contestant.protocol]

    def start(self, **environment):
        # The shell may set this variable to the terminal's height: see clause 4.
        given = {"LINES": "json"} | environment
        return start(self.contestant, self.built, "client", given)

    def run(self, **environment):
        """Run the client until it ends."""
        (finished,) = self.run_all([environment])
        return finished

    def run_all(self, environments):
        """Run the client in each environment, all concurrently, until they end."""
        with contextlib.ExitStack() as stack:
            started = [
                stack.enter_context(self.start(**environment))
                for environment in environments
            ]
            return [finish(process) for process in started]


def client_fixture(name):
    """Return a fixture of clients: each one that claims its workload."""

    @pytest.fixture(scope="session", name=name)
    def fixture(request, build):
        return ClientProgram(request.param, build(request.param))

    return fixture


client, echo_client, feed_client = map(client_fixture, CLIENT_WORKLOADS)


@pytest.fixture
def program(request):
    """Return the name of the fixture that provides the contestant of a test."""
    (name,) = CONTESTANT_FIXTURES & {*request.fixturenames}
    return name


@pytest.fixture
def protocol(request, program):
    """Return the protocol of the contestant of a test."""
    return request.getfixturevalue(program).protocol


@pytest.fixture
def choose_cases(request, program):
    """Return a function that chooses which cases of a kit to run for a contestant."""
    contestant = request.getfixturevalue(program).contestant

    def choose(cases, *, of_each=1):
        return cases if is_first_of_its_kit(contestant, program) else cases[:of_each]

    return choose


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """Return a function that builds a contestant; builds are kept for later runs."""
    return lambda contestant: build_or_skip(contestant, tmp_path_factory)


def build_or_skip(contestant, tmp_path_factory):
    try:
        with pytest.MonkeyPatch.context() as patch:
            # A developer's variable must not affect a build.
            patch.setenv("CARGO_TARGET_DIR", str(tmp_path_factory.mktemp("target")))
            return BUILDER.build(contestant, announce=lambda what: None)
    except NotInstalled as error:
        if "CI" in os.environ and contestant.folder.name not in MAY_BE_MISSING:
            raise
        pytest.skip(f"{contestant.folder.name}: {error}")


class RawServer:
    """Accepts one connection in a thread and runs a script with it."""

    def __init__(self, script, to_peer):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(LIMIT_S)
        port = self._listener.getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/10"
        self._to_peer = to_peer
        self._threads = ThreadPoolExecutor(1)
        self.served = self._threads.submit(self._serve, script)

    def _serve(self, script):
        connection, _ = self._listener.accept()
        # Refuses a library that connects again.
        self._listener.close()
        with connection:
            connection.settimeout(LIMIT_S)
            peer = self._to_peer(connection)
            with peer.file:
                return script(peer)

    def close(self):
        self._listener.close()
        self._threads.shutdown()


def close_properly(peer):
    peer.close(1001)
    peer.read_close()


def end_the_stream(peer):
    pass


def reset(peer):
    peer.reset()


ENDS = [reset, close_properly, end_the_stream]


@pytest.fixture
def ends():
    """Return all ways in which a server may end a connection."""
    return ENDS


@pytest.fixture(params=ENDS)
def end(request):
    """Return each way to end a connection in turn."""
    return request.param


@pytest.fixture(scope="session")
def raw_server_of():
    """Return a function that starts a server with a protocol and a script."""

    def start(protocol, script):
        server = RawServer(script, RAW_PEERS[protocol.name])
        return contextlib.closing(server)

    return start


@pytest.fixture
def raw_server(protocol, raw_server_of):
    """Return a function that starts a server with a script."""
    with contextlib.ExitStack() as stack:
        yield lambda script: stack.enter_context(raw_server_of(protocol, script))


@pytest.fixture
def unused_url():
    """Return an address with no listener."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"ws://127.0.0.1:{listener.getsockname()[1]}/10"


@pytest.fixture
def echo_server(protocol):
    """Return a function that starts a server with the given answers."""
    with contextlib.ExitStack() as stack:

        def start(answer=echo, process_request=None):
            server = EchoServer(protocol, answer, process_request)
            return stack.enter_context(contextlib.closing(server))

        yield start
