"""The workload of a fault case: the plans of its ends, and its measured window."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Literal

from pydantic import InstanceOf

from autostrada.calibration.ends import PeerReport
from autostrada.calibration.expectation import CLIENT_COLD, CLIENT_SLICES, SLICES
from autostrada.calibration.fault_cases import ONE_IN, FaultCase, FaultFeed, Kind
from autostrada.engine.messages import ServeResult
from autostrada.engine.plans import Plan, constant, load_plan, serve_plan
from autostrada.evidence.rate import cold_rate, ping_positions, push_rate
from autostrada.evidence.results import duration_ns
from autostrada.store.record import Measurement, MetricValue
from autostrada.workloads.load import client_metric
from autostrada.workloads.push_slices import PONG_S_MAX
from autostrada.workloads.report import (
    ClientReport,
    Configuration,
    Reports,
    Setup,
    SlicePlan,
    Window,
    WindowObservation,
)
from autostrada.workloads.workload import Workload

COLD_MESSAGES = 100_000

WARM_UP_S = 0.6
"""Time before the first slice, in seconds."""

PUSH_ROUNDS, PUSH_SLICE_S = 4, 0.2
"""The slices of a push."""

ECHO_ROUNDS = 3
"""Number of slices of an echo."""


class CaseLoad(Workload):
    """The messages of a fault case; the peer understands the same plans."""

    kind: Literal["fault-case"] = "fault-case"
    case: InstanceOf[FaultCase]

    @property
    def duration_s(self) -> float:
        return self.case.window_s + self.case.drain_s

    @property
    def slice_plan(self) -> SlicePlan | None:
        if self.case.kind is Kind.SLICES:
            return SlicePlan(
                driver="client",
                warm_up_s=WARM_UP_S,
                rounds=ECHO_ROUNDS,
                slice_s=self.case.window_s / ECHO_ROUNDS,
                drain_s=self.case.drain_s,
            )
        push = self.case.push
        if push is None or not push.has_slices:
            return None
        return SlicePlan(
            driver="server",
            warm_up_s=WARM_UP_S,
            rounds=PUSH_ROUNDS,
            slice_s=PUSH_SLICE_S,
            drain_s=PONG_S_MAX,
            first_messages=push.first_messages,
        )

    def ranking_metric(self, medians: Sequence[Mapping[str, float]]) -> str:
        """Return no name: cases are not ranked."""
        del medians
        return ""

    def server(self, setup: Setup, port: int) -> Configuration:
        listen = f"{setup.address}:{port}"
        case = self.case
        if case.push:
            has_slices = case.push.has_slices
            positions = ping_positions(
                case.push.first_messages, server_closes=has_slices
            )
            plan = serve_plan(
                listen=listen,
                push={"pings": {"after": positions}},
                slices=has_slices or None,
                connections=1,
            )
            return Configuration(plan=plan, environment=None)
        feed: Plan | None = None
        if case.feed:
            feed = {
                **self._feed(case.feed),
                "messages": case.feed.messages,
                "subscribers": case.connections,
            }
        faults = dict(case.faults) or None
        plan = serve_plan(listen=listen, feed=feed, faults=faults)
        return Configuration(plan=plan, environment=None)

    def client(self, setup: Setup, port: int) -> Configuration:
        case = self.case
        if case.push:
            url = setup.url(port, f"/{case.push.first_messages}")
            return Configuration(
                plan={"url": url, **asdict(case.push)}, environment=None
            )
        plan = load_plan(
            url=setup.url(port, "/feed" if case.feed else "/echo"),
            workload=self._messages(),
            connections=case.connections,
            slices=True if self.slice_plan else None,
        )
        return Configuration(plan=plan, environment=None)

    def _messages(self) -> Plan:
        """Return the workload of the client's plan."""
        case = self.case
        if case.feed:
            messages = arriving(case.kind, case.feed)
            return {
                "kind": "receive",
                "messages": messages,
                "feed": self._feed(case.feed),
            }
        return {
            "kind": "echo",
            "schedule": case.rate_per_s and constant(case.rate_per_s),
            "payload": {"text": "hello world", "stamped": True},
            "phases": {"window_s": case.window_s, "drain_s": case.drain_s},
        }

    def _feed(self, feed: FaultFeed) -> Plan:
        """Return the keys of a feed that both ends have."""
        interval = {} if feed.every_ms is None else {"every_ms": feed.every_ms}
        return {"kind": feed.kind, **interval}

    def window(self, reports: Reports) -> Window:
        """Return the time up to the last message."""
        for served in reports.servers[0].served:
            return Window(
                start_ns=served.first_sent_ns, duration_ns=duration_ns(served)
            )
        (client,) = reports.clients
        duration = client.ended_ns - client.opened_ns
        return Window(start_ns=client.opened_ns, duration_ns=max(1, duration))

    def evaluate(self, reports: Reports, observed: WindowObservation) -> Measurement:
        """Return slices, and the metrics of a push; others are reported by the ends."""
        (client,) = reports.clients
        served = reports.servers[0].served
        return Measurement(
            messages=client.messages,
            payload_bytes=client.payload_bytes,
            duration_ns=observed.window.duration_ns,
            server_utilization=None,
            client_utilization=None,
            processes=(),
            ends=(),
            seconds=(),
            slices=tuple(observed.slices),
            metrics=tuple(_push_metrics(served[0], client, observed)) if served else (),
        )


def _push_metrics(
    served: ServeResult, client: ClientReport, observed: WindowObservation
) -> Iterator[MetricValue]:
    """Yield the metrics of a push, and those of what its client did by its clock."""
    import numpy as np

    assert isinstance(client, PeerReport), "pushes have a client of known speed"
    instants_ns, done = zip(*client.result["progress"], strict=True)
    cold = next(at for at, count in enumerate(done) if count >= COLD_MESSAGES)
    cold_ns = instants_ns[cold] - served.first_sent_ns
    yield client_metric(CLIENT_COLD, cold_ns / 1e6)
    if not observed.slices:
        yield from push_rate(served, client_ended_ns=client.ended_ns).metrics
        return
    yield from cold_rate(served).metrics
    sent = sum(each.messages for each in observed.slices)
    in_slices_ns = sum(each.duration_ns for each in observed.slices)
    yield client_metric(SLICES, in_slices_ns / sent)
    # The window begins with the first slice, whose instants are those of the start.
    before_ns = observed.window.start_ns - observed.slices[0].since_start_ns
    begins = np.array([each.since_start_ns + before_ns for each in observed.slices])
    lengths_ns = np.array([each.duration_ns for each in observed.slices])
    done_before = np.interp(begins, instants_ns, done)
    done_after = np.interp(begins + lengths_ns, instants_ns, done)
    messages = float((done_after - done_before).sum())
    yield client_metric(CLIENT_SLICES, float(lengths_ns.sum()) / messages)


def arriving(kind: Kind, feed: FaultFeed) -> int:
    """Return the number of messages of a feed that arrive on each connection."""
    part = feed.messages // ONE_IN
    return feed.messages + {Kind.LOSE: -part, Kind.REPEAT: part}.get(kind, 0)
