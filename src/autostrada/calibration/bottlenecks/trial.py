"""Runs and observes one trial of a known bottleneck, and returns its evidence."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.network import throttled
from autostrada.calibration.rig import (
    client_arguments,
    server_arguments,
    started,
)
from autostrada.engine.messages import LoadResult, ServeResult
from autostrada.engine.plans import load_plan, serve_plan
from autostrada.engine.process import Document, PlannedProcess
from autostrada.errors import EngineError
from autostrada.evidence.ends import total_from_samples
from autostrada.evidence.results import duration_ns, load_evidence, working_ns
from autostrada.evidence.results import utilization as client_utilization
from autostrada.machine.host import Host
from autostrada.machine.noise import (
    STEAL_SHARE_MAX,
    Noise,
    between,
    core_groups,
    disturbance,
    missed_samples,
    stolen_share,
    take_snapshot,
)
from autostrada.runner.observer import EVERY_MS, Observer, observing
from autostrada.stats.evidence import Evidence, Pacing
from autostrada.store.record import ProcessTotal
from autostrada.workloads.driven import ends_of
from autostrada.workloads.report import EndPlacement, Observed, Window

BURN_S_MAX = 60.0
CONGESTION_CONTROL = "reno"
"""Congestion control of servers; others may pace packets, which would be a
bottleneck."""


def run_trial(
    known: KnownBottleneck, engine: Path, host: Host
) -> tuple[Evidence, Noise]:
    """
    Run a trial once; return the evidence and the other load.

    The measuring side runs on the engine's core, whichever end it is.

    Raises:
        EngineError: a process fails.
        NoNetworkError: the trial needs a separate network, which cannot be created.
    """
    contestant_cpus = host.client_cpus
    if known.measuring_side == "client":
        host = replace(host, server_cpus=contestant_cpus, client_cpus=host.server_cpus)
    before = take_snapshot([])
    with (
        throttled() if known.is_throttled else nullcontext(),
        _burning(contestant_cpus) if known.is_core_shared else nullcontext(),
        observing(engine, cpus=host.observer_cpus) as observer,
    ):
        try:
            evidence = _Trial(known, engine, host, observer).run()
        except ValidationError as error:
            raise EngineError(f"engine printed an unknown line: {error}") from error
    return evidence, between(before, take_snapshot([]))


class _Trial:
    def __init__(
        self, known: KnownBottleneck, engine: Path, host: Host, observer: Observer
    ) -> None:
        self._known = known
        self._engine = engine
        self._host = host
        self._observer = observer

    def run(self) -> Evidence:
        known = self._known
        with ExitStack() as stack:
            server = stack.enter_context(
                started(
                    server_arguments(known.topology, self._engine),
                    self._host.server_cpus,
                )
            )
            server.send(self._serve_plan())
            url = server.line("ready")["url"]
            client = stack.enter_context(
                started(
                    client_arguments(known.topology, self._engine),
                    self._host.client_cpus,
                )
            )
            observed = {"client": client.pid, "server": server.pid}
            self._observer.begin(observed)
            client.send(self._load_plan(url))
            if known.measuring_side == "server":
                server.send({"observe": observed})
                return self._pushed(client, server)
            return self._loaded(client)

    def _serve_plan(self) -> Document:
        plan = serve_plan(congestion_control=CONGESTION_CONTROL)
        if self._known.measuring_side == "server":
            plan |= {
                "connections": 1,
                "hold_until_observing": True,
                "observer": self._observer.input_file,
            }
        return plan | dict(self._known.server)

    def _load_plan(self, url: str) -> Document:
        plan = load_plan(url=url + self._known.path, workload={}, connections=1)
        if self._known.measuring_side == "client":
            plan |= {"observer": self._observer.input_file}
        return plan | dict(self._known.client)

    def _pushed(self, client: PlannedProcess, server: PlannedProcess) -> Evidence:
        """Return the evidence of a push, from the result of the engine's server."""
        client.line("result")
        result = ServeResult.model_validate(server.line("result"), strict=False)
        window = Window(start_ns=result.first_sent_ns, duration_ns=duration_ns(result))
        observed = self._observed(window)
        totals = {
            name: ProcessTotal(process=name, **used.model_dump())
            for name, used in result.processes.items()
        }
        utilization = working_ns(result) / window.duration_ns
        ends = ends_of(observed, totals, {"server": utilization})
        return Evidence(
            server=ends["server"],
            client=ends["client"],
            sender="server",
            pacing=Pacing.CONTINUOUS,
            blocked_share=result.blocked_ns / window.duration_ns,
            disturbance=self._disturbance(observed),
            faults="" if result.ended == "complete" else f"ended: {result.ended}",
        )

    def _loaded(self, client: PlannedProcess) -> Evidence:
        """Return the evidence of a load, from the result of the engine's client."""
        result = LoadResult.model_validate(client.line("result"), strict=False)
        window = Window(start_ns=result.window_start_ns, duration_ns=result.window_ns)
        observed = self._observed(window)
        totals: dict[str, ProcessTotal | None] = {
            name: total_from_samples(name, observed.observation, result.window_ns)
            for name in observed.ends
        }
        ends = ends_of(observed, totals, {"client": client_utilization(result)})
        found = self._disturbance(observed)
        return load_evidence(result, ends["server"], ends["client"], found)

    def _observed(self, window: Window) -> Observed:
        self._observer.start_ns = window.start_ns
        self._observer.await_sample(window.end_ns)
        self._observer.end()
        side, host = self._known.measuring_side, self._host
        return Observed(
            observation=self._observer.observation(),
            ends={
                "server": EndPlacement(
                    is_engine=side == "server", cpus=host.server_cpus
                ),
                "client": EndPlacement(
                    is_engine=side == "client", cpus=host.client_cpus
                ),
            },
            window=window,
        )

    def _disturbance(self, observed: Observed) -> str:
        observation, window_ns = observed.observation, observed.window.duration_ns
        groups = core_groups(self._host)
        found = disturbance(observation, groups, window_ns)
        missed = missed_samples(observation, window_ns, EVERY_MS)
        share = stolen_share(observation, groups, window_ns) or 0.0
        stolen = f"{share:.0%} of a core stolen" if share > STEAL_SHARE_MAX else ""
        return "; ".join(reason for reason in (stolen, found, missed) if reason)


@contextmanager
def _burning(cpus: frozenset[int]) -> Iterator[None]:
    """Keep cores busy during the block, with the priority of a measured process."""
    module = "autostrada.calibration.bottlenecks.burner"
    with started([sys.executable, "-m", module, str(BURN_S_MAX)], cpus) as burner:
        burner.line("burning")
        yield
