"""What ``autostrada verify`` does: holds contestants to their contract."""

import os
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
from autostrada.contestants.catalog import choose_folders, find_catalog
from autostrada.contestants.clauses import clause_of
from autostrada.contestants.command import make_ready
from autostrada.contestants.contestant import Contestant
from autostrada.errors import EngineError

NAMES = "AUTOSTRADA_CONTESTANTS"
"""The suite holds only these to the contract, separated by commas."""

FURTHER = "AUTOSTRADA_CONTESTANTS_FOLDER"
"""A further folder of contestants, for the suite."""

PROCESSES_OF_A_CORE = 2
"""Half of what the suite does is waiting for what is due."""

CAUSES_SHOWN = 20
"""Of one contestant: clauses that are printed; the log has all."""

LOG = "verify.log"


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Broken:
    """A clause that a contestant does not keep."""

    clause: str
    case: str
    """What was expected, in words."""

    came: str


@dataclass(slots=True)
class Verified:
    """What came of one contestant."""

    passed: int = 0
    broken: list[Broken] = field(default_factory=list)


Outcomes = Mapping[str, Verified]
"""By contestant."""


def invited(environment: Mapping[str, str] = os.environ) -> dict[str, Contestant]:
    """Return the contestants that the suite is about, with all their variants."""
    further = environment.get(FURTHER)
    contestants = find_catalog(Path(further) if further else None).contestants()
    if NAMES not in environment:
        return contestants
    folders = set(environment[NAMES].split(","))
    return {
        name: each for name, each in contestants.items() if each.folder.name in folders
    }


def verify(names: Sequence[str], further: Path | None, jobs: int | None) -> int:
    """
    Build contestants, or all, and run the contract's suite; return the exit status.

    Raises:
        UsageError: there is no such contestant, or builds cannot be written.
        EngineError: the suite itself broke off.
    """
    catalog = find_catalog(further)
    chosen = choose_folders(names, catalog.contestants())
    console = Console()
    provisions = make_ready(catalog, chosen, jobs, console)
    ready = [p.contestant for p in provisions if isinstance(p.outcome, Built)]
    if not ready:
        return 1
    at_once = jobs or PROCESSES_OF_A_CORE * len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        suite = catalog.root / "tests" / "contract"
        words = [
            *(sys.executable, "-m", "pytest", str(suite)),
            *("-q", "--no-header", "-p", "no:cacheprovider"),
            f"--ignore={suite / 'test_kits.py'}",
            f"--ignore={suite / 'test_protocols.py'}",
            *("-n", str(at_once), "--dist", "loadgroup"),
            f"--junitxml={report}",
        ]
        environment = {NAMES: ",".join(each.folder.name for each in ready)}
        if further:
            environment[FURTHER] = str(further.resolve())
        print(f"verifying {len(ready)}: docs/contract.md has the clauses", flush=True)
        log = catalog.root / ".build" / LOG
        with log.open("w", encoding="utf-8") as file:
            ended = subprocess.run(
                words,
                cwd=catalog.root,
                env=os.environ | environment,
                stdout=file,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if ended.returncode not in {0, 1}:
            raise EngineError(
                f"the suite ended with status {ended.returncode}; what it said: {log}"
            )
        outcomes = read_report(report.read_text(encoding="utf-8"))
    for name in sorted(outcomes):
        for line in lines(name, outcomes[name]):
            console.print(line, soft_wrap=True, highlight=False, markup=False)
    if any(each.broken for each in outcomes.values()):
        print(f"in full: {log}")
    is_complete = not names or len(ready) == len(chosen)
    return 0 if ended.returncode == 0 and is_complete else 1


def read_report(text: str) -> Outcomes:
    """Sort a JUnit report's cases by the contestant that each is about."""
    outcomes: dict[str, Verified] = {}
    for case in ElementTree.fromstring(text).iter("testcase"):
        name = next(
            (
                found.get("value", "")
                for found in case.iter("property")
                if found.get("name") == "contestant"
            ),
            None,
        )
        if name is None or case.find("skipped") is not None:
            continue
        verified = outcomes.setdefault(name, Verified())
        failed = case.find("failure")
        failed = case.find("error") if failed is None else failed
        if failed is None:
            verified.passed += 1
        else:
            verified.broken.append(_broken(case, failed))
    return outcomes


def _broken(case: ElementTree.Element, failed: ElementTree.Element) -> Broken:
    name = case.get("name", "")
    message = failed.get("message", "").removeprefix("failed on setup with ")
    first = message.strip('"').partition("\n")[0].removeprefix("AssertionError: ")
    return Broken(
        clause=clause_of(case.get("classname", ""), name),
        case=name.partition("[")[0].removeprefix("test_").replace("_", " "),
        came=first,
    )


def lines(name: str, verified: Verified) -> Iterator[str]:
    """
    Yield one line for a contestant, and one for each clause that it does not keep.

    Cases of one clause that end in the same way are one line.
    """
    broken = Counter(verified.broken)
    if not broken:
        yield f"ok      {name}: {verified.passed} cases"
        return
    clauses = len({each.clause for each in broken})
    yield f"failed  {name}: {clauses} clauses, {verified.passed} cases passed"
    by_cause: dict[tuple[str, str], list[Broken]] = {}
    for each in sorted(broken):
        by_cause.setdefault((each.clause, each.came), []).append(each)
    shown = list(by_cause.items())
    for (clause, came), cases in shown[:CAUSES_SHOWN]:
        more = f" (and {len(cases) - 1} more)" if len(cases) > 1 else ""
        yield f"  {clause:<5} expected: {cases[0].case}{more}; came: {came}"
    if len(shown) > CAUSES_SHOWN:
        yield f"  and {len(shown) - CAUSES_SHOWN} more"
