"""An experiment: who serves, who is served, what is sent, and what was published."""

from collections.abc import Collection
from pathlib import Path
from typing import Literal, Self

from pydantic import Field

from autostrada.errors import UsageError
from autostrada.experiment.document import Document, parse_document, read_document
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.workloads import AnyWorkload
from autostrada.workloads.push import Push
from autostrada.workloads.workload import Workload

QUICK_REPETITIONS = 3
"""The least of which an interval can be shown."""


class Quick(Document):
    """What differs in a quick run; each workload adds its own ``quick``."""

    repetitions: int = Field(default=QUICK_REPETITIONS, gt=0)
    clients: tuple[str, ...] | None = Field(default=None, min_length=1)
    """The only clients of a quick run; by default all of the experiment's."""


class Experiment(Document):
    """One file of ``experiments/``."""

    title: str
    question: str
    repetitions: int = Field(gt=0)
    warm_ups: int = Field(ge=0)
    limit_s: float = Field(gt=0)
    """A trial that takes so much longer than by its plan is a failure."""

    memory_bytes_max: int = Field(default=8 * 1024**3, gt=0)
    """A trial in which one of the processes has more is ended, and a failure."""

    cores: Literal["apart", "shared"] = "apart"
    """Whether server and clients have a core each, or both ends all of them."""

    congestion_control: str | None = None
    servers: tuple[str, ...] = Field(default=(REFERENCE,), min_length=1)
    clients: tuple[str, ...] = Field(default=(REFERENCE,), min_length=1)
    workload: tuple[AnyWorkload, ...] = Field(min_length=1)
    quick: Quick = Quick()

    @property
    def is_race(self) -> bool:
        """Whether it races clients: all is pushed to them by the engine's server."""
        return all(isinstance(workload, Push) for workload in self.workload)

    @property
    def has_tls(self) -> bool:
        """Whether any of its connections is over TLS."""
        return any(workload.is_over_tls for workload in self.workload)

    @property
    def contestants(self) -> tuple[str, ...]:
        """All that are invited, each once, without the engine."""
        invited = [*self.servers, *self.clients]
        for workload in self.workload:
            invited += [*(workload.servers or ()), *(workload.clients or ())]
        return tuple(name for name in dict.fromkeys(invited) if name != REFERENCE)

    def points(self) -> dict[str, Workload]:
        """Return the points of all workloads by name; searched ones have their own."""
        return {
            point.name: point
            for workload in self.workload
            for point in workload.points()
        }

    def cells(self) -> tuple[Cell, ...]:
        """Return every combination of a server, a client and a point."""
        return tuple(
            Cell(server=server, client=client, workload=point.name)
            for workload in self.workload
            for point in workload.points()
            for server in workload.servers or self.servers
            for client in workload.clients or self.clients
        )

    def chosen_cells(self, names: Collection[str]) -> tuple[Cell, ...]:
        """
        Return the cells that are about some contestants.

        Where some of the servers are named, only these serve, and the engine; so with
        clients. A race also takes clients that it does not list.
        """
        every = self.cells()
        servers = {cell.server for cell in every} & {*names}
        clients = {cell.client for cell in every} & {*names}
        if self.is_race:
            further = [name for name in names if name not in clients]
            every += tuple(
                Cell(client=name, workload=point)
                for point in self.points()
                for name in further
            )
            clients |= {*further}
        return tuple(
            cell
            for cell in every
            if cell.server in (servers | {REFERENCE} if servers else {cell.server})
            and cell.client in (clients | {REFERENCE} if clients else {cell.client})
        )

    def quickly(self) -> Self:
        """Return the experiment of a quick run: fewer repetitions and no warm-ups."""
        chosen = self.quick.clients
        workloads = [each.quickly() for each in self.workload]
        if chosen is not None:
            workloads = [
                each.model_copy(
                    update={"clients": tuple(n for n in each.clients if n in chosen)}
                )
                if each.clients
                else each
                for each in workloads
            ]
        return self.model_copy(
            update={
                "repetitions": self.quick.repetitions,
                "warm_ups": 0,
                "clients": self.clients if chosen is None else chosen,
                "workload": tuple(workloads),
            }
        )


def parse_experiment(text: str, *, origin: str) -> Experiment:
    """
    Read an experiment from TOML; ``origin`` is the file's name, for messages.

    Raises:
        UsageError: it is no TOML, or a key is missing, unknown or out of range.
    """
    experiment = parse_document(Experiment, text, origin=origin)
    names = [workload.name for workload in experiment.workload]
    if len(set(names)) < len(names):
        raise UsageError(f"{origin}: two workloads have the same name")
    if unknown := set(experiment.quick.clients or ()) - set(experiment.clients):
        raise UsageError(
            f"{origin}: quick.clients: {sorted(unknown)[0]!r} is not one of clients"
        )
    refuse_contradictions(experiment, origin=origin)
    refuse_contradictions(experiment.quickly(), origin=f"{origin}, quick")
    return experiment


def refuse_contradictions(experiment: Experiment, *, origin: str) -> None:
    """
    Make sure that workloads agree with who plays in them, and with each other.

    Raises:
        UsageError: one does not; ``origin`` is who says so, for the message.
    """
    for workload in experiment.workload:
        servers = set(workload.servers or experiment.servers)
        if not workload.can_contestants_serve and servers != {REFERENCE}:
            raise UsageError(
                f"{origin}: workload {workload.name!r} has the engine alone as its "
                f"server: leave out servers"
            )
        _refuse_tls_of_contestants(workload, experiment, origin=origin)
        _refuse_what_is_not_found(workload, experiment, origin=origin)


def _refuse_tls_of_contestants(
    workload: Workload, experiment: Experiment, *, origin: str
) -> None:
    """Over TLS the engine is the client: contestants are not told whom to trust."""
    clients = set(workload.clients or experiment.clients)
    if workload.is_over_tls and clients != {REFERENCE}:
        raise UsageError(
            f"{origin}: workload {workload.name!r} is over TLS, where the engine is "
            f"the only client: leave out clients"
        )


def _refuse_what_is_not_found(
    workload: Workload, experiment: Experiment, *, origin: str
) -> None:
    """What another workload finds must be looked for by it."""
    searched = [each.name for each in experiment.workload if each.capacity_search]
    sought = workload.capacity_of
    if sought is not None and sought not in searched:
        raise UsageError(
            f"{origin}: workload {workload.name!r}: connections_of: {sought!r} has no "
            f"search; name one of {', '.join(searched) or 'none'}"
        )


def read_experiment(path: Path) -> tuple[Experiment, str]:
    """Read an experiment's file; return it and its text."""
    text = read_document(path)
    return parse_experiment(text, origin=str(path)), text
