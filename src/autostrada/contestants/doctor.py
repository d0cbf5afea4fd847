"""Checks which requirements are installed on this machine, and installs others."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.contestants.inventory import plain_table
from autostrada.contestants.requirement import check, clear_cache, remedies
from autostrada.engine.process import engine_version, find_engine
from autostrada.errors import NotInstalled, UsageError
from autostrada.machine.executable import PACKAGES, find_program
from autostrada.machine.facts import facts
from autostrada.machine.host import this_host
from autostrada.machine.limited_cgroup import Limits, new_limited_cgroup
from autostrada.machine.network import new_bridge

APT = ("apt", "install")

SOME_LIMITS = Limits(cpu_share_max=0.5, memory_bytes_max=1024**3)
"""Limits of CPU time and memory that are set to find out whether that is possible."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DoctorFinding:
    """The result of checking one part of this machine."""

    part: str
    is_installed: bool
    text: str
    """Its version, or the reason why it is missing."""

    remedies: tuple[str, ...] = ()
    """Commands or hints that install what is missing."""


def examine_machine(extra_contestants: Path | None, *, installs: bool) -> bool:
    """
    Print what is installed and missing; return whether nothing is missing.

    With ``installs``, install the missing parts first.
    """
    findings = examine(extra_contestants)
    if installs and install(findings):
        findings = contestants(extra_contestants)
        for finding in findings:
            if not finding.is_installed:
                print(f"still missing: {finding.part}: {finding.text}")
    return all(finding.is_installed for finding in findings)


def examine(extra_contestants: Path | None) -> list[DoctorFinding]:
    """Print the machine's facts, and a table of installed and missing parts."""
    console = Console()
    for name, fact in facts(this_host()).items():
        console.print(f"{name}: {fact}", highlight=False, markup=False)
    findings = [
        _finding("engine", lambda: engine_version(find_engine())),
        _program("setpriv"),
        _program("openssl"),
        _permission("limits of [server_host]", lambda: new_limited_cgroup(SOME_LIMITS)),
        _permission('network = "bridge"', new_bridge),
        *contestants(extra_contestants),
    ]
    table = plain_table("", "part", "finding")
    for finding in findings:
        word = "ok" if finding.is_installed else "missing"
        table.add_row(word, finding.part, finding.text)
    console.print()
    console.print(table)
    return findings


def contestants(extra_contestants: Path | None) -> list[DoctorFinding]:
    """Check the requirements of each contestant's folder."""
    folders = {
        contestant.folder: contestant
        for contestant in find_catalog(extra_contestants).contestants().values()
    }
    return [_requirements(contestant) for contestant in folders.values()]


def _requirements(contestant: Contestant) -> DoctorFinding:
    """Check the requirements of a contestant."""
    folder, requires = contestant.folder, contestant.manifest.requires
    return _finding(
        folder.name,
        lambda: ", ".join(check(requires, folder).splitlines()),
        *remedies(requires, folder),
    )


def _program(name: str) -> DoctorFinding:
    """Check a system program that trials need."""
    remedy = f"apt install {PACKAGES.get(name, name)}"
    return _finding(name, lambda: find_program(name), remedy)


def _permission(
    name: str, create: Callable[[], AbstractContextManager[object]]
) -> DoctorFinding:
    """Check something that some experiments need permission for, by creating it."""

    def created() -> str:
        with create():
            return "can be created"

    return _finding(name, created)


def _finding(part: str, find: Callable[[], str], *remedies: str) -> DoctorFinding:
    """Check a part, which ``find`` returns as a text, or says why it is missing."""
    try:
        return DoctorFinding(part=part, is_installed=True, text=find())
    except (NotInstalled, UsageError) as error:
        return DoctorFinding(
            part=part, is_installed=False, text=str(error), remedies=remedies
        )


def install(findings: Iterable[DoctorFinding]) -> bool:
    """
    Install missing Debian packages; return whether any were missing.

    Each command is printed before it is run. Remedies other than packages are only
    printed.

    Raises:
        UsageError: apt-get or root permission is missing, or a command fails.
    """
    wanted = [remedy for finding in findings for remedy in finding.remedies]
    packages = packages_of(wanted)
    for remedy in dict.fromkeys(wanted):
        if not packages_of([remedy]):
            print(f"install manually: {remedy}")
    if not packages:
        return False
    if shutil.which("apt-get") is None:
        raise UsageError(f"apt-get is missing; install {' '.join(packages)} manually")
    root = [] if os.geteuid() == 0 else ["sudo"]
    if root and shutil.which("sudo") is None:
        raise UsageError("only root may install packages: run this as root")
    options = ["--yes", "--no-install-recommends"]
    for arguments in (
        [*root, "apt-get", "update"],
        [*root, "apt-get", "install", *options, *packages],
    ):
        print(shlex.join(arguments), flush=True)
        ended = subprocess.run(arguments, check=False)
        if ended.returncode != 0:
            raise UsageError(f"{shlex.join(arguments)} failed: see its output above")
    clear_cache()
    return True


def packages_of(texts: Iterable[str]) -> list[str]:
    """Return the Debian packages in remedies (``apt install …``), each once."""
    found: dict[str, None] = {}
    for remedy in texts:
        parts = tuple(remedy.split())
        if parts[:2] == APT:
            found |= dict.fromkeys(parts[2:])
    return list(found)
