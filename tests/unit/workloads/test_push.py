"""Reports of the client compared with those of the server: all disagreements."""

from base64 import b64decode

import pytest
from tests.unit.blank import process_sample
from tests.unit.definitions import define, make_experiment
from tests.unit.workloads.made_up import SERVED, evaluated, setup, values

from autostrada.engine.messages import Mark, ObservedProcess, ServeResult
from autostrada.errors import ClosedEarly, Crashed, Disagreed, Miscounted, TimedOut
from autostrada.evidence.results import duration_ns, working_ns
from autostrada.store import record
from autostrada.workloads.push import Push
from autostrada.workloads.report import (
    ClientReport,
    Reports,
    SecondReport,
    ServerReport,
    whole_series,
)

# Each message has 7 bytes.
(WORKLOAD,) = make_experiment(define("push", payload_text="grüezi")).workload
CLIENT = {
    "connections": 1,
    "messages": 1_000,
    "payload_bytes": 7_000,
    "wrong": 0,
    "opened_ns": 1_000_000_000,
    "ready_ns": 1_000_000_000,
    "ended_ns": 3_000_000_000,
}
OBSERVED = ObservedProcess(
    cpu_ns=500_000_000, resident_bytes=10, peak_resident_bytes=20
)
SERVER = ServeResult(
    **SERVED
    | {
        "messages": 1_000,
        "bytes": 7_000,
        "acknowledged_bytes": 9_000,
        "wire_bytes": 9_000,
        "first_sent_ns": 1_000_000_000,
        "last_sent_ns": 2_900_000_000,
        "closed_ns": 3_000_000_000,
        "busy_ns": 200_000_000,
        "blocked_ns": 1_000_000_000,
        "pings": 20,
        "processes": {"client": OBSERVED, "server": OBSERVED},
    }
)


def second(number, messages, size):
    return SecondReport(event="second", second=number, messages=messages, bytes=size)


SECONDS = [second(0, 600, 4_200)]


def judged(
    client=None,
    server=None,
    *,
    client_seconds=SECONDS,
    server_seconds=(),
    workload=WORKLOAD,
    samples=(),
):
    served = SERVER.model_copy(update=server or {})
    reports = Reports(
        servers=[
            ServerReport(
                messages=served.messages,
                payload_bytes=served.bytes,
                seconds=tuple(server_seconds),
                served=(served,),
            )
        ],
        clients=[
            ClientReport(**CLIENT | (client or {}), seconds=tuple(client_seconds))
        ],
        start_ns=0,
    )
    observation = record.Observation(process_samples=samples)
    return evaluated(workload, reports, "server", observation=observation)


def test_if_both_agree_the_engines_clock_counts():
    measurement = judged()
    assert measurement.messages == 1_000
    assert measurement.payload_bytes == 7_000
    assert measurement.duration_ns == 2_000_000_000
    assert measurement.client_duration_ns == 2_000_000_000


def test_shares_are_of_the_engines_duration():
    measurement = judged()
    assert measurement.server_utilization == pytest.approx(0.1)
    assert measurement.server_blocked_share == pytest.approx(0.5)
    assert measurement.client_utilization == pytest.approx(0.25)
    client, server = measurement.ends
    assert (client.process, client.is_engine) == ("client", False)
    assert client.utilization == client.cpu_cores == pytest.approx(0.25)
    assert (server.process, server.is_engine) == ("server", True)
    assert server.utilization == pytest.approx(0.45)


def test_processes_and_both_series_are_stored():
    measurement = judged(server_seconds=[second(0, 1_000, 7_000)])
    assert [sample.process for sample in measurement.processes] == ["client", "server"]
    rows = [(row.process, row.second, row.messages) for row in measurement.seconds]
    assert rows == [
        ("client", 0, 600),
        ("client", 1, 400),
        ("server", 0, 1_000),
        ("server", 1, 0),
    ]


SETUP = setup()


@pytest.mark.parametrize("deflate", [False, True])
def test_compression_is_granted_and_offered_if_the_workload_has_it(deflate):
    workload = WORKLOAD.model_copy(update={"deflate": deflate})
    server, client = workload.server(SETUP, 1), workload.client(SETUP, 1)
    assert ("compression" in server.plan) == ("compression" in client.plan) == deflate
    assert client.environment.get("COMPRESSION") == ("deflate" if deflate else None)


def test_over_tls_acknowledged_bytes_may_be_unknown():
    secure = WORKLOAD.model_copy(update={"tls": True})
    unknown = {"acknowledged_bytes": None}
    assert judged(server=unknown, workload=secure).messages == SERVER.messages


