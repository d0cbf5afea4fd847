"""The context shared by all trials of a run, and the two endpoints of a trial."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from autostrada.contestants.contestant import Contestant, Program, Role
from autostrada.engine.plans import ConnectionLimits, Protocol, Tls, is_socket_io
from autostrada.errors import EngineError, NotClaimed
from autostrada.experiment.experiment import Experiment
from autostrada.hosts.clients import ClientHosts
from autostrada.machine.certificates import Certificates
from autostrada.machine.host import Host
from autostrada.machine.ports import descriptors_max, outgoing_ports
from autostrada.runner.endpoints import (
    BuiltProgram,
    ContestantClient,
    ContestantServer,
    Endpoint,
    EngineClient,
    EngineServer,
)
from autostrada.runner.isolation import server_address, source_network
from autostrada.store.record import Cell
from autostrada.workloads.report import Setup
from autostrada.workloads.workload import Workload


@dataclass(frozen=True, kw_only=True, slots=True)
class BuiltContestant:
    """A contestant whose build is finished."""

    contestant: Contestant
    folder: Path
    """Folder in which its commands run."""

    def program(self, role: Role, workload: Workload) -> BuiltProgram | None:
        """
        Return the program with a role in a workload; ``None`` if there is none.

        A contestant that has only published programs takes part with these.
        """
        own = self.contestant
        is_published = role in workload.published_roles or not own.has(role)
        program = own.program(role, published=is_published)
        return built_program(own, program, self.folder) if program else None


def built_program(
    contestant: Contestant, program: Program, folder: Path
) -> BuiltProgram:
    """Return how to start a program of a contestant that is built in a folder."""
    return BuiltProgram(
        arguments=program.command,
        folder=folder,
        environment=contestant.environment(program),
        protocol=contestant.protocol,
        deflate=program.deflate,
        warm_up_s=program.warm_up_s,
    )


BuiltContestants = Mapping[str, BuiltContestant | None]
"""Contestants by name; the engine, which is one of them, is ``None``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoints:
    """The two endpoints of a trial."""

    server: Endpoint
    client: Endpoint

    @property
    def has_common_protocol(self) -> bool:
        """
        Whether both endpoints speak the same protocol.

        The engine adopts the protocol of its peer, but cannot serve Socket.IO.
        """
        if self.server.is_engine:
            return not is_socket_io(self.client.protocol)
        return len(self._protocols) < 2

    @property
    def warm_up_s(self) -> float:
        """Return the longer warm-up of both endpoints, in seconds."""
        return max(self.server.warm_up_s, self.client.warm_up_s)

    def reference_clients(self, workload: Workload) -> int:
        """Return the number of clients that are the engine beside a contestant's."""
        if self.client.is_engine:
            return 0
        return workload.client_processes - workload.contestant_clients

    def expect_claimed(self, workload: Workload) -> None:
        """
        Check that the client claims the features that a workload requires.

        Raises:
            NotClaimed: the workload is compressed and the client claims no support for
                compression; its results would not be comparable.
        """
        if workload.is_compressed and not self.client.compresses:
            raise NotClaimed(
                f"it does not claim compression (client.deflate of its "
                f"contestant.toml), which {workload.name} measures"
            )

    @property
    def _protocols(self) -> list[Protocol]:
        ends = (self.server.protocol, self.client.protocol)
        return list(dict.fromkeys(end for end in ends if end))

    def protocol_in(self, workload: Workload) -> Protocol:
        """Return the protocol of a trial: that of the contestant, if there is one."""
        return next(iter([*self._protocols, workload.required_protocol or "websocket"]))


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """The context shared by all trials of a run."""

    experiment: Experiment
    engine: Path
    host: Host
    certificates: Certificates | None = None
    """Certificates for workloads over TLS; ``None`` if no workload uses TLS."""

    client_hosts: ClientHosts | None = None
    """The hosts of clients; ``None`` if these are on this machine."""

    def endpoints(
        self, *, server: BuiltProgram | None = None, client: BuiltProgram | None = None
    ) -> Endpoints:
        """Return both endpoints; an endpoint without a program is the engine."""
        return Endpoints(
            server=ContestantServer(server) if server else EngineServer(self.engine),
            client=ContestantClient(client) if client else EngineClient(self.engine),
        )

    def endpoints_of(
        self, cell: Cell, workload: Workload, contestants: BuiltContestants
    ) -> Endpoints:
        """Return both endpoints of a cell, whose point is ``workload``."""
        server, client = contestants[cell.server], contestants[cell.client]
        return self.endpoints(
            server=server.program("server", workload) if server else None,
            client=client.program("client", workload) if client else None,
        )

    def setup(self, workload: Workload, endpoints: Endpoints) -> Setup:
        """Return the settings of a trial that do not come from its workload."""
        return Setup(
            protocol=endpoints.protocol_in(workload),
            limit_s=self.experiment.limit_s,
            connection_limits=self.connection_limits,
            address=self.client_hosts.server_address
            if self.client_hosts
            else server_address(self.experiment),
            congestion_control=self.experiment.congestion_control,
            tls=self._tls() if workload.is_over_tls else None,
        )

    @cached_property
    def connection_limits(self) -> ConnectionLimits:
        """The limits of this machine on the number of connections."""
        return ConnectionLimits(
            descriptors=descriptors_max(),
            outgoing_ports=outgoing_ports(),
            source_network=None
            if self.client_hosts
            else source_network(self.experiment),
        )

    def _tls(self) -> Tls:
        made = self.certificates
        if made is None:
            raise EngineError("a workload uses TLS, but the run has no certificates")
        return Tls(
            certificate_file=str(made.certificate_file),
            key_file=str(made.key_file),
            ca_file=str(made.ca_file),
        )


def fitting_workloads(
    experiment: Experiment, host: Host
) -> tuple[Experiment, list[str]]:
    """
    Return an experiment without the workloads that need more cores than there are.

    The second value says why each of them is left out.
    """
    most = host.contestant_cores_max
    kept = [
        workload
        for workload in experiment.workload
        if workload.contestant_cores <= most
    ]
    left_out = [
        f"workload {workload.name!r} needs {workload.contestant_cores} cores for a "
        f"contestant and one for the engine; this run has "
        f"{most + 1 if host.is_apart else 1}"
        for workload in experiment.workload
        if workload.contestant_cores > most
    ]
    return experiment.model_copy(update={"workload": tuple(kept)}), left_out


def placed(host: Host, endpoints: Endpoints, workload: Workload) -> Host:
    """
    Return the host with its cores assigned to the endpoints of a trial.

    The client's cores are as many as the workload gives to a contestant.
    If the engine is the client of a contestant's server, the two exchange their cores,
    so that the engine runs on the cores next to the observer, and a contestant that is
    measured against the engine always runs on the client's cores. A server with a
    chosen number of cores keeps these.
    """
    host = host.with_contestant_cores(workload.contestant_cores)
    is_engine_measured = not endpoints.client.is_engine or endpoints.server.is_engine
    if is_engine_measured or host.is_server_fixed:
        return host
    return replace(host, server_cpus=host.client_cpus, client_cpus=host.server_cpus)
