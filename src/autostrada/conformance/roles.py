"""Tests a program in one role: the suite is at the other end of each connection."""

import ast
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from autostrada.conformance.cases import (
    AGENT,
    COMPRESSED_GROUPS,
    INDEX,
    SHORT_GROUPS,
    read_outcomes,
)
from autostrada.conformance.subject import (
    CASE_LIMIT_S,
    EngineSubject,
    Subject,
    SubjectLaunch,
)
from autostrada.conformance.suite import Suite
from autostrada.contestants.conformance import CaseOutcome, Conformance, group_of
from autostrada.contestants.contestant import Role
from autostrada.errors import Crashed, EngineError, TimedOut
from autostrada.machine.ports import ADDRESS, await_listener, reserved_port
from autostrada.machine.process import LineTooLongError, Process

START_LIMIT_S = 600.0
"""Time limit for starting the suite, in seconds."""

LISTEN_LIMIT_S = 60.0
"""Time limit for starting a server, in seconds."""

SHORT_CASE_LIMIT_S = 60.0
"""Time limit of a client for a case of ``SHORT_GROUPS``, in seconds."""

FAULTS_MAX = 20
"""Number of cases after which a role is not tested further, if the server has ended in
each of them, or the client has not ended in time."""

DRAIN_S = 0.01
"""Time for reading what a process has printed, in seconds."""

CASE_MARK = "Running test case ID "
"""Prefix of the suite's line about a case whose opening handshake is complete."""

FAILED = CaseOutcome(behavior="FAILED", close="FAILED")
"""Outcome of a case for which no connection was opened."""

Announce = Callable[[str], None]
"""Called with the number of each case when it starts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """What tests need besides the program."""

    suite: Suite
    engine: EngineSubject
    """Client that makes the suite write its reports about clients."""

    reports: Path
    """Folder of all reports."""


def run_role(
    bench: Bench,
    subject: Subject,
    role: Role,
    groups: Sequence[str],
    announce: Announce = lambda case: None,
) -> Conformance:
    """
    Test a program in one role; earlier reports are replaced.

    ``groups`` are numbers of groups, or of single cases such as ``2.6``.

    Raises:
        ContestantError: the program cannot be tested.
        EngineError: the suite did not come to an end.
    """
    tests = ServerTest if role == "server" else ClientTest
    outcomes = tests(bench, subject, role, announce).run(groups)
    return Conformance.of(bench.suite.version, outcomes)


class RoleTest(ABC):
    """The tests of a program in one role."""

    def __init__(
        self, bench: Bench, subject: Subject, role: Role, announce: Announce
    ) -> None:
        self._suite = bench.suite
        self._engine = bench.engine
        self._subject = subject
        self._announce = announce
        self._reports = bench.reports / subject.name / role
        self._numbers = count(1)
        shutil.rmtree(self._reports, ignore_errors=True)

    def run(self, groups: Sequence[str]) -> dict[str, CaseOutcome]:
        """
        Return the outcomes of groups and single cases by case.

        Failed and non-strict cases are tested twice, because the suite gives most of
        them a second, however busy the machine is.
        """
        found = self._run_all(groups)
        again = [
            case
            for case, outcome in found.items()
            if outcome.kind in ("failed", "non-strict")
        ]
        return {**found, **self._run_all(again)}

    def _run_all(self, groups: Sequence[str]) -> dict[str, CaseOutcome]:
        found: dict[str, CaseOutcome] = {}
        for compressed in (False, True):
            patterns = [
                group if "." in group else f"{group}.*"
                for group in groups
                if (group_of(group) in COMPRESSED_GROUPS) is compressed
            ]
            if patterns:
                found |= self._run(patterns, compressed=compressed)
        return found

    @abstractmethod
    def _run(
        self, patterns: Sequence[str], *, compressed: bool
    ) -> dict[str, CaseOutcome]:
        """Return the outcomes of cases, given by patterns of the suite."""

    def _next_folder(self) -> Path:
        """Return the folder for the reports of the next start of the suite."""
        return self._reports / str(next(self._numbers))


@dataclass(frozen=True, kw_only=True, slots=True)
class PartialOutcomes:
    """Outcomes up to the end of the cases or of the server."""

    outcomes: dict[str, CaseOutcome]
    ended_in: str | None = None
    """The case in which the server ended."""

    remaining: Sequence[str] = ()
    """The cases after it."""


class ServerTest(RoleTest):
    """The tests of a server."""

    def _run(
        self, patterns: Sequence[str], *, compressed: bool
    ) -> dict[str, CaseOutcome]:
        found: dict[str, CaseOutcome] = {}
        remaining = patterns
        for _ in range(FAULTS_MAX):
            served = self._serve(remaining, compressed=compressed)
            found |= served.outcomes
            if not served.remaining:
                return found
            remaining = served.remaining
        raise Crashed(
            f"ended in {FAULTS_MAX} cases, the last one {served.ended_in}",
            process="server",
        )

    def _serve(self, patterns: Sequence[str], *, compressed: bool) -> PartialOutcomes:
        reports = self._next_folder()
        with self._serving(compressed=compressed) as (server, url):
            servers = [{"agent": AGENT, "url": f"{url}/echo"}]
            spec = {"servers": servers, "cases": patterns}
            with self._suite.start("fuzzingclient", spec, reports) as suite:
                cases = _cases(suite)
                last = cases[0]
                while (line := _line(suite, CASE_LIMIT_S)) is not None:
                    _, mark, rest = line.partition(CASE_MARK)
                    if mark:
                        last = rest.split()[0]
                        self._announce(last)
                    _drain(server)
                if not (reports / INDEX).exists():
                    raise EngineError(f"the test suite ended: {suite.stderr_tail}")
            outcomes = read_outcomes(reports)
            # The suite ends as soon as it cannot connect.
            if server.status() is None and len(outcomes) == len(cases):
                return PartialOutcomes(outcomes=outcomes)
        # The server may end a little later than the case that is the reason, while the
        # suite connects for the next one: that one is tested again.
        until = cases.index(last)
        kept = {case: outcomes.get(case, FAILED) for case in cases[: until + 1]}
        kept[last] = replace(kept[last], behavior="FAILED")
        return PartialOutcomes(
            outcomes=kept, ended_in=last, remaining=cases[until + 1 :]
        )

    @contextmanager
    def _serving(self, *, compressed: bool) -> Iterator[tuple[Process, str]]:
        """Run the server in the block; yield its process and address."""
        with reserved_port() as port:
            launch = self._subject.server(port, compressed=compressed)
            with launch.started() as server:
                _await_listener(server, port)
                yield server, f"ws://{ADDRESS}:{port}"


class ClientTest(RoleTest):
    """The tests of a client, with one process for each case."""

    _has_connected = False

    def _run(
        self, patterns: Sequence[str], *, compressed: bool
    ) -> dict[str, CaseOutcome]:
        reports = self._next_folder()
        spec = {"url": f"ws://{ADDRESS}:1", "cases": patterns}
        with self._suite.start("fuzzingserver", spec, reports) as suite:
            cases = _cases(suite)
            url = f"ws://{ADDRESS}:{_after('listening at port ', suite)}"
            stderr = self._connect(suite, url, cases, compressed=compressed)
            writing = f"{url}/updateReports?agent={AGENT}"
            _run_client(self._engine.client(writing, compressed=False), CASE_LIMIT_S)
            _after("Report generation complete", suite)
        outcomes = read_outcomes(reports)
        self._has_connected |= bool(outcomes)
        if not self._has_connected:
            raise Crashed(f"connected in no case: {stderr}")
        return {case: outcomes.get(case, FAILED) for case in cases}

    def _connect(
        self, suite: Process, url: str, cases: Sequence[str], *, compressed: bool
    ) -> str:
        """Run the client for each case; return the end of the last one's stderr."""
        late, stderr = 0, ""
        for case in cases:
            self._announce(case)
            address = f"{url}/runCase?casetuple={case}&agent={AGENT}"
            launch = self._subject.client(address, compressed=compressed)
            is_short = group_of(case) in SHORT_GROUPS
            limit_s = SHORT_CASE_LIMIT_S if is_short else CASE_LIMIT_S
            has_ended, stderr = _run_client(launch, limit_s)
            late += not has_ended
            if late == FAULTS_MAX:
                raise TimedOut(
                    f"did not end in time in {late} cases, the last one {case}"
                )
            if _drain(suite):
                raise EngineError(f"the test suite ended: {suite.stderr_tail}")
        return stderr


