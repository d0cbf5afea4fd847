"""What this machine can run, what it lacks, and the installing of that."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.kit import read_kits
from autostrada.contestants.requirement import Requirements, check, forget, remedies
from autostrada.errors import NotInstalled, UsageError
from autostrada.machine.certificates import find_openssl
from autostrada.machine.facts import facts
from autostrada.machine.host import this_host
from autostrada.machine.process import find_setpriv

APT = ("apt", "install")


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A part of this machine, or of what it lacks."""

    part: str
    is_there: bool
    text: str
    remedies: tuple[str, ...] = ()


def examine(further: Path | None, engine: Finding) -> list[Finding]:
    """Print what is known of this machine, and what it can run and lacks."""
    console = Console()
    for name, fact in facts(this_host()).items():
        console.print(f"{name}: {fact}", highlight=False, markup=False)
    findings = [
        engine,
        _program("setpriv", "util-linux", find_setpriv),
        _program("openssl", "openssl", find_openssl),
        *contestants(further),
        *kits(),
    ]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("", "part", "finding"):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        word = "ok" if finding.is_there else "missing"
        table.add_row(word, finding.part, finding.text)
    console.print()
    console.print(table)
    return findings


def contestants(further: Path | None) -> list[Finding]:
    """Return what is to be said of each contestant's folder."""
    folders = {
        contestant.folder: contestant
        for contestant in find_catalog(further).contestants().values()
    }
    return [
        _finding(each.folder.name, each.manifest.requires, each.folder)
        for each in folders.values()
    ]


def kits() -> list[Finding]:
    """Return what is to be said of each kit's tests, where something is missing."""
    folder = find_catalog().root / "kits"
    findings = [
        _finding(f"tests of kits/{name}", kit.requires, folder / name)
        for name, kit in read_kits(folder).items()
    ]
    return [finding for finding in findings if not finding.is_there]


def _finding(part: str, requirements: Requirements, folder: Path) -> Finding:
    try:
        found = ", ".join(check(requirements, folder).splitlines())
        return Finding(part=part, is_there=True, text=found)
    except NotInstalled as error:
        return Finding(
            part=part,
            is_there=False,
            text=str(error),
            remedies=remedies(requirements, folder),
        )


def install(findings: Iterable[Finding]) -> bool:
    """
    Install what is lacking with Debian's packages; return whether there was anything.

    The command is shown before it is run. Remedies of another kind are only shown.

    Raises:
        UsageError: it cannot be installed.
    """
    wanted = [remedy for finding in findings for remedy in finding.remedies]
    packages = packages_of(wanted)
    for remedy in dict.fromkeys(wanted):
        if not packages_of([remedy]):
            print(f"by hand: {remedy}")
    if not packages:
        return False
    if shutil.which("apt-get") is None:
        raise UsageError(f"apt-get is not there; install {' '.join(packages)} by hand")
    root = [] if os.geteuid() == 0 else ["sudo"]
    if root and shutil.which("sudo") is None:
        raise UsageError("only root may install packages: run this as root")
    options = ["--yes", "--no-install-recommends"]
    for words in (
        [*root, "apt-get", "update"],
        [*root, "apt-get", "install", *options, *packages],
    ):
        print(shlex.join(words), flush=True)
        ended = subprocess.run(words, check=False)
        if ended.returncode != 0:
            raise UsageError(f"{shlex.join(words)} failed: see what it said")
    forget()
    return True


def packages_of(texts: Iterable[str]) -> list[str]:
    """Return Debian's packages that remedies name, in order, each once."""
    found: dict[str, None] = {}
    for remedy in texts:
        words = tuple(remedy.split())
        if words[:2] == APT:
            found |= dict.fromkeys(words[2:])
    return list(found)


def _program(name: str, package: str, find: Callable[[], str]) -> Finding:
    """Return whether a program of the system is there that trials need."""
    try:
        return Finding(part=name, is_there=True, text=find())
    except UsageError as error:
        return Finding(
            part=name,
            is_there=False,
            text=str(error),
            remedies=(f"apt install {package}",),
        )
