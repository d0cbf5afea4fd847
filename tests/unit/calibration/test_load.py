"""Configurations of the ends of a case."""

from dataclasses import replace

from autostrada.calibration.load import CaseLoad
from autostrada.engine.plans import ConnectionLimits
from autostrada.workloads.report import Setup

LIMITS = ConnectionLimits(descriptors=20_000, outgoing_ports=28_000)
SETUP = Setup(protocol="websocket", limit_s=10, connection_limits=LIMITS)


def serve_plan(case):
    return CaseLoad(name=case.name, case=case).server(SETUP, 8008).plan


def load_plan(case):
    return CaseLoad(name=case.name, case=case).client(SETUP, 8008).plan


def test_without_a_rate_the_loop_is_closed(case):
    assert "schedule" not in load_plan(case("stall-closed"))["workload"]


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
