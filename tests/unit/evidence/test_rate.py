"""The cold and the steady part of a push, from samples of its client."""

from dataclasses import fields

import pytest

from autostrada.evidence.rate import rate_figures, read_progress
from autostrada.stats.steady_rate import Progress
from autostrada.store.record import Observation, ProcessSample, SocketSample

MS = 1_000_000
DURATION_NS = 4_000 * MS
FRAME_BYTES = 13
UNREAD_BYTES = 6 * 2**20


def of(kind, **values):
    """Return a sample in which all other values are 0."""
    nothing = {each.name: 0 for each in fields(kind)}
    return kind(**nothing | values)


def read_messages(at_ms):
    """Return the messages that were read: 100 a millisecond, and 500 after 1 s."""
    return 100 * min(at_ms, 1_000) + 500 * max(0, at_ms - 1_000)


MESSAGES = read_messages(4_000)


def sample(at_ms, **usage):
    """Return the samples of client and server at one instant."""
    read_bytes = read_messages(max(0, at_ms)) * FRAME_BYTES
    unread_bytes = min(UNREAD_BYTES, MESSAGES * FRAME_BYTES - read_bytes)
    of_socket = {
        "received_bytes": read_bytes + unread_bytes,
        "receive_queue_bytes": unread_bytes,
    }
    at_ns = at_ms * MS
    return (
        of(ProcessSample, process="client", since_start_ns=at_ns, **usage),
        of(SocketSample, process="client", since_start_ns=at_ns, **of_socket),
        of(SocketSample, process="server", since_start_ns=at_ns, received_bytes=200),
    )


def observed(*, user=0.75):
    """Return an observation of a client that uses all of its core."""
    taken = [
        sample(
            at_ms,
            cpu_ns=at_ms * MS,
            user_ns=round(at_ms * MS * user),
            system_ns=round(at_ms * MS * (1 - user)),
        )
        for at_ms in range(-20, 4_060, 20)
    ]
    return Observation(
        process_samples=tuple(each[0] for each in taken),
        socket_samples=tuple(socket for each in taken for socket in each[1:]),
    )


def progress(observation):
    return read_progress(
        observation,
        wire_bytes=MESSAGES * FRAME_BYTES,
        messages=MESSAGES,
        duration_ns=DURATION_NS,
    )


def test_what_waits_in_the_receive_queue_has_not_been_read():
    points = progress(observed())
    assert points[0] == Progress(0, 0)
    assert points[1] == Progress(20 * MS, 2_000)
    assert points[100] == Progress(2_000 * MS, 600_000)
    assert points[-1] == Progress(DURATION_NS, MESSAGES)


def test_after_everything_was_read_there_is_no_further_point():
    points = read_progress(
        observed(),
        wire_bytes=MESSAGES * FRAME_BYTES,
        messages=MESSAGES,
        duration_ns=2 * DURATION_NS,
    )
    assert points[-1] == Progress(DURATION_NS, MESSAGES)


def test_without_samples_there_is_no_progress():
    assert progress(Observation()) == []


def test_cold_and_steady_are_told_apart():
    observation = observed()
    figures, reason = rate_figures(
        progress(observation), observation, cold_messages=600_000
    )
    found = {each.figure: each.value for each in figures}
    assert reason == ""
    # 600,000 messages are read after 2 s: 100,000 in the first second.
    assert found["ms_per_million"] == pytest.approx(2_000 / 0.6)
    assert found["steady_ns_per_message"] == pytest.approx(2_000)
    assert found["steady_messages_per_s"] == pytest.approx(500_000)
    assert found["warm_up_s"] == pytest.approx(1.0)
    assert found["rate_is_steady"] == 1
    assert found["steady_client_cpu_us_per_message"] == pytest.approx(2.0)
    assert found["steady_client_cpu_user_us_per_message"] == pytest.approx(1.5)
    assert found["steady_client_cpu_system_us_per_message"] == pytest.approx(0.5)
    assert "steady_server_cpu_us_per_message" not in found


def test_a_few_ticks_are_not_divided_into_user_and_system_time():
    observation = observed()
    idle = [
        of(
            ProcessSample,
            process="server",
            since_start_ns=each.since_start_ns,
            cpu_ns=each.cpu_ns // 100,
            user_ns=each.cpu_ns // 100,
        )
        for each in observation.process_samples
    ]
    with_server = Observation(
        process_samples=(*observation.process_samples, *idle),
        socket_samples=observation.socket_samples,
    )
    figures, _ = rate_figures(progress(observation), with_server, cold_messages=1)
    names = {each.figure for each in figures if each.process == "server"}
    assert names == {"steady_server_cpu_us_per_message"}


def test_a_rate_that_still_rises_has_a_cold_figure_and_no_steady_one():
    points = [Progress(at_ms * MS, at_ms**2) for at_ms in range(0, 4_001, 20)]
    figures, reason = rate_figures(points, Observation(), cold_messages=1_000_000)
    found = {each.figure: each.value for each in figures}
    assert found == {"ms_per_million": 1_000, "rate_is_steady": 0}
    assert reason.startswith("not yet steady: the rate still rises, by ")
