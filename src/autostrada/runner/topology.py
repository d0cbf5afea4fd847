"""The topology of a trial: its processes, each with its configuration and launch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from autostrada.evidence.aggregation import REFERENCE_CLIENT, process_name
from autostrada.hosts.clients import RemoteClient
from autostrada.machine.layout import MemoryLayout
from autostrada.machine.process import Command
from autostrada.runner.context import Endpoints, RunContext
from autostrada.runner.endpoints import Endpoint, EngineClient, Launch
from autostrada.runner.isolation import server_environment
from autostrada.workloads.report import Configuration, Setup
from autostrada.workloads.workload import Workload


@dataclass(frozen=True, kw_only=True, slots=True)
class Instance:
    """One process of a trial, before it is launched."""

    name: str
    endpoint: Endpoint
    configuration: Configuration
    launch: Launch
    port: int
    """Port that a server listens on, or that a client connects to."""

    cpus: frozenset[int]
    """Cores of this machine that it may use; none on another host."""

    elsewhere: RemoteClient | None = None
    """The engine on another host that it is; ``None`` on this machine."""

    is_beside: bool = False
    """Whether it is the engine as a client beside those of a contestant, which it must
    not interrupt if it shares their core."""

    @property
    def has_result(self) -> bool:
        """Whether the process prints a result; if not, it runs until it is ended."""
        configuration = self.configuration
        return configuration.has_result and (
            self.endpoint.is_engine or configuration.has_contestant_result
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Topology:
    """
    All processes of a trial; clients are assigned to servers in turn.

    The clients of a contestant come before those of the engine.
    """

    servers: Sequence[Instance]
    clients: Sequence[Instance]


def topology_of(
    context: RunContext,
    endpoints: Endpoints,
    workload: Workload,
    ports: Sequence[int],
    layout: MemoryLayout | None = None,
) -> Topology:
    """
    Return the processes of a trial, with one server per port.

    Contestants are started with a memory layout; ``None`` for random ones.

    Raises:
        EngineError: the workload does not support one of the endpoints.
        UsageError: this machine cannot be the host that the servers need.
    """
    for_host = server_environment(context.experiment)
    setup = context.setup(workload, endpoints)
    host = context.host

    def servers() -> Iterator[Instance]:
        for index, port in enumerate(ports):
            configuration = workload.server(setup, port)
            launch = _launch(endpoints.server, configuration, setup, port, layout)
            environment = {**launch.environment, **for_host}
            yield Instance(
                name=process_name("server", index),
                endpoint=endpoints.server,
                configuration=configuration,
                launch=replace(launch, environment=environment),
                port=port,
                cpus=host.server_cpus,
            )

    measured = workload.client_processes - endpoints.reference_clients(workload)
    reference = EngineClient(context.engine)
    elsewhere = context.client_hosts

    def clients() -> Iterator[Instance]:
        for index in range(workload.client_processes):
            is_measured = index < measured
            endpoint = endpoints.client if is_measured else reference
            port = ports[index % len(ports)]
            configuration = workload.client_of(index, setup, port)
            launch = _launch(endpoint, configuration, setup, port, layout)
            cpus = host.client_cpus if is_measured else host.reference_cpus
            yield Instance(
                name=process_name("client", index)
                if is_measured
                else process_name(REFERENCE_CLIENT, index - measured),
                endpoint=endpoint,
                configuration=configuration,
                launch=launch,
                port=port,
                cpus=cpus if elsewhere is None else frozenset(),
                elsewhere=elsewhere.client(index, command_of(launch, endpoint))
                if elsewhere
                else None,
                is_beside=not is_measured,
            )

    def command_of(launch: Launch, endpoint: Endpoint) -> Command | None:
        """Return the command of a contestant; ``None`` for the engine."""
        if endpoint.is_engine:
            return None
        return Command(
            arguments=launch.arguments,
            folder=launch.folder,
            environment=launch.environment,
        )

    return Topology(servers=list(servers()), clients=list(clients()))


def _launch(
    endpoint: Endpoint,
    configuration: Configuration,
    setup: Setup,
    port: int,
    layout: MemoryLayout | None,
) -> Launch:
    """Return how a process is launched; a layout is for contestants alone."""
    launch = endpoint.launch(configuration, setup, port)
    if layout is None or endpoint.is_engine:
        return launch
    return replace(
        launch,
        arguments=layout.command(launch.arguments),
        environment={**layout.environment, **launch.environment},
    )
