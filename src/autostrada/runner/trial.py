"""Runs one trial of any workload: two endpoints, an observer, and the outcome."""

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Self

from autostrada.errors import ContestantError
from autostrada.evidence.slices import with_speeds, within_slices
from autostrada.machine.host import Host
from autostrada.machine.layout import MemoryLayout
from autostrada.machine.orphans import end_orphans
from autostrada.machine.ports import reserved_port
from autostrada.runner.conditions import find_conditions
from autostrada.runner.context import Endpoints, RunContext, placed
from autostrada.runner.cpu_limit import limit_when_open
from autostrada.runner.isolation import Isolation, isolate
from autostrada.runner.memory_limit import (
    MemoryLimit,
    report_out_of_memory,
)
from autostrada.runner.observer import (
    Observer,
    observing,
    sampling_interval_ms,
)
from autostrada.runner.processes import (
    TrialProcess,
    expect_nothing_left,
    local_of,
    read_all,
    serving,
    waiting,
)
from autostrada.runner.servers import SharedServers
from autostrada.runner.topology import Instance, topology_of
from autostrada.runner.turns import NO_SLICES, Turns, TurnTaking, in_turn
from autostrada.store import record
from autostrada.workloads.report import (
    ClientReport,
    EndPlacement,
    Reports,
    ServerReport,
    WindowObservation,
)
from autostrada.workloads.workload import Workload

SLICED_EVERY_MS = 40.0
"""The sampling interval of a trial in slices, each of which needs several samples."""

UNKNOWN = record.OtherLoad()
"""It is unknown whether the machine was idle."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialContext:
    """Facts known before a trial."""

    retry: int = 0
    """Number of the trial among those of its attempt; 0 for the first."""

    other_load: record.OtherLoad = UNKNOWN
    """State of the machine immediately before the trial."""

    expected_ns: int | None = None
    """Duration of an earlier trial of the cell in nanoseconds; ``None`` if unknown."""

    rounds: int | None = None
    """Number of its rounds, if it has slices; ``None`` for that of the workload."""


NO_HISTORY = TrialContext()


class Start:
    """What the trials have in common that run at the same time, or share servers."""

    def __init__(self, layout: MemoryLayout | None = None) -> None:
        """Create a start whose contestants have a layout; ``None`` for random ones."""
        self.layout = layout
        self.servers = SharedServers()
        self.pids: set[int] = set()
        """IDs of the processes that trials have started and not ended."""

        self._began_ns = time.monotonic_ns()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the servers that trials have shared."""
        self.servers.end()

    def in_start(
        self, slices: Sequence[record.SliceRow]
    ) -> tuple[record.SliceRow, ...]:
        """Return slices with instants relative to the beginning of the start."""
        return tuple(
            replace(each, since_start_ns=each.since_start_ns - self._began_ns)
            for each in slices
        )

    @property
    def kept_pids(self) -> set[int]:
        """IDs of all processes that are no orphans."""
        return self.pids | self.servers.pids


def run_trial(
    context: RunContext,
    attempt: record.Attempt,
    workload: Workload,
    endpoints: Endpoints,
    before: TrialContext = NO_HISTORY,
    start: Start | None = None,
) -> record.Trial:
    """
    Run one attempt alone; see ``trial_steps``.

    Raises:
        EngineError: the engine or the machine failed.
    """
    steps = trial_steps(context, attempt, workload, endpoints, before, start)
    ((_, trial, _),) = in_turn([[steps]], random.Random())
    return trial


