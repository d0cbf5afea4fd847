"""What a push in slices measures: the cold start, and the slices of a warm client."""

from autostrada.engine.messages import ServeResult
from autostrada.errors import ClosedEarly, TimedOut
from autostrada.evidence.rate import cold_rate, marks_of
from autostrada.evidence.slices import slice_metrics
from autostrada.store.record import Measurement, ProcessTotal
from autostrada.workloads.agreement import ENDINGS
from autostrada.workloads.load import ends_of, window_total
from autostrada.workloads.report import WindowObservation

PONG_S_MAX = 60.0
"""Longest time for the pong after a slice, in seconds."""


def expect_slices(
    served: ServeResult, observed: WindowObservation, slices: int
) -> None:
    """
    Check that a push had so many slices.

    Raises:
        ContestantError: the client ended too early, or did not answer the ping after a
            slice.
    """
    if len(observed.slices) < slices:
        # A client may close the connection while the pong of a slice is awaited.
        waited_ns = served.closed_ns - served.last_sent_ns
        if served.pings_unanswered and waited_ns >= PONG_S_MAX * 1e9:
            raise TimedOut(f"answered no ping within {PONG_S_MAX:.0f} s of a slice")
        ending = ENDINGS.get(served.ended, ENDINGS["closed"])
        raise ClosedEarly(f"{ending} before the last slice")


def sliced_measurement(
    served: ServeResult, observed: WindowObservation, *, payload_bytes: int
) -> Measurement:
    """Return the measurement of a push in slices, which are the window."""
    window_ns = observed.window.duration_ns
    messages = sum(each.messages for each in observed.slices)
    window_share = messages / served.messages / window_ns
    rate = cold_rate(served)
    totals: dict[str, ProcessTotal | None] = {
        name: window_total(name, observed, observed.observation)
        for name in observed.ends
    }
    utilization = observed.slices_busy_ns / window_ns
    ends = ends_of(observed, totals, {"server": utilization})
    return Measurement(
        messages=messages,
        payload_bytes=messages * payload_bytes,
        duration_ns=window_ns,
        server_utilization=utilization,
        server_blocked_share=served.blocked_ns * window_share,
        client_utilization=ends["client"].cpu_cores,
        congestion_control=served.congestion_control,
        processes=tuple(total for total in totals.values() if total),
        ends=(ends["client"], ends["server"]),
        metrics=(
            *rate.metrics,
            *slice_metrics(
                observed.slices,
                observed.before_slices,
                observed.observation,
                of_server=False,
                settling=observed.settling,
            ),
        ),
        violation=rate.obstacle,
        marks=marks_of(served),
        seconds=(),
        slices=tuple(observed.slices),
    )
