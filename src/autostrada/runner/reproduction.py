"""
Reproduction commands: shell commands that launch the same processes as a trial.

``autostrada plan`` prints them for each cell of an experiment.
"""

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import choose, find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.engine.process import Document, find_engine
from autostrada.experiment.override import experiment_for_run
from autostrada.machine.certificates import certificates_in
from autostrada.machine.host import join
from autostrada.machine.network import Namespace, commands
from autostrada.runner.context import (
    BuiltContestant,
    Endpoints,
    RunContext,
    fitting_workloads,
    placed,
)
from autostrada.runner.isolation import host_of, limits_of
from autostrada.runner.topology import Instance, topology_of
from autostrada.store.record import REFERENCE, Cell
from autostrada.workloads.workload import Workload

PORT = 8008
"""Port of the first server; further servers use the following ports."""

CERTIFICATES = Path("results/tls")
"""Folder of the certificates for trials that are run manually."""

NAMESPACES: dict[Namespace, str] = {
    "bridge": "autostrada-bridge",
    "server": "autostrada-server",
    "client": "autostrada-client",
}
"""Names of the network namespaces of trials that are run manually."""

OBSERVED: Document = {"observe": {}}
"""Configures a server that waits for the observer to observe no processes."""


def blocks(
    experiment: str,
    *,
    only: Sequence[str] = (),
    is_quick: bool = False,
    overrides: Sequence[str] = (),
    workloads: Sequence[str] = (),
    contestants: Path | None = None,
) -> Iterator[str]:
    """
    Yield blocks of commands to paste into a shell, with a comment before each command.

    They prepare contestants and certificates, and then launch each cell of an
    experiment. ``only`` are names of contestants, ``contestants`` is an additional
    folder of them.
    """
    catalog = find_catalog(contestants)
    known = catalog.contestants()
    chosen = experiment_for_run(
        catalog.experiment(experiment).experiment,
        is_quick=is_quick,
        overrides=overrides,
        workloads=workloads,
    )
    names = choose(only or chosen.contestants, known, chosen)
    tls = CERTIFICATES.resolve()
    context = RunContext(
        experiment=chosen,
        engine=find_engine(),
        host=host_of(chosen),
        certificates=certificates_in(tls),
    )
    builder = Builder.of(catalog)
    built: dict[str, BuiltContestant | None] = {REFERENCE: None}
    for name in names:
        folder = builder.folder(known[name])
        built[name] = BuiltContestant(contestant=known[name], folder=folder)
    if names:
        building = _building([known[name] for name in names], contestants)
        yield f"# once: build the contestants\n{building}"
    if chosen.has_tls:
        made = _autostrada("certificate", str(tls))
        yield f"# once: create a local CA and a server certificate\n{made}"
    if chosen.network == "bridge":
        yield f"# once, as root: create the network\n{_network()}"
    if limits := limits_of(chosen.server_host):
        yield (
            f"# a run also limits all servers together, which these commands do not: "
            f"{limits.text}"
        )
    fitting, left_out = fitting_workloads(chosen, context.host)
    yield from (f"# {note}\n" for note in left_out)
    points = fitting.points()
    for cell in fitting.chosen_cells(names):
        workload = points[cell.workload]
        endpoints = context.endpoints_of(cell, workload, built)
        if endpoints.has_common_protocol:
            workload = workload.warmed_up(endpoints.warm_up_s)
            yield _block(cell, context, workload, endpoints)


