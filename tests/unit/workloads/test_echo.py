"""Reports of an echo's client, and the measurement computed from them."""

from dataclasses import replace

import pytest
from tests.unit.blank import blank
from tests.unit.workloads.made_up import evaluated, load_result, values

from autostrada.engine.messages import Backlog, Compression, Exchange, LoadFailure
from autostrada.errors import ClosedEarly, TimedOut
from autostrada.stats.evidence import Pacing
from autostrada.store.record import Observation, SocketSample
from autostrada.workloads.echo import Echo
from autostrada.workloads.lobby import Lobby
from autostrada.workloads.report import ClientReport, Reports, SecondReport

WORKLOAD = Echo(
    name="echo", kind="echo", connections=3, every_ms=100, warm_up_s=0.05, window_s=2
)
EXCHANGE = {
    "offered_rate_per_s": 30.0,
    "achieved_rate_per_s": 27.0,
    "achieved_share": 0.9,
    "sent": 57,
    "overdue": 3,
    "echoed": 56,
    "completed": 54,
    "rate_growth": None,
    "backlog": Backlog(at_window_end=3, answered_in_drain=2, unanswered=1),
    "response_time_ns": ((1_000_000, 50), (3_000_000, 4)),
    "service_time_ns": ((1_000_000, 54),),
}
LOADED = {
    "connections": 3,
    "messages": 54,
    "bytes": 594,
    "window_start_ns": 10_500_000_000,
    "ended": "complete",
    "opened_ns": 10_000_000_000,
    "compression": None,
    "connect_response_time_ns": ((2_000_000, 2), (8_000_000, 1)),
}
LOST = LoadFailure(kind="read", count=3, example="reset by peer")


def second(number, messages=30):
    return SecondReport(
        event="second",
        second=number,
        messages=messages,
        bytes=0,
        read_bytes=13 * messages,
        written_bytes=17 * messages,
    )


def reported(seconds=(), exchange=None, **changes):
    exchanged = Exchange.model_construct(**EXCHANGE | (exchange or {}))
    load = load_result(**LOADED | {"exchange": exchanged} | changes)
    client = ClientReport(
        connections=load.connections,
        messages=load.messages,
        payload_bytes=load.bytes,
        wrong=0,
        opened_ns=load.opened_ns,
        ready_ns=load.window_start_ns,
        ended_ns=load.window_start_ns + load.window_ns,
        seconds=tuple(seconds),
        load=load,
    )
    return Reports(servers=[], clients=[client], start_ns=0)


def lobby(**changes):
    """Return the report of the subscribers of a lobby, which lasts long enough."""
    counts = {"connections": 3, "wrong": 0, "ended_ns": 13_000_000_000} | changes
    received = second(1).model_copy(update={"read_bytes": 300, "written_bytes": 0})
    return ClientReport(
        messages=9,
        payload_bytes=900,
        opened_ns=10_000_000_000,
        ready_ns=10_000_000_000,
        seconds=(second(0), received, second(2)),
        **counts,
    )


def measured_with(subscribers):
    """Measure one second of bots, beside a lobby."""
    reports = reported([second(1)])
    reports = replace(reports, clients=[*reports.clients, subscribers])
    workload = WORKLOAD.model_copy(update={"lobby": Lobby()})
    return evaluated(workload, reports, "client")


def measured(workload=WORKLOAD, seconds=(), samples=(), **changes):
    observation = Observation(socket_samples=tuple(samples))
    reports = reported(seconds, **changes)
    return evaluated(workload, reports, "client", observation=observation)


def metrics(measurement):
    return values(measurement.metrics)


def test_the_rate_of_a_closed_loop_may_grow_within_its_window():
    assert metrics(measured(exchange={"rate_growth": 1.5}))["rate_growth"] == 1.5
    assert "rate_growth" not in metrics(measured())


def test_the_engine_reports_due_and_answered_messages():
    found = metrics(measured())
    assert (found["offered_per_s"], found["achieved_per_s"]) == (30, 27)
    assert found["achieved_share"] == 0.9
    assert found["sent_share"] == 0.95
    assert found["service_ms_mean"] == pytest.approx(1, rel=1e-3)
    assert found["backlog_at_window_end_messages"] == 3
    assert found["backlog_answered_in_drain_messages"] == 2
    assert found["backlog_unanswered_messages"] == 1
    assert found["response_ms_p50"] == pytest.approx(1, rel=1e-3)
    assert found["response_ms_p99"] == pytest.approx(3, rel=1e-3)
    assert found["response_ms_mean"] == pytest.approx(62 / 54, rel=1e-3)
    assert found["connect_ms_p50"] == pytest.approx(2, rel=1e-3)
    assert found["connect_s"] == pytest.approx(0.008, rel=1e-3)


@pytest.mark.parametrize(("completed", "is_steady"), [(61, True), (62, False)])
def test_a_backlog_of_the_warm_up_leaves_no_rate(completed, is_steady):
    made = measured(exchange={"completed": completed})
    assert ("achieved_per_s" in metrics(made)) is is_steady
    assert (made.violation == "") is is_steady