def _await_listener(server: Process, port: int) -> None:
    deadline_s = time.monotonic() + LISTEN_LIMIT_S
    try:
        listens = await_listener(server, port, deadline_s)
        if not listens:
            server.wait(deadline_s)
    except TimeoutError as error:
        raise TimedOut(
            f"did not listen within {LISTEN_LIMIT_S:.0f} s", process="server"
        ) from error
    if not listens:
        raise Crashed(
            f"ended before it listened: {server.stderr_tail}", process="server"
        )


def _run_client(launch: SubjectLaunch, limit_s: float) -> tuple[bool, str]:
    """Run a client; return whether it ended in time, and the end of its stderr."""
    deadline_s = time.monotonic() + limit_s
    with launch.started() as client:
        try:
            _skip_output(client, deadline_s)
            client.wait(deadline_s)
        except TimeoutError:
            return False, client.stderr_tail
        return True, client.stderr_tail


def _drain(process: Process) -> bool:
    """
    Read what a process has printed, so that its pipes do not fill up.

    Returns whether its output has ended.
    """
    try:
        _skip_output(process, time.monotonic() + DRAIN_S)
    except TimeoutError:
        return False
    return True


def _skip_output(process: Process, deadline_s: float) -> None:
    """Read the output of a process up to its end."""
    is_open = True
    while is_open:
        with suppress(LineTooLongError):
            is_open = process.read_line(deadline_s) is not None


def _cases(suite: Process) -> list[str]:
    """Return the cases that the suite is going to test, in order."""
    cases: list[str] = ast.literal_eval(_after("Cases = ", suite))
    return cases


def _after(mark: str, suite: Process) -> str:
    """Read up to a line that begins with ``mark``; return the rest of that line."""
    while (line := _line(suite, START_LIMIT_S)) is not None:
        if line.startswith(mark):
            return line.removeprefix(mark).strip()
    raise EngineError(f"the test suite ended: {suite.stderr_tail}")


def _line(suite: Process, limit_s: float) -> str | None:
    try:
        return suite.read_line(time.monotonic() + limit_s)
    except TimeoutError as error:
        raise EngineError(
            f"the test suite printed nothing for {limit_s:.0f} s"
        ) from error
