"""
Checks an experiment against the claims of manifests: docs/contract.md, 1 and 4.1.

One claim is not checked here: a client without ``deflate`` does not receive
``COMPRESSION``.
"""

from collections.abc import Collection, Mapping

from autostrada.contestants.contestant import Contestant, Role
from autostrada.engine.plans import is_socket_io
from autostrada.errors import UsageError
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import Cell
from autostrada.workloads.workload import Workload

OF_ENGINE = {"push", "work", "deflate"}
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
    name, origin = contestant.name, _file(contestant)
    if role == "client" and not workload.has_contestant_clients:
        raise UsageError(
            f"workload {workload.name!r} has the engine as its only client: list "
            f"{name} as a server, or omit it"
        )
    is_published = role in workload.published_roles
    table = f"published.{role}" if is_published else role
    program = contestant.program(role, published=is_published)
    if program is None and not is_published:
        program = contestant.program(role, published=True)
    if program is None:
        raise UsageError(
            f"{origin}: {name} has no [{table}], which workload {workload.name!r} "
            f"needs: omit {name}"
        )
    protocol = workload.required_protocol
    if protocol and contestant.protocol != protocol:
        raise UsageError(
            f"{origin}: protocol is {contestant.protocol!r}, but workload "
            f"{workload.name!r} needs {protocol}: omit it"
        )
    claims = workload.server_claims if role == "server" else workload.client_claims
    over_tls = ("tls",) if workload.is_over_tls else ()
    for claim in (*over_tls, *claims):
        if not getattr(program, claim):
            raise UsageError(
                f"{origin}: {table}.{claim} is false, but workload {workload.name!r} "
                f"needs it: set {claim} = true if its {role} supports it, or omit "
                f"{name}"
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
    if lacking := [claim for claim in workload.server_claims if claim not in OF_ENGINE]:
        raise UsageError(
            f"workload {workload.name!r} needs {', '.join(lacking)}, which the engine "
            "does not serve: list contestants in its servers"
        )


def _file(contestant: Contestant) -> str:
    return f"{contestant.folder.name}/contestant.toml"
