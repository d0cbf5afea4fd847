"""The time of the first messages of a push, from the client's answers to pings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autostrada.engine.messages import ServeResult
from autostrada.store.record import MarkRow, MetricValue

COLD_METRICS = {100_000: "ms_per_100k", 1_000_000: "ms_per_million"}
"""The metric of the time until the first messages were processed, by their number."""

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


def progress(served: ServeResult) -> list[MarkRow]:
    """
    Return how many messages the client had processed at each pong, from the start on.

    The closing frame is the last point if the last message has no pong. The result is
    empty if there are no pongs.
    """
    marks = marks_of(served)
    if not marks:
        return []
    points = [MarkRow(since_start_ns=0, messages=0), *marks]
    if served.messages - points[-1].messages > 1:
        closed_ns = served.closed_ns - served.first_sent_ns
        points.append(MarkRow(since_start_ns=closed_ns, messages=served.messages))
    return points


def push_rate(served: ServeResult, *, client_ended_ns: int) -> PushRate:
    """
    Return the metrics of a push that the client closed.

    ``client_ended_ns`` is the instant of the last message by the client's own clock.
    """
    points = progress(served)
    obstacle = _silence(served)
    if obstacle:
        return PushRate(metrics=(), obstacle=obstacle)
    deviation_ns = _deviation_ns(served, client_ended_ns)
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
    if points and points[-1].since_start_ns > 0:
        last = points[-1]
        late_ns = client_ended_ns - served.first_sent_ns - last.since_start_ns
        ahead = max(0, late_ns) * last.messages / last.since_start_ns
        metrics.append(_of_client("read_ahead_messages", ahead))
    return PushRate(metrics=tuple(metrics), obstacle=obstacle)


def cold_rate(served: ServeResult) -> PushRate:
    """Return what the pongs of a push tell that the server closed after its slices."""
    cold_ns = _cold_ns(marks_of(served), served)
    metrics = [_of_client(name, at_ns / 1e6) for name, at_ns in cold_ns]
    if served.round_trip_ns is not None:
        metrics.append(_of_client("round_trip_us", served.round_trip_ns / 1e3))
    return PushRate(metrics=tuple(metrics), obstacle=_silence(served))


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


def _deviation_ns(served: ServeResult, client_ended_ns: int) -> float:
    """
    Return how much the last pong deviates from the client's own clock, in nanoseconds.

    It is positive for a pong after the instant at which the program received its last
    message, and negative for one before it that reading ahead does not explain.
    """
    last = served.marks[-1]
    late_ns = last.answered_ns - client_ended_ns
    if late_ns >= 0:
        return late_ns
    if served.messages - last.messages > 1:
        return 0
    ns_per_message = (last.answered_ns - served.first_sent_ns) / max(1, last.messages)
    return min(0, late_ns + READ_AHEAD_MESSAGES_MAX * ns_per_message)


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
    points: Sequence[MarkRow], served: ServeResult
) -> Iterator[tuple[str, int]]:
    """
    Yield the time until the first messages were processed, by the metric's name.

    It is the pong after these messages. After the last message of a push that the
    client closes, it is the pong before that message, or else the closing frame.
    """
    times = {point.messages: point.since_start_ns for point in points}
    for messages, name in COLD_METRICS.items():
        at_ns = times.get(messages)
        if at_ns is None and messages == served.messages:
            at_ns = times.get(messages - 1)
        if at_ns is not None:
            yield name, at_ns


def _of_client(name: str, value: float) -> MetricValue:
    return MetricValue(process="client", metric=name, value=value)
