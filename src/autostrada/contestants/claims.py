"""
Checks an experiment against the claims of manifests: docs/contract.md, 1 and 8.1.

Two claims are not checked here. A client without ``deflate`` does not receive
``COMPRESSION``. ``workers`` is about processes that share a port, but each worker of a
feed has its own port.
"""

from collections.abc import Collection, Mapping

from autostrada.contestants.contestant import Contestant, Role
from autostrada.engine.plans import is_socket_io
from autostrada.errors import UsageError
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import Cell
from autostrada.workloads.workload import Workload

OF_ENGINE = {"push", "work"}
"""Claims that the engine meets as a server."""


def refuse_unclaimed(
    chosen: Collection[str],
    contestants: Mapping[str, Contestant],
    experiment: Experiment,
) -> None:
    """
    Check that contestants claim the features that their cells require.

    Raises:
        UsageError: a claim is missing, or a contestant has no peer with its protocol;
            the message names the file, the key and the remedy.
    """
    points = experiment.points()
    cells = experiment.chosen_cells(chosen)
    for cell in cells:
        _refuse_engine_as_server(cell, contestants, points[cell.workload])
        ends: dict[Role, str] = {"server": cell.server, "client": cell.client}
        for role, name in ends.items():
            if name in chosen:
                _refuse(contestants[name], role, points[cell.workload])
    _refuse_unpaired(chosen, contestants, cells)


def _refuse(contestant: Contestant, role: Role, workload: Workload) -> None:
    """Reject a contestant whose program lacks a claim that a workload requires."""
    name = contestant.name
    if not contestant.has(role):
        raise UsageError(f"{name} has no {role}, which this experiment needs: omit it")
    protocol = workload.required_protocol
    if protocol not in (None, contestant.protocol):
        raise UsageError(
            f"{name} speaks {contestant.protocol} according to protocol of "
            f"{_file(contestant)}, but workload {workload.name!r} needs {protocol}: "
            f"omit it"
        )
    server = contestant.manifest.server
    if role == "server" and server and workload.is_over_tls and not server.tls:
        raise UsageError(
            f"{_file(contestant)}: server.tls is false, but workload "
            f"{workload.name!r} uses TLS: set tls = true if its server supports it, or "
            f"omit {name}"
        )
    if role == "server" and server and workload.is_fed and not server.feed:
        raise UsageError(
            f"{_file(contestant)}: server.feed is false, but workload "
            f"{workload.name!r} is a feed: remove feed = false if its server has "
            f"/feed, or omit {name}"
        )
    claims = workload.server_claims if role == "server" else workload.client_claims
    for claim in claims:
        if not getattr(contestant.manifest.programs()[role], claim):
            raise UsageError(
                f"{_file(contestant)}: {role}.{claim} is false, but workload "
                f"{workload.name!r} needs it: set {claim} = true if its {role} "
                f"supports it, or omit {name}"
            )
    needed = workload.client_role
    if role == "client" and needed is None:
        raise UsageError(
            f"workload {workload.name!r} has the engine as its only client: list "
            f"{name} as a server, or omit it"
        )
    if contestant.is_feed_only and not workload.is_fed:
        raise UsageError(
            f"{_file(contestant)}: {name} takes part in feeds only, and workload "
            f"{workload.name!r} is none: omit it"
        )
    if role == "client" and needed not in contestant.workloads:
        raise UsageError(
            f"{_file(contestant)}: client.workloads has no {needed!r}, which workload "
            f"{workload.name!r} needs: add it if its client supports it, or omit {name}"
        )


def _refuse_unpaired(
    chosen: Collection[str],
    contestants: Mapping[str, Contestant],
    cells: Collection[Cell],
) -> None:
    """Reject a contestant whose peers all speak another protocol."""
    paired: set[str] = set()
    for cell in cells:
        ends = {cell.server, cell.client}
        protocols = {contestants[each].protocol for each in ends & {*contestants}}
        is_served = cell.server in contestants or not any(map(is_socket_io, protocols))
        if len(protocols) < 2 and is_served:
            paired |= ends
    for name in chosen:
        if name not in paired:
            raise UsageError(
                f"{_file(contestants[name])}: protocol is "
                f"{contestants[name].protocol!r}, which no peer of {name} speaks: add "
                f"one that does, or omit {name}"
            )


def _refuse_engine_as_server(
    cell: Cell, contestants: Mapping[str, Contestant], workload: Workload
) -> None:
    """Reject the engine as the server of a workload that needs what it cannot do."""
    if cell.server in contestants:
        return
    if workload.required_protocol == "socketio":
        raise UsageError(
            f"workload {workload.name!r} needs socketio, which the engine does not "
            "serve: list contestants in its servers"
        )
    if lacking := [each for each in workload.server_claims if each not in OF_ENGINE]:
        raise UsageError(
            f"workload {workload.name!r} needs {', '.join(lacking)}, which the engine "
            "does not serve: list contestants in its servers"
        )


def _file(contestant: Contestant) -> str:
    return f"{contestant.folder.name}/contestant.toml"
