"""
What manifests claim, held against what an experiment asks: docs/contract.md, 1 and 8.1.

Two claims are asked of nobody here who does not make them: a client without
``deflate`` is not told of compression, and ``workers`` would be for processes that
share a port, where each of a feed's workers has one of its own.
"""

from collections.abc import Collection, Mapping

from autostrada.contestants.contestant import Contestant, Role
from autostrada.errors import UsageError
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import Cell
from autostrada.workloads.workload import Workload


def refuse_unclaimed(
    chosen: Collection[str],
    contestants: Mapping[str, Contestant],
    experiment: Experiment,
) -> None:
    """
    Make sure that contestants claim what their cells ask of them.

    Raises:
        UsageError: one of them does not, or meets nobody who speaks its protocol; the
            message names its file, the key and the remedy.
    """
    points = experiment.points()
    cells = experiment.chosen_cells(chosen)
    for cell in cells:
        _refuse_engine_as_socket_io_server(cell, contestants, points[cell.workload])
        ends: dict[Role, str] = {"server": cell.server, "client": cell.client}
        for role, name in ends.items():
            if name in chosen:
                _refuse(contestants[name], role, points[cell.workload])
    _refuse_loners(chosen, contestants, cells)


def _refuse(contestant: Contestant, role: Role, workload: Workload) -> None:
    """Refuse whoever does not claim what one workload asks of one of its programs."""
    name = contestant.name
    if not contestant.has(role):
        raise UsageError(
            f"{name} has no {role}, which this experiment asks for: leave it out"
        )
    protocol = workload.required_protocol
    if protocol not in (None, contestant.protocol):
        raise UsageError(
            f"{name} speaks {contestant.protocol}, says protocol of "
            f"{_file(contestant)}, and workload {workload.name!r} takes {protocol}: "
            f"leave it out"
        )
    server, client = contestant.manifest.server, contestant.manifest.client
    if role == "server" and server and workload.is_over_tls and not server.tls:
        raise UsageError(
            f"{_file(contestant)}: server.tls is false, and workload "
            f"{workload.name!r} is over TLS: say tls = true if its server can, or "
            f"leave {name} out"
        )
    if role == "server" and server and workload.is_fed and not server.feed:
        raise UsageError(
            f"{_file(contestant)}: server.feed is false, and workload "
            f"{workload.name!r} is a feed: leave out feed = false if its server has "
            f"/feed, or leave {name} out"
        )
    played = workload.client_role
    if role == "client" and played is None:
        raise UsageError(
            f"workload {workload.name!r} has the engine alone as its client: name "
            f"{name} among the servers, or leave it out"
        )
    if role == "client" and client and played not in client.workloads:
        raise UsageError(
            f"{_file(contestant)}: client.workloads has no {played!r}, which workload "
            f"{workload.name!r} asks for: add it if its client can, or leave {name} out"
        )


def _refuse_loners(
    chosen: Collection[str],
    contestants: Mapping[str, Contestant],
    cells: Collection[Cell],
) -> None:
    """Refuse whoever meets only those that speak something else."""
    meeting: set[str] = set()
    for cell in cells:
        ends = {cell.server, cell.client}
        protocols = {contestants[each].protocol for each in ends & {*contestants}}
        is_served = cell.server in contestants or "socketio" not in protocols
        if len(protocols) < 2 and is_served:
            meeting |= ends
    for name in chosen:
        if name not in meeting:
            raise UsageError(
                f"{_file(contestants[name])}: protocol is "
                f"{contestants[name].protocol!r}, which none of those speaks whom "
                f"{name} meets: invite one that does, or leave it out"
            )


def _refuse_engine_as_socket_io_server(
    cell: Cell, contestants: Mapping[str, Contestant], workload: Workload
) -> None:
    """Refuse a workload of Socket.IO where the engine would be its server."""
    if cell.server not in contestants and workload.required_protocol == "socketio":
        raise UsageError(
            f"workload {workload.name!r} takes socketio, which the engine does not "
            "serve: name contestants in its servers"
        )


def _file(contestant: Contestant) -> str:
    return f"{contestant.folder.name}/contestant.toml"