def trial_steps(
    context: RunContext,
    attempt: record.Attempt,
    workload: Workload,
    endpoints: Endpoints,
    before: TrialContext = NO_HISTORY,
    start: Start | None = None,
) -> TurnTaking[record.Trial]:
    """
    Run one attempt and clean up after it in any case.

    A workload with slices yields before each of its turns; other trials of the same
    ``start`` run meanwhile.

    A failure of a contestant is an outcome. The disturbances during the trial are added
    to ``before.other_load``. A trial that is expected to be short is sampled more
    often.

    Raises:
        EngineError: the engine or the machine failed.
    """
    start = start or Start()
    host = placed(context.host, endpoints, workload)
    context = replace(context, host=host)
    if context.client_hosts:
        context.client_hosts.read_clocks()
    started_at = datetime.now(UTC)
    every_ms = sampling_interval_ms(before.expected_ns)
    if workload.slice_plan:
        every_ms = SLICED_EVERY_MS
    outcome: record.Measurement | record.Failure
    with observing(
        context.engine,
        cpus=host.observer_cpus,
        every_ms=every_ms,
        loop_cores=_loop_cores(workload, host),
    ) as observer:
        start.pids.add(observer.pid)
        try:
            if attempt.cell not in context.experiment.cells():
                endpoints.expect_claimed(workload)
            outcome = yield from _measure(
                context, endpoints, workload, observer, start, before.rounds
            )
        except ContestantError as error:
            outcome = record.Failure(
                kind=error.kind,
                message=str(error),
                stderr_tail=error.stderr_tail,
                process=error.process,
            )
        observer.end()
        end_orphans(keep=start.kept_pids)
        observation = observer.observation()
    start.pids.discard(observer.pid)
    conditions = find_conditions(
        context,
        workload,
        outcome,
        observation,
        every_ms=every_ms,
        has_references=bool(endpoints.reference_clients(workload)),
    )
    return record.Trial(
        cell=attempt.cell,
        repetition=attempt.repetition,
        started_at=started_at,
        outcome=outcome,
        retry=before.retry,
        other_load=replace(
            before.other_load,
            disturbance=conditions.disturbance,
            stolen_share=conditions.stolen_share,
        ),
        observation=conditions.observation,
    )


def _loop_cores(workload: Workload, host: Host) -> frozenset[int]:
    """Return the cores whose speed is measured: those of slices, if they are known."""
    if workload.slice_plan and host.is_pinned:
        return host.server_cpus | host.client_cpus
    return frozenset()


def _measure(
    context: RunContext,
    endpoints: Endpoints,
    workload: Workload,
    observer: Observer,
    start: Start,
    rounds: int | None,
) -> TurnTaking[record.Measurement]:
    """
    Run the processes of a trial on their hosts, and evaluate their reports.

    Raises:
        ContestantError: a contestant broke its contract.
        EngineError: the engine or the machine failed.
        UsageError: this machine cannot be the hosts that the experiment needs.
    """
    server_host = context.experiment.server_host_of(workload)
    limit_s = context.experiment.limit_s
    with (
        isolate(
            context.experiment.network,
            server_host,
            is_limited_at_once=endpoints.server.is_engine,
        ) as isolation,
        report_out_of_memory(isolation.limits),
        _launched(context, endpoints, workload, observer, isolation, start) as ends,
        limit_when_open(isolation.limits, *_sockets(ends, workload, isolation)),
    ):
        bytes_max = context.experiment.memory_bytes_max
        local = local_of(ends.processes)
        limited = partial(MemoryLimit, local, bytes_max, isolation.limits)
        workload = workload.rewarmed() if ends.have_served else workload
        start_ns = _start(ends.processes, observer)
        slices = NO_SLICES
        if plan := workload.slice_plan:
            plan = replace(plan, rounds=rounds or plan.rounds)
            turns = Turns(ends.processes, plan, observer, limited, limit_s)
            slices = yield from turns.take()
        with limited() as memory:
            deadline_s = time.monotonic() + workload.time_limit_s(limit_s)
            reports = _reports(ends.processes, start_ns, deadline_s, memory)
            expect_nothing_left(ends.clients, ends.servers[0], start.kept_pids)
            window = workload.window(reports)
            window = slices.window or window
            observer.start_ns = window.start_ns
            if not plan:
                observer.await_sample(window.end_ns)
            observer.end()
        if not ends.are_shared:
            _stop(ends.servers, ends.clients[0], start.kept_pids)
        observation = observer.observation()
        counted = with_speeds(
            slices.counted,
            observation.core_samples,
            {each.end: each.instance.cpus for each in ends.processes},
        )
        observed = WindowObservation(
            observation=within_slices(observation, counted),
            ends={
                process.end: EndPlacement(
                    is_engine=process.is_engine,
                    cpus=process.instance.cpus,
                    cpu_share_max=server_host.cpu_share_max
                    if server_host and process.end == "server"
                    else None,
                )
                for process in (ends.servers[0], ends.clients[0])
            },
            window=window,
            reference_cpus=context.host.reference_cpus,
            has_served=ends.have_served,
            slices=start.in_start(counted),
            before_slices=slices.before,
            settling=slices.settling,
            slices_busy_ns=slices.busy_ns,
        )
        return workload.evaluate(reports, observed)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ends:
    """The running processes of a trial."""

    servers: list[TrialProcess]
    clients: list[TrialProcess]
    are_shared: bool
    """Whether the servers are those of several trials."""

    have_served: bool
    """Whether the servers have served another trial."""

    @property
    def processes(self) -> list[TrialProcess]:
        """All processes, the clients first."""
        return [*self.clients, *self.servers]