def test_plans_have_the_values_of_the_experiment():
    server, client = WORKLOAD.server(SETUP, 8008), WORKLOAD.client(SETUP, 8008)
    assert server.plan["congestion_control"] == "reno"
    assert server.plan["workload"]["frames_per_write"] == "many"
    assert server.plan["listen"] == "127.0.0.1:8008"
    assert client.plan["workload"]["messages"] == 1_000
    assert client.plan["limit_s"] == 20
    url = "ws://127.0.0.1:8008/1000"
    assert client.plan["url"] == client.environment["URL"] == url
    assert client.environment["MESSAGES"] == "1000"


def test_without_congestion_control_the_plan_does_not_mention_it():
    free = setup(congestion_control=None, limit_s=0.2)
    assert "congestion_control" not in WORKLOAD.server(free, 1).plan
    assert WORKLOAD.client(free, 1).plan["limit_s"] == 1


def test_pings_stand_between_messages():
    pings = WORKLOAD.server(SETUP, 8008).plan["workload"]["pings"]
    assert pings["after"][-2:] == [950, 999]
    assert pings["every_ms"] == 25


def test_without_pongs_a_push_has_no_rate_and_the_bytes_that_were_sent():
    measurement = judged()
    assert values(measurement.metrics) == {"wire_bytes": 9_000, "write_calls": 1}
    assert measurement.violation == "the client answered none of 20 pings"


def test_pongs_are_stored_in_time_since_the_first_byte():
    marks = (Mark(messages=50, answered_ns=1_100_000_000),)
    [mark] = judged(server={"marks": marks}).marks
    assert mark == record.MarkRow(since_start_ns=100_000_000, messages=50)


ONE = WORKLOAD.model_copy(update={"frames_per_write": "one"})


def served_by_contestant(**changes):
    client = ClientReport(**CLIENT | changes, seconds=())
    return evaluated(ONE, Reports(servers=[], clients=[client], start_ns=0))


def test_a_contestant_as_the_server_gets_the_text_and_prints_no_result():
    configuration = ONE.server(SETUP, 8008)
    assert configuration.environment == {"PUSH": "grüezi"}
    assert configuration.has_result
    assert not configuration.has_contestant_result
    sliced = WORKLOAD.model_copy(update={"seconds": 5.0})
    assert (ONE.why_only_engine_serves, sliced.why_only_engine_serves) == (
        "",
        "it has seconds, deflate, tls, binary or payload_bytes",
    )


def test_the_push_of_a_contestant_is_timed_by_its_client():
    measurement = served_by_contestant()
    assert measurement.duration_ns == measurement.client_duration_ns == 2_000_000_000
    assert (measurement.messages, measurement.payload_bytes) == (1_000, 7_000)
    assert measurement.congestion_control
    assert [end.process for end in measurement.ends] == ["client", "server"]


@pytest.mark.parametrize("changes", [{"messages": 999}, {"wrong": 1}])
def test_a_contestant_that_pushes_something_else_has_miscounted(changes):
    with pytest.raises(Miscounted, match="was asked for 1,000 messages") as caught:
        served_by_contestant(**changes)
    assert caught.value.process == "server"


def test_a_server_without_messages_has_timed_out_on_its_client():
    nothing = ServerReport(messages=0, payload_bytes=0, seconds=())
    with pytest.raises(TimedOut, match="still running"):
        WORKLOAD.window(Reports(servers=[nothing], clients=[], start_ns=0))


TOLERATED_NS = 40_000_000
"""2 % of the two seconds that the engine has measured."""


@pytest.mark.parametrize("apart_ns", [-TOLERATED_NS, 0, TOLERATED_NS])
def test_ends_may_differ_by_two_percent(apart_ns):
    ended_ns = CLIENT["ended_ns"] + apart_ns
    measurement = judged({"ended_ns": ended_ns})
    assert measurement.client_duration_ns == 2_000_000_000 + apart_ns


def test_a_late_report_of_the_opening_is_no_disagreement():
    assert judged({"opened_ns": 2_000_000_000}).client_duration_ns == 1_000_000_000


SHORT = {"closed_ns": SERVER.first_sent_ns + 15_000_000}


@pytest.mark.parametrize("duration_ns", [5_000_000, 25_000_000])
def test_ten_milliseconds_are_tolerated_for_any_duration(duration_ns):
    ended_ns = CLIENT["opened_ns"] + duration_ns
    assert judged({"ended_ns": ended_ns}, SHORT).duration_ns == 15_000_000


OPENED_NS, ENDED_NS = CLIENT["opened_ns"], CLIENT["ended_ns"]


