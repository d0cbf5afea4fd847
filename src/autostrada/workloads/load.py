"""The base of workloads in which the engine sends messages, and measures a window."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from pydantic import Field, model_validator

from autostrada.engine.messages import LoadResult
from autostrada.errors import ClosedEarly, TimedOut
from autostrada.evidence.aggregation import aggregate_by_end
from autostrada.evidence.end_metrics import end_metrics
from autostrada.evidence.ends import TrialEnd, end_evidence, total_from_samples
from autostrada.evidence.results import UNANSWERED, load_evidence, utilization
from autostrada.evidence.slices import slice_metrics, slices_cpu_ns
from autostrada.stats.buckets import Buckets, Value
from autostrada.stats.evidence import EndName
from autostrada.store.record import (
    Bucket,
    EndEvidence,
    Measurement,
    MetricValue,
    Observation,
    ProcessTotal,
)
from autostrada.workloads.report import (
    SETTLE_S,
    ClientReport,
    Reports,
    SlicePlan,
    Window,
    WindowObservation,
    second_rows,
)
from autostrada.workloads.workload import Count, Seconds, Workload

SECOND_NS = 1_000_000_000

REWARMED_SHARE = 0.25
"""Length of the warm-up of a server that another workload has warmed up, as a share."""

SETTLE_S_PER_CONNECTION = 1e-4
"""
Further time before a slice that does not count, in seconds.

A connection that was idle acknowledges its next 16 segments at once
(``TCP_MAX_QUICKACKS`` of Linux), which costs CPU time.
"""

OPENED_MIN = 1000
"""Smallest number of connections that have a rate at which they were opened."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowCounts:
    """What the engine counted in its window."""

    messages: int
    payload_bytes: int
    metrics: Sequence[MetricValue]
    durations: Mapping[str, Sequence[Value]]
    """Histograms by name: pairs of nanoseconds and count."""

    violation: str = ""
    """Why the rate was not steady, in words; ``""`` if it was or is not known."""


