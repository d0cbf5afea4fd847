"""The test rig: runs a case as a trial, and reads what its ends report."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Literal

from autostrada.calibration.bottlenecks import MEASURING, KnownBottleneck
from autostrada.calibration.ends import (
    CaseEnd,
    FaultClient,
    FaultServer,
    Injection,
    SharedCoreClient,
)
from autostrada.calibration.fault_cases import FaultCase, FaultTopology, Kind
from autostrada.calibration.load import CaseLoad
from autostrada.calibration.network import throttled
from autostrada.calibration.parser import Reading, read
from autostrada.engine.process import Document, engine_command, read_event
from autostrada.errors import EngineError
from autostrada.evidence.ends import SAMPLES_MIN
from autostrada.experiment.experiment import Experiment
from autostrada.machine.host import Host
from autostrada.machine.idle import take_cpu_sample
from autostrada.machine.noise import STEAL_SHARE_MAX, Noise, between
from autostrada.machine.process import Process
from autostrada.runner.context import Endpoints, RunContext
from autostrada.runner.endpoints import EngineClient, EngineServer
from autostrada.runner.trial import NO_HISTORY, Start, TrialContext, run_trial
from autostrada.stats.buckets import Buckets
from autostrada.stats.evidence import End, Evidence, Pacing
from autostrada.store.record import (
    Attempt,
    Cell,
    Failure,
    Measurement,
    Observation,
    Trial,
)
from autostrada.workloads.workload import Workload

LIMIT_S = 30.0
"""Time that a trial may take beyond its planned duration."""

CONGESTION_CONTROL = "reno"
"""Congestion control of servers; others may pace packets, which would be a
bottleneck."""

BURNER = ("timeout", "60", "sh", "-c", "read -r _; while :; do :; done")
"""
A program that keeps its core busy once it has read a line.

