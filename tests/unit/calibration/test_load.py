"""Configurations of the ends of a case."""

from dataclasses import replace

import pytest

from autostrada.calibration.fault_cases import FaultTopology
from autostrada.calibration.load import CaseLoad
from autostrada.engine.plans import ConnectionLimits
from autostrada.workloads.report import Setup

LIMITS = ConnectionLimits(descriptors=20_000, outgoing_ports=28_000)
SETUP = Setup(protocol="websocket", limit_s=10, connection_limits=LIMITS)
URL = "ws://127.0.0.1:8008"


def serve_plan(case):
    return CaseLoad(name=case.name, case=case).server(SETUP, 8008).plan


def load_plan(case):
    return CaseLoad(name=case.name, case=case).client(SETUP, 8008).plan


def test_messages_are_stamped_so_that_answers_are_identified_by_number(case):
    plan = load_plan(case("lose-echo"))
    assert plan["url"] == f"{URL}/echo"
    assert plan["workload"]["kind"] == "echo"
    assert plan["workload"]["payload"]["stamped"] is True
    assert plan["workload"]["schedule"] == {"kind": "constant", "rate_per_s": 4000}


def test_without_a_rate_the_loop_is_closed(case):
    assert "schedule" not in load_plan(case("stall-closed"))["workload"]


@pytest.mark.parametrize(
    ("name", "arriving"),
    [
        ("lose-feed", 20_003 - 2857),
        ("repeat-feed", 20_003 + 2857),
        ("swap-feed", 20_003),
    ],
)
def test_a_feed_is_received_up_to_the_last_arriving_message(case, name, arriving):
    plan = load_plan(case(name))
    assert plan["url"] == f"{URL}/feed"
    assert plan["workload"]["messages"] == arriving


def test_both_ends_receive_the_interval(case):
    burst = case("burst-5")
    assert serve_plan(burst)["feed"]["every_ms"] == 10
    assert load_plan(burst)["workload"]["feed"]["every_ms"] == 10
    assert "every_ms" not in serve_plan(case("lose-feed"))["feed"]


def test_the_control_is_the_same_without_the_fault(case):
    delay = case("delay-20ms")
    delayed = serve_plan(delay)
    assert delayed.pop("faults") == {"delay_ms": 20}
    assert serve_plan(replace(delay, faults={})) == delayed


def test_a_push_has_the_speeds_of_its_client(case):
    push = load_plan(case("push-late-pongs", FaultTopology.PEER_CLIENT))
    assert push["url"] == f"{URL}/100000"
    assert (push["pongs"], push["late_s"]) == ("late", 0.3)
    assert not push["has_slices"]


def test_a_push_of_two_rates_has_slices(case):
    push = case("push-two-rates", FaultTopology.PEER_CLIENT)
    assert serve_plan(push)["slices"] is True
    plan = CaseLoad(name=push.name, case=push).slice_plan
    assert plan.first_messages == push.push.first_messages


def test_an_echo_in_slices_is_a_closed_loop(case):
    sliced = case("work-in-slices")
    plan = load_plan(sliced)
    assert plan["slices"] is True
    assert "schedule" not in plan["workload"]
    assert CaseLoad(name=sliced.name, case=sliced).slice_plan.driver == "client"
