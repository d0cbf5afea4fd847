"""Fixtures: contestants, each built once, and servers that tests control exactly."""

import contextlib
import os
import socket
from dataclasses import dataclass
from functools import cache

import pytest
from peers.certificates import make_certificates
from peers.program import finish, start
from peers.protocols import PROTOCOLS
from peers.raw_peers import RawServer
from peers.script_server import ScriptServer
from peers.server_process import Starter
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
HAS_FAILED = pytest.StashKey[bool]()

KIT_TESTS = "tests/contract/test_kits.py"

FIXTURES = {"client": "client", "starter": "server"}
"""Fixtures that are parametrized with the contestants, and the role of each."""


@dataclass(frozen=True)
class Subject:
    """A contestant, and the one of its programs that a case tests."""

    contestant: Contestant
    role: str
    published: bool

    @property
    def name(self):
        return self.contestant.name

    @property
    def protocol(self):
        return self.contestant.protocol

    @property
    def claims(self):
        """The program's table in the manifest."""
        return self.contestant.program(self.role, published=self.published)

    @property
    def has_page_clock(self):
        """Whether its instants are those of a page, whose clock is inexact."""
        return self.contestant.manifest.language == "browser"

    def variable(self, name):
        """Return a variable that the manifest sets for the program."""
        return self.contestant.environment(self.claims).get(name)

    @property
    def is_first_of_its_kit(self):
        """
        Whether this is the first installed one of those that use its kit.

        Cases that the kit decides run for this contestant only; the others are tested
        for whether they use the kit.
        """
        kit = self.contestant.kit
        return self.name == first_of_kit(kit, self.role, self.published)


@cache
def subjects(role, published):
    """Return the contestants that have a program with this role."""
    return [
        Subject(each, role, published)
        for each in CONTESTANTS.values()
        if each.has(role, published=published)
    ]


@cache
def first_of_kit(kit, role, published):
    """Return the name of the first installed contestant that uses a kit."""
    contestants = [each.contestant for each in subjects(role, published)]
    same = [each for each in contestants if each.kit == kit]
    return next((each for each in same if is_installed(each)), same[0]).name


def is_installed(contestant):
    """Return whether a contestant's requirements are installed on this machine."""
    try:
        check(contestant.manifest.requires, contestant.folder)
    except NotInstalled:
        return False
    return True


def claims(name):
    """Return a condition: the manifest claims something of the program."""
    return lambda subject: getattr(subject.claims, name)


def has_pace(*paces):
    """Return a condition: how servers treat slow subscribers of feeds."""
    return lambda subject: (subject.variable("PACE") or "paced") in paces


CLAIMS = (
    *("deflate", "optional_deflate", "tls", "publish", "reply"),
    *("bars", "work", "push", "decode", "seconds"),
)
CONDITIONS = {
    **{name: claims(name) for name in CLAIMS},
    **{pace: has_pace(pace) for pace in ("paced", "unpaced", "dropping")},
    "complete": has_pace("paced", "unpaced"),
    "packets": lambda subject: subject.variable("PACKETS"),
    "feed": lambda subject: not subject.claims.push,
    "frames": lambda subject: subject.protocol == "websocket",
    "HTTP": lambda subject: subject.protocol != "framed-tcp",
    "Socket.IO": lambda subject: subject.protocol.startswith("socketio"),
    "clock": lambda subject: not subject.has_page_clock,
    "polling": lambda subject: subject.protocol == "socketio",
    "first of its kit": lambda subject: subject.is_first_of_its_kit,
}
"""Conditions for contestants, by the arguments of the mark ``where``."""


def pytest_addoption(parser):
    text = "leave out cases that the same contestant has passed with the same suite"
    parser.addoption("--only-changed", action="store_true", help=text)


def pytest_configure(config):
    marker = "where(*conditions): the test is about contestants that meet them"
    config.addinivalue_line("markers", marker)
    marker = "clause(number): what the test checks, of the contract or `published`"
    config.addinivalue_line("markers", marker)
    # With several processes, the first one receives the reports of the others.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(RECEIPTS))


def pytest_generate_tests(metafunc):
    """Parametrize each test with the contestants that claim what it tests."""
    marks = metafunc.definition.iter_markers("where")
    conditions = [CONDITIONS[name] for mark in marks for name in mark.args]
    published = "/contract/published/" in metafunc.definition.path.as_posix()
    for fixture in FIXTURES.keys() & {*metafunc.fixturenames}:
        tested = [
            each
            for each in subjects(FIXTURES[fixture], published)
            if all(condition(each) for condition in conditions)
        ]
        metafunc.parametrize(
            fixture, tested, ids=lambda each: each.name, indirect=True, scope="session"
        )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Name the contestant and the clause of each case, sort cases by contestant."""
    left_out = set()
    for item in items:
        if clause := item.get_closest_marker("clause"):
            item.user_properties.append(("clause", *clause.args))
        parameters = getattr(item, "callspec", None)
        for name, value in parameters.params.items() if parameters else ():
            if isinstance(value, Subject):
                item.user_properties.append(("contestant", value.name))
                folder = builds_of(value.contestant.build_name)
                # The first contestant of its kit is tested further.
                of_kit = " of the kit" if value.is_first_of_its_kit else ""
                case = item.nodeid + of_kit
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Record that a test has failed, for the fixtures that clean up after it."""
    report = yield
    if report.failed:
        item.stash[HAS_FAILED] = True
    return report


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


class ClientProgram:
    """A contestant whose client is built and can be started."""

    def __init__(self, subject, built):
        self.subject = subject
        self.built = built
        self.protocol = PROTOCOLS[subject.protocol]

    def start(self, **environment):
        contestant, published = self.subject.contestant, self.subject.published
        return start(contestant, self.built, "client", environment, published=published)

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


@pytest.fixture(scope="session")
def client(request, build):
    """Return each client in turn."""
    return ClientProgram(request.param, build(request.param.contestant))


@pytest.fixture(scope="session")
def starter(request, build):
    """Return each server in turn."""
    return Starter(request.param, build(request.param.contestant))


@pytest.fixture
def pool(server_pool, request):
    """Return the servers; those that a failed test used are discarded."""
    server_pool.used.clear()
    yield server_pool
    if request.node.stash.get(HAS_FAILED, False):
        server_pool.discard()


@pytest.fixture
def program(request):
    """Return the program of a test."""
    (name,) = FIXTURES.keys() & {*request.fixturenames}
    return request.getfixturevalue(name)


@pytest.fixture
def protocol(program):
    """Return the protocol of the contestant of a test."""
    return program.protocol


@pytest.fixture
def choose_cases(program):
    """Return a function that chooses which cases of a kit to run for a contestant."""
    is_first = program.subject.is_first_of_its_kit
    return lambda cases: cases if is_first else cases[:1]


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """Return an authority and a certificate for the addresses of all servers."""
    return make_certificates(tmp_path_factory.mktemp("certificates"), "127.0.0.2")


@pytest.fixture
def unused_url():
    """Return an address with no listener."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"ws://127.0.0.1:{listener.getsockname()[1]}/10"


def closing_fixture(name, server_class):
    """Return a fixture: a function that starts a server of the protocol."""

    @pytest.fixture(name=name)
    def fixture(protocol):
        with contextlib.ExitStack() as stack:
            yield lambda script: stack.enter_context(
                contextlib.closing(server_class(protocol, script))
            )

    return fixture


raw_server = closing_fixture("raw_server", RawServer)
script_server = closing_fixture("script_server", ScriptServer)
