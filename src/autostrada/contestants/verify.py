"""The command ``autostrada verify``: checks contestants against their contract."""

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console

from autostrada.contestants.build import Built
from autostrada.contestants.catalog import choose_builds, find_catalog
from autostrada.contestants.command import make_ready
from autostrada.contestants.contestant import Contestant
from autostrada.errors import EngineError

NAMES = "AUTOSTRADA_CONTESTANTS"
"""Variable with the folders that the suite checks, separated by commas."""

EXTRA_CONTESTANTS = "AUTOSTRADA_CONTESTANTS_FOLDER"
"""Variable with an additional folder of contestants for the suite."""

PROCESSES_PER_CORE = 2
"""Number of test processes per core; the suite spends half of its time waiting."""

CAUSES_SHOWN = 20
"""Largest number of failures that are printed for a contestant; the log has all."""

LOG = "verify.log"

CLOSED = re.compile(r"^websockets\.exceptions\.ConnectionClosed\w*: \D*(\d{4}).*")
EXCEPTION = re.compile(r"^(?:[\w.]+(?:Error|Exception|Expired|Closed\w*)|Failed): ")
"""The class of an exception before its message."""


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Violation:
    """A failed case: a clause that a contestant violates."""

    clause: str
    message: str
    """What came, in words; the expected behaviour if the case has no words for it."""


@dataclass(slots=True)
class ContestantOutcome:
    """The results of one contestant."""

    passed: int = 0
    """Number of cases that passed."""

    violations: list[Violation] = field(default_factory=list)


Outcomes = Mapping[str, ContestantOutcome]
"""Results by the name of the contestant."""


def selected(environment: Mapping[str, str] = os.environ) -> dict[str, Contestant]:
    """Return the contestants that the suite checks, with all their variants."""
    extra_contestants = environment.get(EXTRA_CONTESTANTS)
    contestants = find_catalog(
        Path(extra_contestants) if extra_contestants else None
    ).contestants()
    if NAMES not in environment:
        return contestants
    folders = set(environment[NAMES].split(","))
    return {
        name: each for name, each in contestants.items() if each.folder.name in folders
    }


def verify(
    names: Sequence[str], extra_contestants: Path | None, jobs: int | None
) -> int:
    """
    Build contestants and run the contract's test suite; return the exit status.

    Without ``names``, all contestants that this machine can build are verified.
    ``jobs`` is the number of parallel builds and of test processes.

    Raises:
        UsageError: a contestant does not exist, or the folder for builds is not
            writable.
        EngineError: the suite did not run to its end.
    """
    catalog = find_catalog(extra_contestants)
    catalog.expect_checkout()
    chosen = choose_builds(names, catalog.contestants())
    console = Console()
    provisions = make_ready(catalog, chosen, jobs, console)
    ready = [p.contestant for p in provisions if isinstance(p.outcome, Built)]
    if not ready:
        return 1
    at_once = jobs or PROCESSES_PER_CORE * len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        suite = catalog.root / "tests" / "contract"
        arguments = [
            *(sys.executable, "-m", "pytest", str(suite)),
            *("-q", "--no-header", "-p", "no:cacheprovider"),
            f"--ignore={suite / 'test_kits.py'}",
            f"--ignore={suite / 'test_protocols.py'}",
            *("-n", str(at_once), "--dist", "loadgroup"),
            f"--junitxml={report}",
        ]
        environment = {NAMES: ",".join(contestant.folder.name for contestant in ready)}
        if extra_contestants:
            environment[EXTRA_CONTESTANTS] = str(extra_contestants.resolve())
        print(f"verifying {len(ready)}: docs/contract.md has the clauses", flush=True)
        log = catalog.root / ".build" / LOG
        with log.open("w", encoding="utf-8") as file:
            ended = subprocess.run(
                arguments,
                cwd=catalog.root,
                env=os.environ | environment,
                stdout=file,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if ended.returncode not in {0, 1}:
            raise EngineError(
                f"the suite ended with status {ended.returncode}; its output: {log}"
            )
        outcomes = read_report(report.read_text(encoding="utf-8"))
    for name in sorted(outcomes):
        for line in lines(name, outcomes[name]):
            console.print(line, soft_wrap=True, highlight=False, markup=False)
    if any(outcome.violations for outcome in outcomes.values()):
        print(f"complete output: {log}")
    is_complete = not names or len(ready) == len(chosen)
    return 0 if ended.returncode == 0 and is_complete else 1


def read_report(text: str) -> Outcomes:
    """Return the results in a JUnit report by contestant, without skipped cases."""
    outcomes: dict[str, ContestantOutcome] = {}
    for case in ElementTree.fromstring(text).iter("testcase"):
        properties = {
            each.get("name"): each.get("value") for each in case.iter("property")
        }
        name = properties.get("contestant")
        if name is None or case.find("skipped") is not None:
            continue
        outcome = outcomes.setdefault(name, ContestantOutcome())
        failed = case.find("failure")
        failed = case.find("error") if failed is None else failed
        if failed is None:
            outcome.passed += 1
        else:
            clause = properties.get("clause") or ""
            outcome.violations.append(
                Violation(clause=clause, message=_message(case, failed))
            )
    return outcomes


def _message(case: ElementTree.Element, failed: ElementTree.Element) -> str:
    message = failed.get("message", "").removeprefix("failed on setup with ")
    first = message.strip('"').partition("\n")[0]
    words = CLOSED.sub(r"the connection was closed with status \1", first)
    words = EXCEPTION.sub("", words)
    if not words or words.startswith("assert "):
        name = case.get("name", "").partition("[")[0].removeprefix("test_")
        words = f"not met: {name.replace('_', ' ')}"
    return words


def lines(name: str, outcome: ContestantOutcome) -> Iterator[str]:
    """
    Yield a line for a contestant, and a line for each clause that it violates.

    Cases of a clause that fail with the same message share a line.
    """
    violations = Counter(outcome.violations)
    if not violations:
        yield f"ok      {name}: {outcome.passed} cases"
        return
    count = len({violation.clause for violation in violations})
    clauses = "1 clause" if count == 1 else f"{count} clauses"
    yield f"failed  {name}: {clauses}, {outcome.passed} cases passed"
    for violation in sorted(violations)[:CAUSES_SHOWN]:
        times = f" ({violations[violation]} cases)" if violations[violation] > 1 else ""
        yield f"  {violation.clause:<5} {violation.message}{times}"
    if len(violations) > CAUSES_SHOWN:
        yield f"  and {len(violations) - CAUSES_SHOWN} more"