class LoadWorkload(Workload):
    """The engine sends the messages; a warm-up precedes the measured window."""

    duration_parameter: ClassVar[str] = "window_s"
    driver: ClassVar[EndName]
    """The end that sends and measures, which is the engine."""

    connections: Count = 1
    warm_up_s: float = Field(default=1.0, ge=0)
    window_s: Seconds
    drain_s: float = Field(default=5.0, ge=0)
    slices: Count | None = None
    """Number of slices that the window is divided into, in turn with those of all other
    cells of the workload; ``None`` if it is not divided."""

    @model_validator(mode="after")
    def _can_have_slices(self) -> Self:
        if self.slices and not (self.is_closed_loop and self.client_processes == 1):
            raise ValueError(
                "slices: needs a closed loop of one client, in which no message is "
                "underway between two slices; remove it"
            )
        return self

    def without_slices(self) -> Self:
        return self.model_copy(update={"slices": None})

    @property
    def slice_plan(self) -> SlicePlan | None:
        if self.slices is None:
            return None
        return SlicePlan(
            driver=self.driver,
            warm_up_s=self.warm_up_s,
            rounds=self.slices,
            slice_s=self.window_s / self.slices,
            settle_s=SETTLE_S + self.connections * SETTLE_S_PER_CONNECTION,
            drain_s=self.drain_s,
        )

    @property
    def total_connections(self) -> int:
        return self.connections

    @property
    def duration_s(self) -> float:
        """Duration of warm-up and window in seconds."""
        return self.warm_up_s + self.window_s

    def warmed_up(self, warm_up_s: float) -> Self:
        """
        Return the workload with a warm-up of at least so many seconds.

        A load that is independent of what the other end takes may be too small to warm
        it up in this time, so its warm-up stays as it is.
        """
        is_adapted = self.is_closed_loop or self.rate_source
        if not is_adapted or warm_up_s <= self.warm_up_s:
            return self
        return self.model_copy(update={"warm_up_s": warm_up_s})

    def rewarmed(self) -> Self:
        # In slices, which are compared, it is whole: another workload has not compiled
        # all code that this one needs.
        if self.slices:
            return self
        warm_up_s = REWARMED_SHARE * self.warm_up_s
        return self.model_copy(update={"warm_up_s": warm_up_s})

    def time_limit_s(self, limit_s: float) -> float:
        """Return the limit in seconds; opening connections may take ``limit_s`` too."""
        return 2 * limit_s + self.duration_s + self.drain_s

    def phases(self, opening_s: float) -> dict[str, float]:
        """Return the phases of the engine's plan; slices have no warm-up in it."""
        return {
            "opening_s": opening_s,
            "warm_up_s": 0 if self.slices else self.warm_up_s,
            "window_s": self.window_s,
            "drain_s": self.drain_s,
        }

    @property
    @abstractmethod
    def is_closed_loop(self) -> bool:
        """Whether the answers, not a schedule, decide when messages are sent."""

    @abstractmethod
    def driver_report(self, reports: Reports) -> ClientReport:
        """Return the report of the engine that sent the messages."""

    @abstractmethod
    def has_messages(self, load: LoadResult) -> bool:
        """Whether any message of the window reached its destination."""

    @abstractmethod
    def window_counts(self, load: LoadResult) -> WindowCounts:
        """Return what the engine counted."""

    def window(self, reports: Reports) -> Window:
        """
        Return the engine's window.

        Raises:
            ClosedEarly: no connection opened, or all ended before the window did.
            TimedOut: no message of the window reached its destination.
        """
        load = load_of(self.driver_report(reports))
        measured: EndName = "server" if self.driver == "client" else "client"
        if load.ended == "reset" or not load.connections:
            raise ClosedEarly(f"opened no connection{_example(load)}", process=measured)
        broken = any(failure.kind != UNANSWERED for failure in load.failures)
        has_messages = self.has_messages(load)
        if load.ended != "complete" or (broken and not has_messages):
            raise ClosedEarly(
                f"ended all connections before the window was over{_example(load)}",
                process=measured,
            )
        if not has_messages:
            raise TimedOut(
                "answered no message of the window in time", process=measured
            )
        return Window(start_ns=load.window_start_ns, duration_ns=load.window_ns)

    def evaluate(self, reports: Reports, observed: WindowObservation) -> Measurement:
        report = self.driver_report(reports)
        load = load_of(report)
        counts = self.window_counts(load)
        window_ns = observed.window.duration_ns
        observation = aggregate_by_end(observed.observation)
        totals: dict[str, ProcessTotal | None] = {
            name: window_total(name, observed, observation) for name in observed.ends
        }
        ends = ends_of(observed, totals, {self.driver: utilization(load)})
        evidence = load_evidence(load, ends["server"], ends["client"], disturbance="")
        unopened = self.connections - load.connections
        faults = (
            f"{unopened:,} of the connections never opened" if unopened else "",
            evidence.faults,
            *self.extra_faults(reports, observed.window),
        )
        return Measurement(
            messages=counts.messages,
            payload_bytes=counts.payload_bytes,
            duration_ns=window_ns,
            server_utilization=ends["server"].cpu_cores,
            client_utilization=ends["client"].cpu_cores,
            sender=self.driver,
            pacing=evidence.pacing,
            achieved_share=evidence.achieved_share,
            engine_limit=load.generator_limited or "",
            faults="; ".join(fault for fault in faults if fault),
            violation=counts.violation,
            processes=(
                *(total for total in totals.values() if total),
                *self.extra_totals(reports, observed),
            ),
            ends=(ends["client"], ends["server"]),
            seconds=tuple(second_rows(self.driver, report.seconds)),
            metrics=(
                *counts.metrics,
                *connect_metrics(load),
                *(
                    each
                    for name, placement in observed.ends.items()
                    for each in end_metrics(
                        name,
                        observation,
                        window_ns,
                        self.connections,
                        placement.cpus_without_limit,
                    )
                    # Its memory is also that of the workloads before.
                    if not (
                        name == "server"
                        and observed.has_served
                        and "memory" in each.metric
                    )
                ),
                *self.extra_metrics(reports, observed, ends["server"]),
                *slice_metrics(
                    observed.slices,
                    observed.before_slices,
                    observation,
                    of_server=self.driver == "client",
                    settling=observed.settling,
                ),
            ),
            slices=tuple(observed.slices),
            buckets=tuple(
                Bucket(process=self.driver, metric=name, value_ns=value, count=count)
                for name, values in counts.durations.items()
                for value, count in values
            ),
        )

    def extra_faults(self, reports: Reports, window: Window) -> Iterator[str]:
        """Yield faults that the engine's result does not have; by default none."""
        del reports, window
        yield from ()

    def extra_totals(
        self, reports: Reports, observed: WindowObservation
    ) -> Iterator[ProcessTotal]:
        """Yield the resources of processes beside the two ends; by default none."""
        del reports, observed
        yield from ()

    def extra_metrics(
        self, reports: Reports, observed: WindowObservation, server: EndEvidence
    ) -> Iterator[MetricValue]:
        """Yield metrics that only this kind has; by default none."""
        del reports, observed, server
        yield from ()


