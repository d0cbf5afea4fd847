"""Test runs with the engine in one role and the suite in the other."""

import ast
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autostrada.errors import EngineError
from autostrada.machine.process import Command, Process

from .outcome import INDEX, Outcomes, group_of, read_outcomes
from .suite import Suite

GROUPS = ("1", "2", "3", "4", "5", "6", "7", "9", "10", "12", "13")
"""All groups of the suite; it has no groups 8 and 11."""

COMPRESSED_GROUPS = ("12", "13")

SHORT_GROUPS = ("1", "2", "3", "4", "5", "6", "7", "10")
"""Groups without long cases."""

ROLES = ("server", "server, deflate", "client")

START_LIMIT_S = 600.0
"""Time limit for starting the suite, in seconds."""

CASE_LIMIT_S = 600.0
"""Time limit of a case, in seconds; the suite's own limit is lower."""

AGENT = "engine"

CASE_MARK = "Running test case ID "
"""Prefix of the suite's line at the start of a case."""

Announce = Callable[[str], None]
"""Called with the number of each case when it starts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """The engine to test, the suite, and the folder of reports."""

    suite: Suite
    engine: Path
    reports: Path
    announce: Announce


def run_role(
    role: str,
    groups: Sequence[str],
    engine: Path,
    suite: Suite,
    reports: Path,
    announce: Announce = lambda case: None,
) -> Outcomes:
    """
    Test the engine in one role; earlier reports are replaced.

    ``groups`` are numbers of groups, or of single cases such as ``2.6``.

    Raises:
        EngineError: the engine or the suite did not come to an end.
    """
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    bench = Bench(suite=suite, engine=engine, reports=reports, announce=announce)
    if role == "client":
        return run_as_client(bench, groups)
    return run_as_server(bench, groups, deflate=role != "server")


def _patterns(groups: Sequence[str]) -> list[str]:
    """Return the cases of groups and single cases, as the suite names them."""
    return [each if "." in each else f"{each}.*" for each in groups]


def run_as_server(bench: Bench, groups: Sequence[str], *, deflate: bool) -> Outcomes:
    """
    Test the engine as a server.

    Raises:
        EngineError: the engine or the suite did not come to an end.
    """
    plan: dict[str, Any] = {
        "format": 2,
        "listen": "127.0.0.1:0",
        "workload": {"kind": "push"},
    }
    if deflate:
        plan["compression"] = {}
    arguments = [str(bench.engine), "serve", "--plan"]
    with Process(Command(arguments=arguments, folder=bench.reports.parent)) as engine:
        engine.send(f"{json.dumps(plan)}\n")
        ready = _line(engine, START_LIMIT_S, "the engine")
        if ready is None:
            raise EngineError(f"the engine ended: {engine.stderr_tail}")
        url = json.loads(ready)["url"]
        spec = {
            "outdir": str(bench.reports),
            "servers": [{"agent": AGENT, "url": f"{url}/echo"}],
            "cases": _patterns(groups),
            "exclude-cases": [],
        }
        with bench.suite.start("fuzzingclient", spec, bench.reports) as suite:
            while (line := _line(suite, CASE_LIMIT_S, "the suite")) is not None:
                if (case := _case_of(line)) is not None:
                    bench.announce(case)
            if not (bench.reports / INDEX).exists():
                raise EngineError(f"the suite ended: {suite.stderr_tail}")
    return read_outcomes(bench.reports)


def run_as_client(bench: Bench, groups: Sequence[str]) -> Outcomes:
    """
    Test the engine as a client, with one process for each case.

    Raises:
        EngineError: the engine or the suite did not come to an end.
    """
    spec = {
        "outdir": str(bench.reports),
        "url": "ws://127.0.0.1:1",
        "cases": _patterns(groups),
        "exclude-cases": [],
    }
    with bench.suite.start("fuzzingserver", spec, bench.reports) as suite:
        cases = ast.literal_eval(_after("Cases = ", suite))
        url = f"ws://127.0.0.1:{_after('listening at port ', suite)}"
        for case in cases:
            bench.announce(case)
            run_echo_client(
                bench.engine, f"{url}/runCase?casetuple={case}&agent={AGENT}", case
            )
            _after(CASE_MARK, suite)
        run_echo_client(bench.engine, f"{url}/updateReports?agent={AGENT}", None)
        _after("Report generation complete", suite)
    return read_outcomes(bench.reports)


def run_echo_client(engine: Path, url: str, case: str | None) -> None:
    """
    Run the engine as an echo client until the suite closes the connection.

    Raises:
        EngineError: the engine failed, or the suite did not close the connection.
    """
    phases = {"opening_s": 60, "window_s": CASE_LIMIT_S, "drain_s": 0}
    plan: dict[str, Any] = {
        "format": 2,
        "url": url,
        "workload": {"kind": "answer", "phases": phases},
    }
    if case is not None and group_of(case) in COMPRESSED_GROUPS:
        plan["compression"] = {}
    try:
        ended = subprocess.run(
            [engine, "load", "--plan", "-"],
            input=json.dumps(plan),
            capture_output=True,
            text=True,
            timeout=CASE_LIMIT_S + START_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EngineError(f"case {case}: the engine did not end") from error
    if ended.returncode != 0:
        raise EngineError(f"case {case}: the engine printed {ended.stderr.strip()}")
    if json.loads(ended.stdout.splitlines()[-1])["ended"] != "closed":
        raise EngineError(f"case {case}: the suite did not close the connection")


def _case_of(line: str) -> str | None:
    """Return the case that a line of the suite announces, or ``None``."""
    _, mark, rest = line.partition(CASE_MARK)
    return rest.split()[0] if mark else None


def _after(mark: str, suite: Process) -> str:
    """Read up to a line that begins with ``mark``; return the rest of that line."""
    while (line := _line(suite, START_LIMIT_S, "the suite")) is not None:
        if line.startswith(mark):
            return line.removeprefix(mark).strip()
    raise EngineError(f"the suite ended: {suite.stderr_tail}")


def _line(process: Process, limit_s: float, name: str) -> str | None:
    try:
        return process.read_line(time.monotonic() + limit_s)
    except TimeoutError as error:
        raise EngineError(f"{name} printed nothing for {limit_s:.0f} s") from error