@pytest.mark.parametrize(
    ("client", "server", "error", "message"),
    [
        *(
            (
                {"messages": number},
                {},
                Miscounted,
                r"counted [\d,]+ .*; 1,000 were sent",
            )
            for number in (999, 1_001, 0)
        ),
        ({}, {"messages": 10}, Miscounted, "asked for 10 messages instead of 1,000"),
        ({"wrong": 3}, {}, Miscounted, "3 messages differ from what was sent"),
        ({}, {"acknowledged_bytes": 8_999}, Miscounted, "8,999 of 9,000 bytes"),
        *(
            (
                {"messages": 300},
                {"ended": ended, "messages": 400},
                ClosedEarly,
                f"{text} when 400 of 1,000 .*it counted 300$",
            )
            for ended, text in (
                ("closed", "closed the connection"),
                ("reset", "broke the connection"),
                ("violation", "broke the protocol"),
            )
        ),
        *(
            ({"ended_ns": ENDED_NS + apart_ns}, {}, Disagreed, r"ed 2,000\.0 ms")
            for apart_ns in (-TOLERATED_NS - 1, TOLERATED_NS + 1)
        ),
        *(
            ({"ended_ns": OPENED_NS + duration_ns}, SHORT, Disagreed, r"ed 15\.0 ms")
            for duration_ns in (4_999_999, 25_000_001)
        ),
        ({"opened_ns": ENDED_NS + 1_000_000}, {}, Disagreed, r"reports -1\.0 ms"),
        *(
            ({}, {"processes": {name: OBSERVED}}, Crashed, "was gone before")
            for name in ("client", "server")
        ),
    ],
)
def test_ends_that_contradict_each_other_are_a_failure(client, server, error, message):
    with pytest.raises(error, match=message):
        judged(client, server, client_seconds=())


def test_a_client_that_ended_at_once_is_known_by_its_samples():
    samples = tuple(
        process_sample("client", at_ns, 10, cpu_ns=at_ns // 4)
        for at_ns in (500_000_000, 1_500_000_000)
    )
    measurement = judged(server={"processes": {"server": OBSERVED}}, samples=samples)
    assert measurement.client_utilization == 0.25


def test_seconds_are_completed_by_the_remainder():
    assert whole_series("client", SECONDS, 1_000, 7_000) == [
        record.SecondRow(process="client", second=0, messages=600, bytes=4_200),
        record.SecondRow(process="client", second=1, messages=400, bytes=2_800),
    ]


def test_a_run_shorter_than_a_second_is_one_row():
    assert whole_series("client", [], 5, 35) == [
        record.SecondRow(process="client", second=0, messages=5, bytes=35)
    ]


@pytest.mark.parametrize(
    "seconds",
    [
        [second(0, 1_001, 7_000)],
        [second(0, 1_000, 7_001)],
        [second(1, 10, 70)],
        [second(0, 10, 70), second(2, 10, 70)],
        [second(1, 10, 70), second(0, 10, 70)],
        [second(0, 10, 70), second(0, 10, 70)],
    ],
    ids=["messages", "bytes", "start", "gap", "order", "twice"],
)
def test_seconds_that_do_not_add_up_are_a_miscount(seconds):
    with pytest.raises(Miscounted, match="do not add up"):
        whole_series("client", seconds, 1_000, 7_000)


def test_the_engine_is_busy_while_it_does_not_wait():
    times = {"first_sent_ns": 100, "last_sent_ns": 900, "closed_ns": 1100}
    waiting = SERVER.model_copy(update={**times, "busy_ns": 500, "blocked_ns": 200})
    assert (duration_ns(waiting), working_ns(waiting)) == (1000, 600)
    assert working_ns(waiting.model_copy(update={"busy_ns": 950})) == 950


SIZED = {
    "name": "sized",
    "kind": "push",
    "messages": 10,
    "frames_per_write": "many",
}


def test_sizes_are_separate_points():
    sizes = {"payload_bytes": [11, 1024]}
    points = list(Push(**SIZED, sweep=sizes, binary=True).points())
    names = ["sized payload_bytes=11", "sized payload_bytes=1024"]
    assert [point.name for point in points] == names
    assert [len(point.payload) for point in points] == [11, 1024]
    assert all(point.binary for point in points)
    assert points[0].payload == points[1].payload[:11]


@pytest.mark.parametrize("binary", [False, True])
def test_both_ends_receive_the_same_payload(binary):
    push = Push(**SIZED, payload_bytes=20, binary=binary)
    server = push.server(SETUP, 8008).plan["workload"]["payload"]
    client = push.client(SETUP, 8008).plan["workload"]["payload"]
    assert server == client
    if binary:
        assert b64decode(server["base64"]) == push.payload
    else:
        assert server["text"].encode() == push.payload


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ({}, "give payload_text or payload_bytes"),
        ({"payload_text": "x", "payload_bytes": 3}, "give payload_text or"),
        (
            {"payload_text": "x", "sweep": {"payload_bytes": [3]}},
            "give payload_text or",
        ),
        ({"payload_bytes": 0}, "greater than 0"),
        ({"payload_bytes": 2**25}, "less than or equal"),
    ],
)
def test_a_payload_is_a_text_or_a_size(payload, reason):
    with pytest.raises(ValueError, match=reason):
        Push(**SIZED, **payload)
