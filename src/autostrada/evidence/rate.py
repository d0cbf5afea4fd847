"""The rate of a push over time: its cold start, and its steady part."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from autostrada.stats.evidence import EndName
from autostrada.stats.steady_rate import (
    NotSteady,
    Progress,
    SteadyWindow,
    done_at,
    reached_at_ns,
    steady_window,
)
from autostrada.store.record import Figure, Observation, ProcessSample

TICKS_NS_MIN = 100_000_000
"""
Minimum CPU time that is divided into user and system time, in nanoseconds.

The kernel counts both in ticks of 10 ms.
"""


def read_progress(
    observation: Observation, *, wire_bytes: int, messages: int, duration_ns: int
) -> list[Progress]:
    """
    Return how many messages the client had read from its socket at each sample.

    These are the bytes that its kernel received and acknowledged, less those in the
    receive queue: the queue alone holds up to half a million short messages. All
    messages are taken to have the same length on the wire. The last point is the
    instant at which everything was read. The result is empty without samples.
    """
    points = [Progress(0.0, 0.0)]
    read_bytes, end_ns = 0, duration_ns
    for each in observation.socket_samples:
        if each.process != "client" or not 0 < each.since_start_ns < duration_ns:
            continue
        read_bytes = max(read_bytes, each.received_bytes - each.receive_queue_bytes)
        if read_bytes >= wire_bytes:
            end_ns = each.since_start_ns
            break
        done = read_bytes / wire_bytes * messages
        points.append(Progress(each.since_start_ns, done))
    if len(points) == 1:
        return []
    return [*points, Progress(end_ns, messages)]


def rate_figures(
    points: Sequence[Progress], observation: Observation, *, cold_messages: int
) -> tuple[list[Figure], str]:
    """
    Return the figures of the cold and the steady part, and why there is no steady one.

    ``points`` are those of ``read_progress``. The reason is empty if there is a steady
    part. The cold part consists of the first ``cold_messages`` messages.
    """
    figures = []
    cold_ns = reached_at_ns(points, cold_messages)
    if cold_ns is not None:
        figures.append(_of_client("ms_per_million", cold_ns / cold_messages))
    window = steady_window(points)
    is_steady = isinstance(window, SteadyWindow) and window.per_s > 0
    figures.append(_of_client("rate_is_steady", float(is_steady)))
    if isinstance(window, NotSteady):
        return figures, f"not yet steady: {window.reason}"
    if not is_steady:
        return figures, "not yet steady: no message was read in the second half"
    figures += [
        _of_client("steady_ns_per_message", 1e9 / window.per_s),
        _of_client("steady_messages_per_s", window.per_s),
        _of_client("warm_up_s", window.start_ns / 1e9),
    ]
    ends: tuple[EndName, EndName] = ("server", "client")
    for end in ends:
        figures += _cpu_figures(end, points, observation, window)
    return figures, ""


def _of_client(name: str, value: float) -> Figure:
    return Figure(process="client", figure=name, value=value)


def _cpu_figures(
    end: EndName,
    points: Sequence[Progress],
    observation: Observation,
    window: SteadyWindow,
) -> Iterator[Figure]:
    """Yield the CPU time of one end per message between its samples in the window."""
    samples = [each for each in observation.process_samples if each.process == end]
    first = bisect_left(samples, window.start_ns, key=_at_ns)
    last = bisect_left(samples, window.end_ns, key=_at_ns) - 1
    if last <= first:
        return
    before, after = samples[first], samples[last]
    messages = done_at(points, _at_ns(after)) - done_at(points, _at_ns(before))
    if messages <= 0:
        return
    cpu_us = (after.cpu_ns - before.cpu_ns) / 1e3 / messages
    name = f"steady_{end}_cpu{{}}_us_per_message"
    yield Figure(process=end, figure=name.format(""), value=cpu_us)
    known = (before.user_ns, before.system_ns, after.user_ns, after.system_ns)
    if None in known:
        return
    user_ns = (after.user_ns or 0) - (before.user_ns or 0)
    system_ns = (after.system_ns or 0) - (before.system_ns or 0)
    if user_ns + system_ns >= TICKS_NS_MIN:
        user_share = user_ns / (user_ns + system_ns)
        user_us, system_us = cpu_us * user_share, cpu_us * (1 - user_share)
        yield Figure(process=end, figure=name.format("_user"), value=user_us)
        yield Figure(process=end, figure=name.format("_system"), value=system_us)


def _at_ns(sample: ProcessSample) -> int:
    return sample.since_start_ns
