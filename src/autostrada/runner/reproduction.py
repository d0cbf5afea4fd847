"""
Reproduction commands: a trial as commands for a shell, with what a run would launch.

``autostrada plan`` prints them, cell by cell, to be pasted.
"""

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.contestants.build import Workshop
from autostrada.contestants.catalog import choose, find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.engine.process import Document, find_engine
from autostrada.experiment.override import as_run
from autostrada.machine.certificates import certificates_in
from autostrada.machine.host import join, this_host
from autostrada.runner.context import (
    Endpoints,
    Programs,
    RunContext,
    placed,
    programs_of,
)
from autostrada.runner.topology import Instance, topology_of
from autostrada.store.record import REFERENCE, Cell
from autostrada.workloads.workload import Workload

PORT = 8008
"""Of the first server; further ones have the ports after it."""

CERTIFICATES = Path("results/tls")
"""Where those lie of trials by hand."""

OBSERVED: Document = {"observe": {}}
"""Tells a server that waits to be observed that no process is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """Which cells of which experiment, as the user has asked for them."""

    experiment: str
    only: tuple[str, ...] = ()
    is_quick: bool = False
    overrides: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    contestants: Path | None = None


def print_plan(choice: Choice) -> None:
    """
    Print what makes contestants and certificates ready, then each cell's commands.

    Raises:
        UsageError: there is no such experiment, or it cannot be run as asked.
    """
    for block in blocks(choice):
        print(block, end="\n\n")


def blocks(choice: Choice) -> Iterator[str]:
    """
    Yield what is to be pasted, cell by cell, with a comment before each command.

    Raises:
        UsageError: there is no such experiment, or it cannot be run as asked.
    """
    catalog = find_catalog(choice.contestants)
    contestants = catalog.contestants()
    found = catalog.experiment(choice.experiment).experiment
    experiment = as_run(
        found,
        is_quick=choice.is_quick,
        overrides=choice.overrides,
        workloads=choice.workloads,
    )
    names = choose(choice.only or experiment.contestants, contestants, experiment)
    chosen = [contestants[name] for name in names]
    folder = CERTIFICATES.resolve()
    context = RunContext(
        experiment=experiment,
        engine=find_engine(),
        host=this_host(wants_apart=experiment.cores == "apart"),
        certificates=certificates_in(folder),
    )
    workshop = Workshop.of(catalog)
    programs: dict[str, Programs] = {REFERENCE: {}}
    for each in chosen:
        programs[each.name] = programs_of(each, workshop.folder(each))
    if chosen:
        yield f"# once: builds what is not built yet\n{_building(chosen, choice)}"
    if experiment.has_tls:
        made = _autostrada("certificate", str(folder))
        yield f"# once: makes what servers show, and whom clients trust\n{made}"
    points = experiment.points()
    for cell in experiment.chosen_cells(names):
        endpoints = context.endpoints_of(cell, programs)
        if endpoints.can_meet:
            yield _block(cell, context, _at_first(points[cell.workload]), endpoints)


@dataclass(frozen=True, kw_only=True, slots=True)
class Commands:
    """The commands of both ends, each for a terminal of its own."""

    servers: str
    clients: str


def reproduction(
    context: RunContext, workload: Workload, endpoints: Endpoints
) -> Commands:
    """
    Return how a trial of a cell is made by hand.

    Servers are started first: clients do not wait for them. No process is preferred by
    the kernel, and none is observed.
    """
    ports = [PORT + index for index in range(workload.server_processes)]
    placed_context = replace(context, host=placed(context.host, endpoints))
    topology = topology_of(placed_context, endpoints, workload, ports)
    is_pinned = context.host.is_pinned
    return Commands(
        servers=together([_command(each, is_pinned) for each in topology.servers]),
        clients=together([_command(each, is_pinned) for each in topology.clients]),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One command of a shell, and what it reads from its stdin."""

    text: str
    documents: Sequence[Document] = ()

    def written(self, suffix: str = "") -> str:
        """Return it with what ends its line."""
        if not self.documents:
            return self.text + suffix
        lines = [json.dumps(document) for document in self.documents]
        return "\n".join([self.text + suffix, *lines, "PLAN"])


def together(lines: Sequence[Line]) -> str:
    """Return commands that run at the same time, and that Ctrl-C ends together."""
    if len(lines) == 1:
        return lines[0].written()
    text = ["(trap 'kill 0' INT", *(line.written(" &") for line in lines), "wait)"]
    return "\n".join(text)


def _command(instance: Instance, is_pinned: bool) -> Line:
    """Return how a process is launched on its cores, if cores can be chosen."""
    launch = instance.launch
    words = list(launch.words)
    if is_pinned:
        words = ["taskset", "--cpu-list", join(instance.cpus), *words]
    if not launch.documents:
        variables = [f"{name}={value}" for name, value in launch.environment.items()]
        command = shlex.join(["env", *variables, *words])
        return Line(text=f"(cd {shlex.quote(str(launch.folder))} && exec {command})")
    if instance.endpoint.end == "client":
        return Line(text=f"{shlex.join(words)} <<'PLAN'", documents=launch.documents)
    # A server of the engine ends when its stdin does.
    kept_open = "{ cat <<'PLAN'; exec sleep infinity; }"
    observed = [OBSERVED] if launch.waits_for_observation else []
    return Line(
        text=f"{kept_open} | {shlex.join(words)}",
        documents=[*launch.documents, *observed],
    )


def _block(
    cell: Cell, context: RunContext, workload: Workload, endpoints: Endpoints
) -> str:
    """Return a cell's commands, and where they are to be pasted."""
    made = reproduction(context, workload, endpoints)
    title = f"# {workload.name}: {cell.server} serves {cell.client}"
    if source := workload.capacity_of:
        name = workload.name.partition(" ")[0]
        title += (
            f"\n# a run has as many connections as {source} finds: here "
            f"{name}.connections, which --set can change"
        )
    return "\n".join(
        [
            title,
            "# servers, in a terminal of their own: Ctrl-C ends them",
            made.servers,
            "# clients, in another one, as soon as servers listen",
            made.clients,
        ]
    )


def _at_first(workload: Workload) -> Workload:
    """Return a workload at the first value that is tried, where it is searched."""
    search = workload.capacity_search
    return workload.at({search.parameter: search.first}) if search else workload


def _building(chosen: Sequence[Contestant], choice: Choice) -> str:
    folders = dict.fromkeys(each.folder.name for each in chosen)
    further = choice.contestants
    more = ["--contestants", str(further.resolve())] if further else []
    return _autostrada("build", *folders, *more)


def _autostrada(*words: str) -> str:
    return shlex.join([str(Path(sys.executable).with_name("autostrada")), *words])
