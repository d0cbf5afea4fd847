"""What there is, what this machine can run of it, and what a trial is given."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autostrada.errors import UsageError
from autostrada.machine.ports import ADDRESS
from autostrada.plan.catalog import find_catalog
from autostrada.plan.contestant import ROLES, Protocol
from autostrada.plan.experiment import Experiment
from autostrada.plan.matrix import REFERENCE
from autostrada.plan.workload import Bots, Feed, Push, Workload
from autostrada.runner.engine import (
    engine_version,
    find_engine,
    load_plan,
    serve_plan,
)
from autostrada.runner.trial.bots import plans as bots
from autostrada.runner.trial.feed import plans as feed
from autostrada.runner.trial.push import variables
from autostrada.workshop.doctor import Finding, contestants, examine, install, kits

PORT = 8008
"""Of servers that are started by hand."""


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
        experiment = catalog.experiment(name).experiment
        table.add_row(name, experiment.question, str(len(experiment.contestants)))
    console.print()
    console.print(table)


def examine_machine(further: Path | None, *, installs: bool) -> bool:
    """
    Print what this machine can run and lacks; return whether it lacks nothing.

    Raises:
        UsageError: what it lacks cannot be installed, where that was asked for.
    """
    findings = examine(further, _engine())
    if installs and install(findings):
        findings = [*contestants(further), *kits()]
        for finding in findings:
            if not finding.is_there:
                print(f"still missing: {finding.part}: {finding.text}")
    return all(finding.is_there for finding in findings)


def print_plan(name: str, further: Path | None) -> None:
    """
    Print, for each point, what the engine reads and what contestants are told.

    Raises:
        UsageError: there is no such experiment, or no such folder.
    """
    catalog = find_catalog(further)
    experiment = catalog.experiment(name).experiment
    known = catalog.contestants()
    spoken = dict.fromkeys(
        known[each].protocol for each in experiment.contestants if each in known
    )
    for point in experiment.points().values():
        for document in _plans(experiment, point, [*spoken] or ["websocket"]):
            Console().print_json(json.dumps({"workload": point.name, **document}))


def _plans(
    experiment: Experiment, workload: Workload, protocols: Sequence[Protocol]
) -> Iterator[dict[str, object]]:
    """Yield what both ends are told, in each protocol; of a push it is the same."""
    match workload:
        case Push():
            url = f"ws://127.0.0.1:{PORT}/{workload.messages}"
            yield {
                "serve": serve_plan(experiment, workload),
                REFERENCE: load_plan(experiment, workload, url),
                "contestant": variables(workload, url),
            }
        case Feed():
            for protocol in protocols:
                yield {
                    "protocol": protocol,
                    "serve": feed.server_plan(experiment, workload, protocol, PORT),
                    REFERENCE: feed.client_plan(experiment, workload, protocol, PORT),
                    "server": feed.server_environment(workload, PORT),
                    "client": feed.client_environment(workload, PORT),
                }
        case Bots():
            address = f"{ADDRESS}:{PORT}"
            for protocol in protocols:
                told = (experiment, workload, protocol, address)
                yield {
                    "protocol": protocol,
                    "serve": bots.bots_serve_plan(*told),
                    REFERENCE: bots.bots_load_plan(*told),
                    "server": {"HOST": ADDRESS, "PORT": str(PORT)},
                    "client": bots.bots_environment(workload, address),
                }


def _engine() -> Finding:
    try:
        version = engine_version(find_engine())
        return Finding(part="engine", is_there=True, text=version)
    except UsageError as error:
        return Finding(part="engine", is_there=False, text=str(error))


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