def window_total(
    name: EndName, observed: WindowObservation, observation: Observation
) -> ProcessTotal | None:
    """Return what an end used in the window; in slices, its CPU time is exact."""
    total = total_from_samples(name, observation, observed.window.duration_ns)
    cpu_ns = slices_cpu_ns(observed.slices, of_server=name == "server")
    return replace(total, cpu_ns=cpu_ns) if total and cpu_ns is not None else total


def ends_of(
    observed: WindowObservation,
    totals: Mapping[str, ProcessTotal | None],
    utilizations: Mapping[EndName, float],
) -> dict[EndName, EndEvidence]:
    """Return the evidence on both ends; the engine reports its ``utilizations``."""
    return {
        name: end_evidence(
            TrialEnd(
                process=name,
                is_engine=placement.is_engine,
                cpus=placement.cpus,
                cpu_share_max=placement.cpu_share_max,
                utilization=utilizations.get(name),
            ),
            totals[name],
            aggregate_by_end(observed.observation),
            observed.window.duration_ns,
        )
        for name, placement in observed.ends.items()
    }


def connect_metrics(load: LoadResult) -> Iterator[MetricValue]:
    """Yield the times to open the connections; none if the engine opened none."""
    connect = Buckets(load.connect_response_time_ns)
    if connect.count:
        yield client_metric("connect_ms_p50", connect.quantile_ns(0.5) / 1e6)
        yield client_metric("connect_ms_p99", connect.quantile_ns(0.99) / 1e6)
        opened_s = connect.longest_ns / 1e9
        yield client_metric("connect_s", opened_s)
        if connect.count >= OPENED_MIN:
            yield client_metric("opened_per_s", connect.count / opened_s)


def load_of(client: ClientReport) -> LoadResult:
    """Return the engine's result."""
    assert client.load is not None, "the engine sends the messages"
    return client.load


def growth_metrics(growth: float | None) -> Iterator[MetricValue]:
    """Yield how the rate of a closed loop grew within the window, if it is known."""
    if growth is not None:
        yield client_metric("rate_growth", growth)


def client_metric(metric: str, value: float) -> MetricValue:
    """Return a metric of the messages, which is stored as one of the client."""
    return MetricValue(process="client", metric=metric, value=float(value))


def server_metric(metric: str, value: float) -> MetricValue:
    """Return a metric of the server."""
    return MetricValue(process="server", metric=metric, value=float(value))


def _example(load: LoadResult) -> str:
    """Return ``: `` and an example of the first failure; ``""`` if there is none."""
    return "".join(f": {failure.example}" for failure in load.failures[:1])