def test_a_closed_loop_has_no_metrics_of_what_was_due():
    closed = {"offered_rate_per_s": None, "achieved_share": None}
    measurement = measured(exchange=closed)
    assert measurement.pacing is Pacing.CLOSED_LOOP
    found = metrics(measurement)
    assert found["achieved_per_s"] == 27
    assert found["response_ms_p50"] == pytest.approx(1, rel=1e-3)
    assert not {"offered_per_s", "achieved_share", "sent_share"} & found.keys()


def test_only_seconds_inside_the_window_count_for_wire_bytes():
    # The window begins 0.5 s after the first connection opened, and takes 2 s.
    found = metrics(measured(seconds=[second(0, 7), second(1), second(2, 60)]))
    assert found["wire_bytes_per_s"] == 900
    assert found["wire_bytes_per_event"] == 30


def test_a_window_without_a_whole_second_has_no_wire_bytes():
    found = metrics(measured(seconds=[second(0), second(2)]))
    assert "wire_bytes_per_s" not in found
    assert "wire_bytes_per_event" not in metrics(measured(seconds=[second(1, 0)]))


def sockets(since_start_ns, data_bytes, segments):
    """Return a sample of the server's sockets; counters other than these are 0."""
    return blank(
        SocketSample,
        0,
        process="server",
        since_start_ns=since_start_ns,
        sampled=2,
        sent_bytes=data_bytes // 2,
        received_bytes=data_bytes // 2,
        segments_in=segments,
    )


def test_bytes_on_the_network_include_the_headers():
    # 1,000 bytes in 20 segments of 66 bytes of headers.
    samples = [sockets(0, 400, 10), sockets(1_900_000_000, 1400, 30)]
    found = metrics(measured(seconds=[second(1)], samples=samples))
    assert found["wire_bytes_per_event"] == 30
    assert found["network_bytes_per_event"] == pytest.approx(30 * 2.32)
    assert found["network_bytes_per_s"] == pytest.approx(900 * 2.32)


def test_bytes_on_the_network_are_unknown_over_tls_and_without_samples():
    samples = [sockets(0, 400, 10), sockets(1_900_000_000, 1400, 30)]
    secure = WORKLOAD.model_copy(update={"tls": True})
    for found in (
        metrics(measured(secure, seconds=[second(1)], samples=samples)),
        metrics(measured(seconds=[second(1)])),
    ):
        assert "wire_bytes_per_event" in found
        assert "network_bytes_per_event" not in found


def test_the_bytes_of_a_lobby_count_and_its_messages_do_not():
    measurement = measured_with(lobby())
    found = metrics(measurement)
    assert found["wire_bytes_per_s"] == 900 + 300
    assert found["wire_bytes_per_event"] == 1200 / 30
    assert measurement.messages == 54
    assert measurement.faults == ""


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"connections": 1}, "2 subscribers of the lobby never connected"),
        ({"wrong": 4}, "4 messages of the lobby were wrong"),
        ({"ended_ns": 10_400_000_000}, "the lobby ended before the window was over"),
    ],
)
def test_what_a_lobby_lacks_is_a_fault(changes, fault):
    assert measured_with(lobby(**changes)).faults == fault


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"ended": "reset", "failures": (LOST,)},
            ClosedEarly,
            "opened no connection: ",
        ),
        ({"connections": 0}, ClosedEarly, "opened no connection"),
        (
            {"ended": "closed", "failures": (LOST,)},
            ClosedEarly,
            "window was over: reset",
        ),
        ({"exchange": {"echoed": 0}}, TimedOut, "answered no message"),
        ({"exchange": {"completed": 0}}, TimedOut, "answered no message"),
        (
            {"exchange": {"echoed": 0}, "failures": (LOST,)},
            ClosedEarly,
            "ended all connections",
        ),
    ],
)
def test_a_server_that_answers_nothing_has_failed(changes, error, message):
    with pytest.raises(error, match=message) as raised:
        WORKLOAD.window(reported(**changes))
    assert raised.value.process == "server"


def test_connections_that_never_opened_are_faults():
    assert measured(connections=2).faults == "1 of the connections never opened"
    lossy = measured(connections=2, failures=(LOST,))
    assert lossy.faults == "1 of the connections never opened; 3 connections broke"
    assert measured().faults == ""


def test_response_times_are_stored_by_their_buckets():
    buckets = measured().buckets
    assert [each.count for each in buckets] == [50, 4]
    assert buckets[0].value_ns == pytest.approx(1_000_000, rel=1e-3)


def test_connections_that_are_not_compressed_are_a_fault():
    granted = {"": 2, "permessage-deflate": 1}
    compression = Compression.model_construct(connections=granted)
    faults = measured(compression=compression).faults
    assert faults == "2 of the connections are not compressed"