def reproduction(
    context: RunContext, workload: Workload, endpoints: Endpoints
) -> tuple[str, str]:
    """
    Return the commands that run a trial of a cell manually: of servers, of clients.

    The servers must be started first, because clients do not wait for them. Unlike in a
    run, no process gets a higher scheduling priority, none is observed, and a window is
    not divided into slices.
    """
    workload = workload.without_slices()
    ports = [PORT + index for index in range(workload.server_processes)]
    placed_context = replace(context, host=placed(context.host, endpoints, workload))
    topology = topology_of(placed_context, endpoints, workload, ports)
    is_pinned = context.host.is_pinned
    is_bridged = context.experiment.network == "bridge"

    def command(instance: Instance) -> Line:
        namespace = NAMESPACES[instance.endpoint.end] if is_bridged else None
        return _command(instance, is_pinned, namespace)

    return (
        together([command(server) for server in topology.servers]),
        together([command(client) for client in topology.clients]),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One shell command, and the documents that it reads from stdin."""

    text: str
    documents: Sequence[Document] = ()

    def written(self, suffix: str = "") -> str:
        """Return the command followed by ``suffix``, and its here-document if any."""
        if not self.documents:
            return self.text + suffix
        lines = [json.dumps(document) for document in self.documents]
        return "\n".join([self.text + suffix, *lines, "PLAN"])


def together(lines: Sequence[Line]) -> str:
    """Return a command that runs several in parallel; Ctrl-C ends all of them."""
    if len(lines) == 1:
        return lines[0].written()
    text = ["(trap 'kill 0' INT", *(line.written(" &") for line in lines), "wait)"]
    return "\n".join(text)


def _command(instance: Instance, is_pinned: bool, namespace: str | None) -> Line:
    """
    Return the command that launches a process.

    It runs on its cores if it is pinned, and in a network namespace if one is named.
    """
    launch = instance.launch
    arguments = list(launch.arguments)
    if is_pinned:
        arguments = ["taskset", "--cpu-list", join(instance.cpus), *arguments]
    if namespace is not None:
        arguments = ["ip", "netns", "exec", namespace, *arguments]
    if not launch.documents:
        variables = [f"{name}={value}" for name, value in launch.environment.items()]
        command = shlex.join(["env", *variables, *arguments])
        return Line(text=f"(cd {shlex.quote(str(launch.folder))} && exec {command})")
    if instance.endpoint.end == "client":
        return Line(
            text=f"{shlex.join(arguments)} <<'PLAN'", documents=launch.documents
        )
    # The engine's server exits at the end of its stdin.
    open_input = "{ cat <<'PLAN'; exec sleep infinity; }"
    observed = [OBSERVED] if launch.waits_for_observation else []
    return Line(
        text=f"{open_input} | {shlex.join(arguments)}",
        documents=[*launch.documents, *observed],
    )


def _block(
    cell: Cell, context: RunContext, workload: Workload, endpoints: Endpoints
) -> str:
    """Return a cell's commands, with comments that say where to paste them."""
    title = f"# {workload.name}: {cell.server} serves {cell.client}"
    if source := workload.rate_source:
        return f"{title}, at a load that only the rate of {source} in a run decides"
    servers, clients = reproduction(context, workload, endpoints)
    return "\n".join(
        [
            title,
            "# servers, in one terminal; end them with Ctrl-C",
            servers,
            "# clients, in another terminal, as soon as the servers listen",
            clients,
        ]
    )


def _network() -> str:
    """Return the commands that create the network namespaces and connect them."""
    lines = [f"ip netns add {name}" for name in NAMESPACES.values()]
    for name, words in commands(NAMESPACES):
        lines.append(shlex.join(["ip", "-n", NAMESPACES[name], *words[1:]]))
    return "\n".join(lines)


def _building(chosen: Sequence[Contestant], extra_contestants: Path | None) -> str:
    names = {
        contestant.build_name: contestant.folder.name
        if contestant.build_name == contestant.folder.name
        else contestant.name
        for contestant in chosen
    }
    more = (
        ["--contestants", str(extra_contestants.resolve())] if extra_contestants else []
    )
    return _autostrada("build", *names.values(), *more)


def _autostrada(*arguments: str) -> str:
    return shlex.join([str(Path(sys.executable).with_name("autostrada")), *arguments])
