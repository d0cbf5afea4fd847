"""Lists contestants and experiments, and checks what this machine can run."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import ROLES
from autostrada.contestants.doctor import (
    DoctorFinding,
    contestants,
    examine,
    install,
)
from autostrada.engine.process import engine_version, find_engine
from autostrada.errors import UsageError


def print_inventory(extra_contestants: Path | None) -> None:
    """Print tables of all contestants and experiments."""
    catalog = find_catalog(extra_contestants)
    console = Console()
    table = _table("contestant", "library", "programs")
    for contestant in catalog.contestants().values():
        tables = [
            *(role for role in ROLES if contestant.has(role)),
            *(
                f"published {role}"
                for role in ROLES
                if contestant.has(role, published=True)
            ),
        ]
        library = contestant.manifest.library
        table.add_row(contestant.name, library, ", ".join(tables))
    console.print(table)
    table = _table("experiment", "question", "contestants")
    for name in catalog.experiments():
        experiment = catalog.experiment(name).experiment
        table.add_row(name, experiment.question, str(len(experiment.contestants)))
    console.print()
    console.print(table)


def examine_machine(extra_contestants: Path | None, *, installs: bool) -> bool:
    """
    Print what is installed and missing; return whether nothing is missing.

    With ``installs``, install the missing parts first.

    Raises:
        UsageError: ``installs`` is set and a missing part cannot be installed.
    """
    findings = examine(extra_contestants, _engine())
    if installs and install(findings):
        findings = contestants(extra_contestants)
        for finding in findings:
            if not finding.is_installed:
                print(f"still missing: {finding.part}: {finding.text}")
    return all(finding.is_installed for finding in findings)


def _engine() -> DoctorFinding:
    try:
        version = engine_version(find_engine())
        return DoctorFinding(part="engine", is_installed=True, text=version)
    except UsageError as error:
        return DoctorFinding(part="engine", is_installed=False, text=str(error))


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
