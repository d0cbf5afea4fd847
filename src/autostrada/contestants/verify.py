"""What ``autostrada verify`` does: holds contestants to their contract."""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console
from rich.table import Table

from autostrada.contestants.build import Built
from autostrada.contestants.catalog import choose_folders, find_catalog
from autostrada.contestants.command import make_ready
from autostrada.contestants.contestant import Contestant
from autostrada.errors import EngineError

NAMES = "AUTOSTRADA_CONTESTANTS"
"""The suite holds only these to the contract, separated by commas."""

FURTHER = "AUTOSTRADA_CONTESTANTS_FOLDER"
"""A further folder of contestants, for the suite."""

PROCESSES_OF_A_CORE = 2
"""Half of what the suite does is waiting for what is due."""

Outcomes = Mapping[str, Counter[str]]
"""Of each contestant: how many cases passed, failed or were skipped."""


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
            *("-n", str(at_once), "--dist", "loadgroup"),
            f"--junitxml={report}",
        ]
        environment = {NAMES: ",".join(each.folder.name for each in ready)}
        if further:
            environment[FURTHER] = str(further.resolve())
        ended = subprocess.run(
            words, cwd=catalog.root, env=os.environ | environment, check=False
        )
        if ended.returncode not in {0, 1}:
            raise EngineError(f"the suite ended with status {ended.returncode}")
        outcomes = read_report(report.read_text(encoding="utf-8"))
    console.print(table(outcomes), highlight=False)
    is_complete = not names or len(ready) == len(chosen)
    return 0 if ended.returncode == 0 and is_complete else 1


def read_report(text: str) -> Outcomes:
    """Count a JUnit report's cases by the contestant that each is about."""
    outcomes: dict[str, Counter[str]] = {}
    for case in ElementTree.fromstring(text).iter("testcase"):
        name = next(
            (
                found.get("value", "")
                for found in case.iter("property")
                if found.get("name") == "contestant"
            ),
            None,
        )
        if name is not None:
            words = {"failure": "failed", "error": "failed", "skipped": "skipped"}
            outcome = next(
                (words[each.tag] for each in case if each.tag in words), "passed"
            )
            outcomes.setdefault(name, Counter())[outcome] += 1
    return outcomes


def table(outcomes: Outcomes) -> Table:
    """Return a row for each contestant."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    shown.add_column("contestant", overflow="fold")
    for heading in ("passed", "failed", "skipped"):
        shown.add_column(heading, justify="right")
    for name in sorted(outcomes):
        counts = outcomes[name]
        style = "red" if counts["failed"] else None
        shown.add_row(
            name,
            *(str(counts[each] or "") for each in ("passed", "failed", "skipped")),
            style=style,
        )
    return shown
