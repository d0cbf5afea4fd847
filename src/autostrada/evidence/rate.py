"""The rate of a push over time, from the client's answers to pings."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autostrada.engine.messages import ServeResult
from autostrada.evidence.slices import slices_cpu_ns
from autostrada.stats.evidence import EndName
from autostrada.stats.steady_rate import (
    Milestone,
    NotSteady,
    SteadyWindow,
    Unobserved,
    done_at,
    steady_window,
)
from autostrada.store.record import (
    MarkRow,
    MetricValue,
    Observation,
    ProcessSample,
    SliceRow,
)

STEADY_METRIC = "steady_ns_per_message"
COLD_METRICS = {100_000: "ms_per_100k", 1_000_000: "ms_per_million"}
"""The metric of the time until the first messages were processed, by their number."""

TICKS_NS_MIN = 100_000_000
"""
Minimum CPU time that is divided into user and system time, in nanoseconds.

The kernel counts both in ticks of 10 ms.
"""

DISAGREEMENT_SHARE_MAX = 0.02
"""Maximum difference of two clocks that measure the same instant, as a share of the
duration of the push."""

DISAGREEMENT_NS_MIN = 10_000_000
"""A smaller difference between clocks is tolerated in any case: it can be caused by a
few time slices of the scheduler."""

COLD_DISAGREEMENT_NS_MIN = 3_000_000
"""The same for a cold time, which may be no longer than 100 ms: one time slice."""

READ_AHEAD_MESSAGES_MAX = 32_768
"""
Maximum number of messages that a library may parse ahead of its program.

It answers a ping when it parses it. Of 26 libraries, the one that reads furthest ahead
(java.net.http) parses 14,000 to 18,000 messages of 11 bytes ahead.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class PushRate:
    """What the pongs of a push tell about its rate."""

    metrics: tuple[MetricValue, ...]
    obstacle: str = ""
    """Why a metric is missing, in words; empty if none is."""


