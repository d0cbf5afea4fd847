"""An experiment: its servers, clients, workloads and parameters of trials."""

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Literal, Self

from pydantic import Field

from autostrada.errors import NoRate, UsageError
from autostrada.experiment.answer import Answer
from autostrada.experiment.document import Document, parse_document, read_document
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.experiment.server_host import ServerHost
from autostrada.stats.sequential import LOOKS
from autostrada.workloads import AnyWorkload
from autostrada.workloads.workload import Workload

QUICK_REPETITIONS = 3
"""Smallest number of repetitions for which an interval can be computed."""


class Quick(Document):
    """Overrides for a quick run; each workload also has its own ``quick``."""

    repetitions: int = Field(default=QUICK_REPETITIONS, gt=0)
    servers: tuple[str, ...] | None = Field(default=None, min_length=1)
    """Servers of a quick run; ``None`` for all servers of the experiment."""

    clients: tuple[str, ...] | None = Field(default=None, min_length=1)
    """Clients of a quick run; ``None`` for all clients of the experiment."""

    workloads: tuple[str, ...] | None = Field(default=None, min_length=1)
    """Names of the workloads of a quick run; ``None`` for all."""


class Experiment(Document):
    """One file of ``experiments/``."""

    title: str
    question: str
    repetitions: int = Field(gt=0)
    budget_s: float | None = Field(default=None, gt=0)
    """
    Time for the trials; ``None`` if each cell has ``repetitions`` trials.

    It is spent on what decides claims first, and then on ``repetitions`` of each cell.
    """

    rounds_max: int = Field(default=LOOKS[-1], ge=LOOKS[0], le=LOOKS[-1])
    """Number of rounds over which the test of claims spends its error."""

    limit_s: float = Field(gt=0)
    """Time that a trial may take beyond its planned duration before it fails."""

    memory_bytes_max: int = Field(default=8 * 1024**3, gt=0)
    """Largest resident memory of a process; a trial that exceeds it is ended and
    fails."""

    cores: Literal["apart", "shared"] = "apart"
    """Whether server and clients have one core each, or share all cores."""

    server_host: ServerHost | None = None
    """Limits of the servers; ``None`` if they may use the machine as it is."""

    ends: tuple[Literal["same host", "apart"], ...] = Field(
        default=("same host", "apart"), min_length=1
    )
    """Where the clients may be: on the host of the servers, or on others."""

    network: Literal["loopback", "bridge"] = "loopback"
    """Whether both ends use the loopback device, or have network namespaces that a
    bridge connects."""

    congestion_control: str | None = None
    servers: tuple[str, ...] = Field(default=(REFERENCE,), min_length=1)
    clients: tuple[str, ...] = Field(default=(REFERENCE,), min_length=1)
    workload: tuple[AnyWorkload, ...] = Field(min_length=1)
    quick: Quick = Quick()
    answer: tuple[Answer, ...] = ()
    """The answer to the question, a sentence each."""

    @property
    def is_race(self) -> bool:
        """Whether every workload shows which client is the fastest."""
        return all(workload.is_race for workload in self.workload)

    @property
    def has_tls(self) -> bool:
        """Whether any workload uses TLS."""
        return any(workload.is_over_tls for workload in self.workload)

    @property
    def contestants(self) -> tuple[str, ...]:
        """Names of the contestants of all workloads, without the engine."""
        servers = [
            name for workload in self.workload for name in self.servers_of(workload)
        ]
        clients = [
            name for workload in self.workload for name in self.clients_of(workload)
        ]
        listed = dict.fromkeys([*servers, *clients])
        return tuple(name for name in listed if name != REFERENCE)

    def server_host_of(self, workload: Workload) -> ServerHost | None:
        """
        Return the limits of the servers of a workload; ``None`` if it has none.

        Raises:
            NoRate: the load that decides the host was not measured.
        """
        host = self.server_host
        if host is None:
            return None
        if source := workload.host_source:
            raise NoRate(f"workload {source!r} of the same round has no CPU time")
        share = workload.server_host_share
        cpu_share = workload.cpu_share_max or host.cpu_share_max
        size = host.memory_bytes_max
        return host.model_copy(
            update={
                "cpu_share_max": cpu_share and cpu_share * share,
                "memory_bytes_max": size and round(size * share),
            }
        )

    def preceding_cells(self) -> dict[Cell, tuple[Cell, ...]]:
        """Return the cells that are measured in the same round before another one."""
        points = self.points()
        found = {}
        for cell in self.cells():
            point = points[cell.workload]
            before = []
            if point.after:
                before.append(replace(cell, workload=point.after))
            if point.host_source:
                before.append(self.source_of(cell, point.host_source))
            if point.rate_source:
                source = self.source_of(cell, point.rate_source)
                before += [source] if source.server != cell.server else []
            if before:
                found[cell] = tuple(dict.fromkeys(before))
        return found

    def source_of(self, cell: Cell, source: str) -> Cell:
        """Return the cell of a workload that decides load or host of another cell."""
        own = replace(cell, workload=source)
        cells = [each for each in self.cells() if each.workload == source]
        return own if own in cells else cells[0]

    def points(self) -> dict[str, Workload]:
        """Return the points of all workloads by name."""
        return {
            point.name: point
            for workload in self.workload
            for point in workload.points()
        }

    def cells(self) -> tuple[Cell, ...]:
        """Return all combinations of a server, a client and a point."""
        return tuple(
            Cell(server=server, client=client, workload=point.name)
            for workload in self.workload
            for point in workload.points()
            for server in self.servers_of(workload)
            for client in self.clients_of(workload)
        )

    def chosen_cells(self, names: Collection[str]) -> tuple[Cell, ...]:
        """
        Return the cells of some contestants.

        If ``names`` includes servers, the cells are limited to these and the engine as
        servers; likewise for clients. A race also accepts clients that it does not
        list.
        """
        every = self.cells()
        servers = {cell.server for cell in every} & {*names}
        clients = {cell.client for cell in every} & {*names}
        if self.is_race:
            # Without its own server, a workload that compares servers has no trial.
            every = tuple(cell for cell in every if cell.server in {REFERENCE, *names})
            extra = [name for name in names if name not in clients]
            every += tuple(
                Cell(client=name, workload=point.name)
                for workload in self.workload
                for point in workload.points()
                if REFERENCE in self.servers_of(workload)
                for name in extra
            )
            clients |= {*extra}
        return tuple(
            cell
            for cell in every
            if cell.server in (servers | {REFERENCE} if servers else {cell.server})
            and cell.client in (clients | {REFERENCE} if clients else {cell.client})
        )

    def servers_of(self, workload: Workload) -> tuple[str, ...]:
        """Return the names of a workload's servers."""
        listed = workload.servers or self.servers
        return tuple(name for name in listed if name not in workload.omit_servers)

    def clients_of(self, workload: Workload) -> tuple[str, ...]:
        """Return the names of a workload's clients."""
        listed = workload.clients or self.clients
        return tuple(name for name in listed if name not in workload.omit_clients)

    def quick_version(self) -> Self:
        """Return the experiment with its overrides for quick runs."""
        kept = self.quick.workloads
        workloads = [
            workload.quick_version()
            for workload in self.workload
            if kept is None or workload.name in kept
        ]
        ends: dict[str, tuple[str, ...]] = {}
        for end in ("servers", "clients"):
            if chosen := getattr(self.quick, end):
                ends[end] = chosen
                workloads = [_limited(each, end, chosen) for each in workloads]
        return self.model_copy(
            update={
                "repetitions": self.quick.repetitions,
                "budget_s": None,
                "workload": tuple(workloads),
                **ends,
            }
        )


