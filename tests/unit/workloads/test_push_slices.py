"""A push in slices: its plans, and what it measures."""

import pytest
from pydantic import ValidationError
from tests.unit.definitions import define, make_experiment
from tests.unit.workloads import made_up
from tests.unit.workloads.made_up import SERVED, setup, values

from autostrada.engine.messages import Mark, ServeResult
from autostrada.errors import ClosedEarly, Disagreed, Miscounted, TimedOut
from autostrada.store.record import SliceRow
from autostrada.workloads.agreement import CLOSING_NS_MAX
from autostrada.workloads.push import Push
from autostrada.workloads.report import (
    START_S_MAX,
    ClientReport,
    Reports,
    ServerReport,
    SlicePlan,
    Window,
)

MS = 1_000_000
(WORKLOAD,) = make_experiment(
    define("push", messages=100_000, seconds=0.6, slices=2, payload_text="hello world")
).workload
TURN = SliceRow(
    since_start_ns=0,
    duration_ns=300 * MS,
    messages=300_000,
    server_cpu_ns=30 * MS,
    client_cpu_ns=270 * MS,
)
SLICES = (TURN, TURN)
PUSHED = ServeResult(
    **SERVED
    | {
        "messages": 1_000_000,
        "bytes": 11_000_000,
        "acknowledged_bytes": 13_000_000,
        "wire_bytes": 13_000_000,
        "write_calls": 100,
        "first_sent_ns": 1_000 * MS,
        "last_sent_ns": 90_000 * MS,
        "closed_ns": 91_000 * MS,
        "busy_ns": 100 * MS,
        "blocked_ns": 500 * MS,
        "pings": 30,
        "marks": (
            Mark(messages=50_000, answered_ns=1_100 * MS),
            Mark(messages=100_000, answered_ns=1_180 * MS),
        ),
        "round_trip_ns": 20_000,
    }
)


def evaluated(slices=SLICES, client=None, **server):
    served = PUSHED.model_copy(update=server)
    counts = {
        "messages": served.messages,
        "payload_bytes": served.bytes,
        "seconds": (),
    }
    ended = {"opened_ns": 0, "ready_ns": 0, "ended_ns": served.closed_ns + MS}
    client_report = {**counts, **ended, "connections": 1, "wrong": 0} | (client or {})
    reports = Reports(
        servers=[ServerReport(**counts, served=(served,))],
        clients=[ClientReport(**client_report)],
        start_ns=0,
    )
    return made_up.evaluated(
        WORKLOAD,
        reports,
        "server",
        window=Window(start_ns=5_000 * MS, duration_ns=600 * MS),
        slices=slices,
        before_slices=TURN,
        slices_busy_ns=120 * MS,
    )


def test_the_server_pushes_slices_on_command_and_the_client_waits_for_its_turns():
    server, client = WORKLOAD.server(setup(), 8008), WORKLOAD.client(setup(), 8008)
    assert server.plan["slices"] is True
    assert server.plan["connections"] == 1
    assert "seconds" not in server.plan["workload"]
    assert client.plan["limit_s"] == START_S_MAX
    assert "MESSAGES" not in client.environment
    assert client.plan["workload"]["messages"] == 2**40
    pings = server.plan["workload"]["pings"]
    assert pings["after"][19:] == [100_000, 1_000_000]
    alone = WORKLOAD.without_slices()
    assert "slices" not in alone.server(setup(), 8008).plan
    assert alone.slice_plan is None


def test_seconds_without_slices_are_one_slice():
    one = WORKLOAD.model_copy(update={"slices": None})
    assert one.server(setup(), 8008).plan["slices"] is True
    assert (one.slice_plan.rounds, one.slice_plan.slice_s) == (1, 0.6)


def test_the_cold_start_is_the_first_slice_and_the_warm_up_is_that_of_the_client():
    assert WORKLOAD.warmed_up(0.5).slice_plan == SlicePlan(
        driver="server",
        warm_up_s=1.0,
        rounds=2,
        slice_s=0.3,
        drain_s=60.0,
        first_messages=100_000,
    )
    assert WORKLOAD.warmed_up(8.0).slice_plan.warm_up_s == 8.0
    assert WORKLOAD.warmed_up(8.0).duration_s == 8.6


def test_slices_divide_a_time():
    with pytest.raises(ValidationError, match="needs seconds, which it divides"):
        Push.model_validate(WORKLOAD.model_dump() | {"seconds": 0})


def test_the_window_are_the_slices_and_the_cold_start_has_its_own_metrics():
    made = evaluated()
    assert (made.messages, made.payload_bytes) == (600_000, 6_600_000)
    assert made.duration_ns == 600 * MS
    assert made.slices == SLICES
    assert values(made.metrics) == {
        "ms_per_100k": pytest.approx(180),
        "messages_per_cpu_s": pytest.approx(1e9 / 900),
        "slices_cost_ratio": pytest.approx(1),
        "round_trip_us": 20,
    }
    assert made.violation == ""


def test_the_server_was_busy_in_slices_and_blocked_by_their_part_of_the_messages():
    made = evaluated()
    assert made.server_utilization == pytest.approx(0.2)
    assert made.server_blocked_share == pytest.approx(0.5)
    assert [end.process for end in made.ends] == ["client", "server"]
    assert made.ends[1].utilization == pytest.approx(0.2)


def test_missing_slices_are_the_fault_of_the_client():
    with pytest.raises(ClosedEarly, match="before the last slice"):
        evaluated((TURN,))
    with pytest.raises(ClosedEarly, match="before the last slice"):
        evaluated((TURN,), pings_unanswered=1)
    waited = {"pings_unanswered": 1, "closed_ns": PUSHED.last_sent_ns + 60_001 * MS}
    with pytest.raises(TimedOut, match="answered no ping within 60 s"):
        evaluated((TURN,), **waited)


def test_a_client_may_take_half_a_second_to_close_what_the_server_has_ended():
    for apart_ns in (-CLOSING_NS_MAX, CLOSING_NS_MAX):
        evaluated(client={"ended_ns": PUSHED.closed_ns + apart_ns})
    for apart_ns in (-CLOSING_NS_MAX - 1, CLOSING_NS_MAX + 1):
        with pytest.raises(Disagreed):
            evaluated(client={"ended_ns": PUSHED.closed_ns + apart_ns})


def test_a_client_may_reset_the_connection_after_all_messages():
    assert evaluated(ended="reset").messages == 600_000
    with pytest.raises(ClosedEarly, match="broke the connection"):
        evaluated(client={"messages": 999_999}, ended="reset")


def test_everything_that_was_sent_must_be_counted():
    with pytest.raises(Miscounted, match="counted 999,999 messages"):
        evaluated(client={"messages": 999_999})


def test_a_client_that_answered_no_ping_of_the_cold_start_has_no_cold_time():
    made = evaluated(marks=())
    assert "ms_per_100k" not in values(made.metrics)
    assert made.violation == "the client answered none of 30 pings"