@contextmanager
def _launched(
    context: RunContext,
    endpoints: Endpoints,
    workload: Workload,
    observer: Observer,
    isolation: Isolation,
    start: Start,
) -> Iterator[_Ends]:
    """
    Launch the processes of a trial; clients wait behind the start barrier.

    If a contestant fails in the block, the error gets its complete stderr, and shared
    servers are ended.

    Raises:
        ContestantError: a process cannot be started, or does not listen.
        EngineError: the workload does not support one of the endpoints.
    """
    with ExitStack() as stack:
        ports = [
            stack.enter_context(reserved_port())
            for _ in range(workload.server_processes)
        ]
        topology = topology_of(context, endpoints, workload, ports, start.layout)
        are_shared = workload.shares_servers and not endpoints.server.is_engine
        have_served = False
        if are_shared:
            taken = [start.servers.take(server) for server in topology.servers]
            servers = [server for server, _ in taken]
            have_served = any(has_served for _, has_served in taken)
            workload = workload.rewarmed() if have_served else workload
            ports = [server.instance.port for server in servers]
            topology = topology_of(context, endpoints, workload, ports, start.layout)
        else:
            servers = [
                stack.enter_context(serving(_reporting(server, observer), isolation))
                for server in topology.servers
            ]
        clients = [
            stack.enter_context(waiting(_reporting(client, observer), isolation))
            for client in topology.clients
        ]
        ends = _Ends(
            servers=servers,
            clients=clients,
            are_shared=are_shared,
            have_served=have_served,
        )
        pids = {process.pid for process in local_of(ends.processes).values()}
        start.pids |= pids
        stack.callback(start.pids.difference_update, pids)
        try:
            yield ends
        except ContestantError as error:
            _complete_stderr(error, ends.processes)
            if are_shared:
                for server in servers:
                    start.servers.discard(server)
            raise
        if are_shared:
            for server in servers:
                start.servers.give_back(server)


def _sockets(ends: _Ends, workload: Workload, isolation: Isolation) -> tuple[int, int]:
    """Return the ID of a server, and the number of sockets of all connections there."""
    server = ends.servers[0].local
    assert server, "servers are on this machine"
    is_apart = isolation.network or not ends.clients[0].local
    return server.pid, workload.total_connections * (1 if is_apart else 2)


def _reporting(instance: Instance, observer: Observer) -> Instance:
    """Return a process that, if it is the engine, reports its connections."""
    if not instance.endpoint.is_engine or instance.elsewhere:
        return instance
    plan, *others = instance.launch.documents
    documents = [{**plan, "observer": observer.input_file}, *others]
    return replace(instance, launch=replace(instance.launch, documents=documents))


def _start(processes: Sequence[TrialProcess], observer: Observer) -> int:
    """Start the work of all processes after the first sample; return the instant."""
    pids = {name: process.pid for name, process in local_of(processes).items()}
    observer.begin(pids)
    start_ns = time.monotonic_ns()
    for process in processes:
        process.start(pids)
    return start_ns


def _reports(
    processes: Sequence[TrialProcess],
    start_ns: int,
    deadline_s: float,
    memory: MemoryLimit,
) -> Reports:
    """Return the reports of all processes."""
    reports = read_all(processes, deadline_s, memory)
    return Reports(
        servers=[report for report in reports if isinstance(report, ServerReport)],
        clients=[report for report in reports if isinstance(report, ClientReport)],
        start_ns=start_ns,
    )


def _stop(servers: list[TrialProcess], client: TrialProcess, keep: set[int]) -> None:
    """
    End the servers; a contestant's server that prints a result must exit on SIGTERM.

    Raises:
        AutostradaError: a server does not exit, or leaves processes behind.
    """
    for server in servers:
        if server.instance.has_result and not server.is_engine:
            server.stop()
    expect_nothing_left(servers, client, keep)


def _complete_stderr(error: ContestantError, processes: list[TrialProcess]) -> None:
    """Replace the stderr of an error by the complete stderr of its process."""
    tails = []
    for process in processes:
        if process.end == error.process and not process.is_engine:
            process.process.end()
            tails.append(process.process.stderr_tail)
    own = [tail for tail in tails if error.stderr_tail in tail]
    error.stderr_tail = next(iter([*own, *tails, error.stderr_tail]))