def _limited(workload: AnyWorkload, end: str, chosen: Collection[str]) -> AnyWorkload:
    """Return a workload with those of its servers, or clients, that are chosen."""
    kept = {
        key: tuple(name for name in names if name in chosen)
        for key in (end, f"omit_{end}")
        if (names := getattr(workload, key))
    }
    return workload.model_copy(update=kept)


def parse_experiment(text: str, *, origin: str) -> Experiment:
    """
    Parse an experiment from TOML; ``origin`` is the file's name for messages.

    Raises:
        UsageError: the text is not TOML, a key is missing, unknown or out of range, or
            workloads contradict each other.
    """
    experiment = parse_document(Experiment, text, origin=origin)
    names = [workload.name for workload in experiment.workload]
    if len(set(names)) < len(names):
        raise UsageError(f"{origin}: two workloads have the same name")
    for end in ("servers", "clients"):
        chosen = getattr(experiment.quick, end) or ()
        if unknown := set(chosen) - set(getattr(experiment, end)):
            raise UsageError(
                f"{origin}: quick.{end}: {sorted(unknown)[0]!r} is not one of {end}"
            )
    if unknown := set(experiment.quick.workloads or ()) - set(names):
        raise UsageError(
            f"{origin}: quick.workloads: {sorted(unknown)[0]!r} is not the name of a "
            f"workload"
        )
    points = experiment.points()
    for name, point in points.items():
        _refuse_unknown_source(
            point.rate_source, "offered.of", name, experiment, origin
        )
        first = points.get(point.after or "")
        if point.after and not (
            first
            and first.servers == point.servers
            and (first.shares_servers and point.shares_servers)
        ):
            raise UsageError(
                f"{origin}: workload {name!r}: after: {point.after!r} is not the name "
                f"of a workload that shares servers with it"
            )
        source = point.host_source
        key = "server_cpu_share_max.of"
        _refuse_unknown_source(source, key, name, experiment, origin)
        if source and points[source].host_source:
            raise UsageError(
                f"{origin}: workload {name!r}: {key}: {source!r} needs a host of its "
                f"own: omit its server_cpu_share_max"
            )
    _refuse_answers_without_cells(experiment, origin=origin)
    _refuse_empty_omissions(experiment, origin=origin)
    refuse_contradictions(experiment, origin=origin)
    refuse_contradictions(experiment.quick_version(), origin=f"{origin}, quick")
    return experiment