It has the priority of measured processes. If it began earlier, what starts these on
its core would have to wait until it ends.
"""

BRIEF = TrialContext(expected_ns=100_000_000)
"""With few samples, a short fault case would have none at its end."""


class Rig:
    """The engine and the independent peer, as the ends of trials."""

    def __init__(self, engine: Path, host: Host) -> None:
        self._engine = engine
        self._host = host

    def machine(self) -> Document:
        """Return the engine's report on this machine's capabilities (``probe``)."""
        arguments = [str(self._engine), "probe"]
        with Process(engine_command(arguments, self._host.client_cpus)) as probe:
            return read_event(probe, "machine")

    def timer_lateness_ns(self) -> Buckets:
        """Measure how late sleeping threads wake on this machine now."""
        return Buckets(tuple(map(tuple, self.machine()["timer_lateness_ns"])))

    def measure(self, case: FaultCase) -> tuple[Reading, Noise]:
        """
        Measure a case once.

        Raises:
            EngineError: a process fails. Faults in the exchange are metrics instead.
            UsageError: the case needs a network that cannot be created.
        """
        if case.push is not None:
            return self._push(case)
        is_peer = case.topology is FaultTopology.PEER_CLIENT
        client = FaultClient(
            EngineClient(self._engine),
            Injection(program="client" if is_peer else None, is_measuring=not is_peer),
            pauses=case.kind is Kind.PAUSE,
        )
        is_peer = case.topology is FaultTopology.PEER_SERVER
        injection = Injection(program="server" if is_peer else None)
        server = FaultServer(EngineServer(self._engine), injection, client)
        observation, measured, noise = self._run_case(case, server, client)
        samples = [
            each for each in observation.process_samples if each.process == "server"
        ]
        if len(samples) < SAMPLES_MIN:
            raise EngineError("the server's CPU time and memory cannot be read")
        waits = [each.pressure_cpu_some_ns or 0 for each in observation.host_samples]
        reading = read(
            client.result,
            held_ns=server.held_ns,
            growth_bytes=samples[-1].resident_bytes - samples[0].resident_bytes,
            cpu_ns=samples[-1].cpu_ns - samples[0].cpu_ns,
            slices=measured.slices,
            paused_ns=client.paused_ns,
        )
        return reading, replace(
            noise,
            waited_ns=server.waited_ns,
            pressure_ns=max(waits, default=0) - min(waits, default=0),
        )

    def _push(self, case: FaultCase) -> tuple[Reading, Noise]:
        """Push to the client of known speed."""
        server = CaseEnd(EngineServer(self._engine), MEASURING)
        paced = Injection(program="push_client")
        client = CaseEnd(EngineClient(self._engine), paced)
        _, measured, noise = self._run_case(case, server, client)
        metrics = {metric.metric: metric.value for metric in measured.metrics}
        return Reading(push=metrics), noise

    def _run_case(
        self, case: FaultCase, server: CaseEnd, client: CaseEnd
    ) -> tuple[Observation, Measurement, Noise]:
        """Run a fault case, whose ends must not fail."""
        is_bridged = case.push is not None and case.push.is_bridged
        trial, noise = self._run(
            CaseLoad(name=case.name, case=case),
            Endpoints(server=server, client=client),
            network="bridge" if is_bridged else "loopback",
            before=BRIEF,
        )
        if isinstance(trial.outcome, Failure):
            failure = trial.outcome
            raise EngineError(
                f"the {failure.process} {failure.message}: {failure.stderr_tail}"
            )
        return trial.observation, trial.outcome, noise

    def try_bottleneck(self, known: KnownBottleneck) -> tuple[Evidence, Noise]:
        """
        Run a trial of a known bottleneck once; return its evidence and the other load.

        Raises:
            EngineError: the engine or the machine failed.
            UsageError: the trial needs a network that cannot be created.
        """
        start = Start()
        server = CaseEnd(EngineServer(self._engine), known.server)
        with (
            throttled() if known.is_throttled else nullcontext(),
            self._client_of(known, start) as client,
        ):
            endpoints = Endpoints(server=server, client=client)
            trial, noise = self._run(known.workload, endpoints, start=start)
        return evidence_of(trial), noise

    def _run(
        self,
        workload: Workload,
        endpoints: Endpoints,
        *,
        network: Literal["loopback", "bridge"] = "loopback",
        before: TrialContext = NO_HISTORY,
        start: Start | None = None,
    ) -> tuple[Trial, Noise]:
        """Run a trial; return it with the other load meanwhile."""
        experiment = Experiment.model_construct(
            limit_s=LIMIT_S,
            network=network,
            congestion_control=CONGESTION_CONTROL,
            workload=(workload,),
        )
        context = RunContext(
            experiment=experiment, engine=self._engine, host=self._host
        )
        cell = Cell(workload=workload.name)
        attempt = Attempt(cell=cell, repetition=0)
        sample = take_cpu_sample()
        trial = run_trial(context, attempt, workload, endpoints, before, start)
        return trial, between(sample, take_cpu_sample())

    @contextmanager
    def _client_of(self, known: KnownBottleneck, start: Start) -> Iterator[CaseEnd]:
        """Yield the client, and the other program on its core if there is one."""
        end = EngineClient(self._engine)
        if not known.is_core_shared:
            yield CaseEnd(end, known.client)
            return
        with Process(engine_command(BURNER, self._host.client_cpus)) as burner:
            start.pids.add(burner.pid)
            yield SharedCoreClient(end, known.client, burner)


def evidence_of(trial: Trial) -> Evidence:
    """Return the evidence for the verdict on a trial; a failure is a fault of it."""
    share, outcome = trial.other_load.stolen_share or 0.0, trial.outcome
    stolen = f"{share:.0%} of a core stolen" if share > STEAL_SHARE_MAX else ""
    disturbance = "; ".join(filter(None, (stolen, trial.other_load.disturbance)))
    if isinstance(outcome, Failure):
        unknown = End(is_engine=False, cpu_cores=None, utilization=None)
        return Evidence(
            server=unknown,
            client=unknown,
            sender="server",
            pacing=Pacing.CONTINUOUS,
            disturbance=disturbance,
            faults=outcome.message,
        )
    ends = {end.process: end for end in outcome.ends}
    metrics = {metric.metric: metric.value for metric in outcome.metrics}
    return Evidence(
        server=ends["server"],
        client=ends["client"],
        sender=outcome.sender,
        pacing=outcome.pacing,
        blocked_share=outcome.server_blocked_share,
        achieved_share=outcome.achieved_share,
        sent_share=metrics.get("sent_share"),
        engine_limit=outcome.engine_limit,
        disturbance=disturbance,
        faults=outcome.faults,
    )
