"""What there is, what this machine can run of it, and what a trial is given."""

import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autostrada.errors import RequirementMissing, UsageError
from autostrada.machine.host import facts, this_host
from autostrada.machine.process import find_setpriv
from autostrada.plan.catalog import find_catalog
from autostrada.plan.contestant import ROLES, Contestant
from autostrada.runner.engine import (
    engine_version,
    find_engine,
    load_plan,
    serve_plan,
)
from autostrada.store.record import REFERENCE
from autostrada.workshop.build import check_requirements


def print_inventory(further: Path | None) -> None:
    """Print the contestants and the experiments."""
    catalog = find_catalog(further)
    console = Console()
    table = _table("contestant", "library", "plays")
    for contestant in catalog.contestants().values():
        plays = ", ".join(role for role in ROLES if contestant.has(role))
        table.add_row(contestant.name, contestant.manifest.library, plays)
    console.print(table)
    table = _table("experiment", "question", "contestants")
    for name in catalog.experiments():
        _, experiment, _ = catalog.experiment(name)
        table.add_row(name, experiment.question, str(len(experiment.contestants)))
    console.print()
    console.print(table)


def examine(further: Path | None) -> bool:
    """Print what this machine can run and lacks; return whether it lacks nothing."""
    console = Console()
    for name, fact in facts(this_host()).items():
        console.print(f"{name}: {fact}", highlight=False, markup=False)
    findings = [_examine_engine(), _examine_setpriv()]
    folders = {
        contestant.folder: contestant
        for contestant in find_catalog(further).contestants().values()
    }
    findings += [_examine_contestant(each) for each in folders.values()]
    table = _table("", "part", "finding")
    for name, is_there, finding in findings:
        table.add_row("ok" if is_there else "missing", name, finding)
    console.print()
    console.print(table)
    return all(is_there for _, is_there, _ in findings)


def print_plan(name: str) -> None:
    """Print, for each workload, what the engine reads and what a contestant is told."""
    _, experiment, _ = find_catalog().experiment(name)
    for workload in experiment.workload:
        url = f"ws://127.0.0.1:8008/{workload.messages}"
        document = {
            "workload": workload.name,
            "serve": serve_plan(experiment, workload),
            REFERENCE: load_plan(experiment, workload, url),
            "contestant": {"URL": url, "MESSAGES": str(workload.messages)},
        }
        Console().print_json(json.dumps(document))


def _examine_engine() -> tuple[str, bool, str]:
    try:
        return "engine", True, engine_version(find_engine())
    except UsageError as error:
        return "engine", False, str(error)


def _examine_setpriv() -> tuple[str, bool, str]:
    try:
        return "setpriv", True, find_setpriv()
    except UsageError as error:
        return "setpriv", False, str(error)


def _examine_contestant(contestant: Contestant) -> tuple[str, bool, str]:
    try:
        found = check_requirements(contestant)
    except RequirementMissing as error:
        return contestant.folder.name, False, str(error)
    return contestant.folder.name, True, ", ".join(found.splitlines())


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