def _refuse_unknown_source(
    source: str | None, key: str, name: str, experiment: Experiment, origin: str
) -> None:
    """Reject a source that has another server and is not the only cell there."""
    if source is None:
        return
    cells = [cell for cell in experiment.cells() if cell.workload == source]
    own = [cell for cell in experiment.cells() if cell.workload == name]
    has_own = all(replace(cell, workload=source) in cells for cell in own)
    if not has_own and len(cells) != 1:
        raise UsageError(
            f"{origin}: workload {name!r}: {key}: {source!r} is not the name of a "
            f"workload with the same servers, or with a single one"
        )


def without_removed_keys(definition: str) -> str:
    """Return the definition of a stored run without keys that are known no more."""
    return re.sub(r"(?m)^warm_ups *=.*", "", definition)


def refuse_contradictions(experiment: Experiment, *, origin: str) -> None:
    """
    Check that workloads agree with their contestants and with each other.

    ``origin`` is the file or the option that is to blame, for messages.

    Raises:
        UsageError: a workload contradicts its contestants or another workload.
    """
    for workload in experiment.workload:
        servers = set(experiment.servers_of(workload))
        why = workload.why_only_engine_serves
        if why and servers != {REFERENCE}:
            raise UsageError(
                f"{origin}: workload {workload.name!r} has the engine as its only "
                f"server, because {why}: omit servers"
            )
        has_host = workload.server_cpu_share_max or workload.server_host_share < 1
        if has_host and experiment.server_host is None:
            raise UsageError(
                f"{origin}: workload {workload.name!r}: server_cpu_share_max and "
                f"server_host_share need a table server_host, which they change"
            )
        if workload.contestant_cores > 1 and experiment.cores == "shared":
            raise UsageError(
                f"{origin}: workload {workload.name!r}: contestant_cores needs cores = "
                f"'apart': with 'shared', each end has all cores"
            )
        # Published clients have no CA.
        is_published = "client" in workload.published_roles
        clients = set(experiment.clients_of(workload))
        if workload.is_over_tls and is_published and clients != {REFERENCE}:
            raise UsageError(
                f"{origin}: workload {workload.name!r} uses TLS, for which the engine "
                f"is the only client: omit clients"
            )
        # The engine always uses the AES instructions.
        host = experiment.server_host
        is_software = host is not None and host.aes == "software"
        if is_software and workload.is_over_tls and REFERENCE in servers:
            raise UsageError(
                f"{origin}: workload {workload.name!r}: the engine as a server uses "
                f"the CPU's AES instructions: omit server_host.aes, or {REFERENCE} of "
                f"servers"
            )


def _refuse_answers_without_cells(experiment: Experiment, *, origin: str) -> None:
    known = set(experiment.cells())
    for answer in experiment.answer:
        for name in answer.cells:
            if name.cell not in known:
                raise UsageError(
                    f"{origin}: answer {answer.text!r}: the experiment has no cell "
                    f"{name.cell}"
                )


def _refuse_empty_omissions(experiment: Experiment, *, origin: str) -> None:
    """Reject workloads that leave out what they do not have, or all that they have."""
    for workload in experiment.workload:
        ends = {
            "servers": (workload.servers or experiment.servers, workload.omit_servers),
            "clients": (workload.clients or experiment.clients, workload.omit_clients),
        }
        for end, (listed, omitted) in ends.items():
            where = f"{origin}: workload {workload.name!r}: omit_{end}"
            if unknown := [name for name in omitted if name not in listed]:
                raise UsageError(f"{where}: {unknown[0]!r} is not one of its {end}")
            if set(listed) <= set(omitted):
                raise UsageError(f"{where} has all of its {end}: keep one")


def read_experiment(path: Path) -> tuple[Experiment, str]:
    """Read an experiment's file; return the experiment and the file's text."""
    text = read_document(path)
    return parse_experiment(text, origin=str(path)), text
