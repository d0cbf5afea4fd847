"""What all trials of a run have in common, and who the ends of a trial are."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import ROLES, Contestant, Role
from autostrada.engine.plans import Protocol, Room, Tls
from autostrada.errors import EngineError, NotClaimed
from autostrada.experiment.experiment import Experiment
from autostrada.machine.certificates import Certificates
from autostrada.machine.host import Host
from autostrada.machine.ports import descriptors_max, outgoing_ports
from autostrada.runner.endpoints import (
    ContestantClient,
    ContestantServer,
    Endpoint,
    EngineClient,
    EngineServer,
    Program,
)
from autostrada.store.record import Cell
from autostrada.workloads.report import Setup
from autostrada.workloads.workload import Workload

Programs = Mapping[Role, Program]
"""Of one contestant; the engine's are none."""


def programs_of(contestant: Contestant, folder: Path) -> Programs:
    """Return the programs of a contestant that is built in that folder."""
    return {
        role: Program(
            words=contestant.words(role),
            folder=folder,
            environment=contestant.environment(role),
            protocol=contestant.protocol,
            deflate=contestant.has_deflate(role),
        )
        for role in ROLES
        if contestant.has(role)
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoints:
    """The two ends of a trial."""

    server: Endpoint
    client: Endpoint
    is_invited: bool = True
    """Whether they meet in the experiment's own cells."""

    @property
    def can_meet(self) -> bool:
        """Whether both ends speak one protocol; the engine serves no Socket.IO."""
        if self.server.is_engine:
            return self.client.protocol != "socketio"
        return len(self._protocols) < 2

    def expect_claimed(self, workload: Workload) -> None:
        """
        Make sure that a client claims what a workload needs.

        Raises:
            NotClaimed: it does not compress, and would be ranked with those that do.
        """
        is_claimed = self.client.compresses or not workload.is_compressed
        if not (self.is_invited or is_claimed):
            raise NotClaimed(
                f"it does not claim compression (client.deflate of its "
                f"contestant.toml), which {workload.name} is about"
            )

    @property
    def _protocols(self) -> list[Protocol]:
        ends = (self.server.protocol, self.client.protocol)
        return list(dict.fromkeys(each for each in ends if each))

    def protocol_in(self, workload: Workload) -> Protocol:
        """Return what both speak: the engine speaks what the other one does."""
        return next(iter([*self._protocols, workload.required_protocol or "websocket"]))


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """What all trials of a run have in common."""

    experiment: Experiment
    engine: Path
    host: Host
    certificates: Certificates | None = None
    """Of servers that speak TLS, where any does."""

    def endpoints(
        self, *, server: Program | None = None, client: Program | None = None
    ) -> Endpoints:
        """Return both ends; without a program an end is the engine."""
        return Endpoints(
            server=ContestantServer(server) if server else EngineServer(self.engine),
            client=ContestantClient(client) if client else EngineClient(self.engine),
        )

    def endpoints_of(self, cell: Cell, programs: Mapping[str, Programs]) -> Endpoints:
        """Return both ends of a cell, of the programs of all contestants by name."""
        return self.endpoints(
            server=programs[cell.server].get("server"),
            client=programs[cell.client].get("client"),
        )

    def setup(self, workload: Workload, endpoints: Endpoints) -> Setup:
        """
        Return what the configurations of a trial depend on beside its workload.

        Raises:
            EngineError: it is over TLS, and there are no certificates.
            NotClaimed: the client does not claim what is asked.
        """
        endpoints.expect_claimed(workload)
        return Setup(
            protocol=endpoints.protocol_in(workload),
            limit_s=self.experiment.limit_s,
            room=self.room,
            congestion_control=self.experiment.congestion_control,
            tls=self._tls() if workload.is_over_tls else None,
            stocks_file=str(find_catalog().stocks_file),
        )

    @cached_property
    def room(self) -> Room:
        """How many connections this machine has room for."""
        return Room(descriptors=descriptors_max(), outgoing_ports=outgoing_ports())

    def _tls(self) -> Tls:
        made = self.certificates
        if made is None:
            raise EngineError("a workload is over TLS, and the run has no certificates")
        return Tls(
            certificate_file=str(made.certificate_file),
            key_file=str(made.key_file),
            ca_file=str(made.ca_file),
        )


def placed(host: Host, endpoints: Endpoints) -> Host:
    """
    Return which cores the ends of a trial get: the engine is nearer to the observer.

    Who is measured has the client's cores where the engine is the client, as well.
    """
    if not endpoints.client.is_engine or endpoints.server.is_engine:
        return host
    return replace(host, server_cpus=host.client_cpus, client_cpus=host.server_cpus)