def ping_positions(messages: int, *, server_closes: bool) -> list[int]:
    """
    Return the numbers of messages after which the server pings, in ascending order.

    There is a ping after each twentieth of ``messages``, and after each number of
    ``COLD_METRICS``. A client that closes the connection after its last message answers
    no later ping, so the last ping precedes that message.
    """
    parts = {max(1, messages * part // 20) for part in range(1, 21)}
    positions = parts | set(COLD_METRICS) if server_closes else parts
    last = messages - 1
    if not server_closes:
        positions = {min(position, last) for position in positions if last}
    return sorted(positions)


def marks_of(served: ServeResult) -> tuple[MarkRow, ...]:
    """Return the pongs, in time since the first byte was sent."""
    return tuple(
        MarkRow(
            since_start_ns=mark.answered_ns - served.first_sent_ns,
            messages=mark.messages,
        )
        for mark in served.marks
    )


def progress(served: ServeResult) -> list[Milestone]:
    """
    Return how many messages the client had processed at each pong, from the start on.

    The closing frame is the last point if the last message has no pong. The result is
    empty if there are no pongs.
    """
    points = [Milestone(0.0, 0.0)]
    points += [
        Milestone(mark.since_start_ns, mark.messages) for mark in marks_of(served)
    ]
    if len(points) == 1:
        return []
    if served.messages - points[-1].done > 1:
        closed_ns = served.closed_ns - served.first_sent_ns
        points.append(Milestone(closed_ns, served.messages))
    return points


def push_rate(
    served: ServeResult,
    observation: Observation,
    *,
    client_ended_ns: int,
    closing_ns: int = 0,
    is_lasting: bool,
) -> PushRate:
    """
    Return the metrics of the cold and, if the push ``is_lasting``, of the steady part.

    ``client_ended_ns`` is at most ``closing_ns`` after the instant of the last message
    by the client's own clock. Messages read ahead include what comes in that time.
    """
    points = progress(served)
    obstacle = _silence(served)
    if obstacle:
        return PushRate(metrics=(), obstacle=obstacle)
    deviation_ns = _deviation_ns(served, client_ended_ns, closing_ns)
    duration_ns = served.closed_ns - served.first_sent_ns
    if abs(deviation_ns) > _tolerated_ns(duration_ns, DISAGREEMENT_NS_MIN):
        return PushRate(metrics=(), obstacle=_deviation_in_words(deviation_ns))
    metrics = []
    for name, at_ns in _cold_ns(points, served):
        if abs(deviation_ns) <= _tolerated_ns(at_ns, COLD_DISAGREEMENT_NS_MIN):
            metrics.append(_of_client(name, at_ns / 1e6))
        else:
            obstacle = f"no cold time: {_deviation_in_words(deviation_ns)}"
    if served.round_trip_ns is not None:
        metrics.append(_of_client("round_trip_us", served.round_trip_ns / 1e3))
    if points and points[-1].at_ns > 0:
        late_ns = client_ended_ns - served.first_sent_ns - points[-1].at_ns
        ahead = max(0.0, late_ns) * points[-1].done / points[-1].at_ns
        metrics.append(_of_client("read_ahead_messages", ahead))
    if not is_lasting:
        return PushRate(metrics=tuple(metrics), obstacle=obstacle)
    steady, unsteady = _steady_metrics(points, observation)
    return PushRate(
        metrics=(*metrics, *steady),
        obstacle="; ".join(reason for reason in (obstacle, unsteady) if reason),
    )


def sliced_rate(served: ServeResult, slices: Sequence[SliceRow]) -> PushRate:
    """
    Return the metrics of a push in slices: the cold ones are those of its pongs.

    ``slices`` are those of a warm client, which is busy in all of them.
    """
    points = [
        Milestone(each.since_start_ns, each.messages) for each in marks_of(served)
    ]
    messages = sum(each.messages for each in slices)
    steady_ns = sum(each.duration_ns for each in slices) / messages
    metrics = [
        *(_of_client(name, at_ns / 1e6) for name, at_ns in _cold_ns(points, served)),
        _of_client(STEADY_METRIC, steady_ns),
        _of_client("steady_messages_per_s", 1e9 / steady_ns),
    ]
    if served.round_trip_ns is not None:
        metrics.append(_of_client("round_trip_us", served.round_trip_ns / 1e3))
    ends: tuple[EndName, EndName] = ("server", "client")
    for end in ends:
        cpu_ns = slices_cpu_ns(slices, of_server=end == "server")
        if cpu_ns is not None:
            cpu_us = cpu_ns / 1e3 / messages
            metrics.append(_cpu_metric(end, cpu_us))
    return PushRate(metrics=tuple(metrics), obstacle=_silence(served))


def _cpu_metric(end: EndName, cpu_us: float, part: str = "") -> MetricValue:
    name = f"steady_{end}_cpu{part}_us_per_message"
    return MetricValue(process=end, metric=name, value=cpu_us)


def _silence(served: ServeResult) -> str:
    """Say which pings the client did not answer; empty if its answers are enough."""
    if not served.marks:
        return f"the client answered none of {served.pings:,} pings"
    # Some libraries leave out the answer to a ping just before a closing frame.
    if served.pings_unanswered > 1:
        return f"the client did not answer its last {served.pings_unanswered:,} pings"
    return ""


def _tolerated_ns(duration_ns: float, least_ns: int) -> float:
    """Return the tolerated deviation of two clocks at the end of a duration."""
    return max(least_ns, DISAGREEMENT_SHARE_MAX * duration_ns)


def _deviation_ns(served: ServeResult, client_ended_ns: int, closing_ns: int) -> float:
    """
    Return how much the last pong deviates from the client's own clock, in nanoseconds.

    It is positive for a pong after the instant at which the program received its last
    message, and negative for one before it that neither reading ahead nor closing the
    connection explains.
    """
    last = served.marks[-1]
    late_ns = last.answered_ns - client_ended_ns
    if late_ns >= 0:
        return late_ns
    if served.messages - last.messages > 1:
        return 0
    ns_per_message = (last.answered_ns - served.first_sent_ns) / max(1, last.messages)
    return min(0, late_ns + closing_ns + READ_AHEAD_MESSAGES_MAX * ns_per_message)


def _deviation_in_words(deviation_ns: float) -> str:
    if deviation_ns > 0:
        return (
            f"the client answered its last ping {deviation_ns / 1e6:,.1f} ms after it "
            f"had received its last message"
        )
    return (
        f"the client answered its last ping {-deviation_ns / 1e6:,.1f} ms before its "
        f"program received the last message, messages that it read ahead apart"
    )


def _cold_ns(
    points: Sequence[Milestone], served: ServeResult
) -> Iterator[tuple[str, float]]:
    """
    Yield the time until the first messages were processed, by the metric's name.

    It is the pong after these messages. After the last message of a push that the
    client closes, it is the pong before that message, or else the closing frame.
    """
    times = {round(point.done): point.at_ns for point in points}
    for messages, name in COLD_METRICS.items():
        at_ns = times.get(messages)
        if at_ns is None and messages == served.messages:
            at_ns = times.get(messages - 1)
        if at_ns is not None:
            yield name, at_ns


def _steady_metrics(
    points: Sequence[Milestone], observation: Observation
) -> tuple[list[MetricValue], str]:
    """Return the metrics of the steady part, and why there are none."""
    window = steady_window(points)
    if isinstance(window, Unobserved):
        return [], f"no steady part: {window.reason}"
    if isinstance(window, NotSteady):
        unsteady = [_of_client("rate_is_steady", 0.0)]
        return unsteady, f"not yet steady: {window.reason}"
    metrics = [
        _of_client("rate_is_steady", 1.0),
        _of_client(STEADY_METRIC, 1e9 / window.per_s),
        _of_client("steady_messages_per_s", window.per_s),
        _of_client("warm_up_s", window.start_ns / 1e9),
    ]
    ends: tuple[EndName, EndName] = ("server", "client")
    for end in ends:
        metrics += _cpu_metrics(end, points, observation, window)
    return metrics, ""


def _of_client(name: str, value: float) -> MetricValue:
    return MetricValue(process="client", metric=name, value=value)


def _cpu_metrics(
    end: EndName,
    points: Sequence[Milestone],
    observation: Observation,
    window: SteadyWindow,
) -> Iterator[MetricValue]:
    """Yield the CPU time of one end per message between its samples in the window."""
    samples = [
        sample for sample in observation.process_samples if sample.process == end
    ]
    first = bisect_left(samples, window.start_ns, key=_at_ns)
    last = bisect_left(samples, window.end_ns, key=_at_ns) - 1
    if last <= first:
        return
    before, after = samples[first], samples[last]
    messages = done_at(points, _at_ns(after)) - done_at(points, _at_ns(before))
    if messages <= 0:
        return
    cpu_us = (after.cpu_ns - before.cpu_ns) / 1e3 / messages
    yield _cpu_metric(end, cpu_us)
    known = (before.user_ns, before.system_ns, after.user_ns, after.system_ns)
    if None in known:
        return
    user_ns = (after.user_ns or 0) - (before.user_ns or 0)
    system_ns = (after.system_ns or 0) - (before.system_ns or 0)
    if user_ns + system_ns >= TICKS_NS_MIN:
        user_share = user_ns / (user_ns + system_ns)
        yield _cpu_metric(end, cpu_us * user_share, "_user")
        yield _cpu_metric(end, cpu_us * (1 - user_share), "_system")


def _at_ns(sample: ProcessSample) -> int:
    return sample.since_start_ns
