"""The rig with the peer, and processes that do not answer."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from autostrada.calibration.fault_cases import FaultTopology, Kind
from autostrada.calibration.network import NoNetworkError
from autostrada.calibration.rig import Rig
from autostrada.engine.process import find_engine
from autostrada.errors import EngineError
from autostrada.machine.host import this_host


@pytest.fixture
def rig():
    return Rig(find_engine(), this_host())


DUE = 50
"""Due messages of a brief case; on a busy machine, the window may end before all are
sent."""


def brief(case, **changes):
    return replace(case, rate_per_s=500, window_s=DUE / 500, **changes)


def test_a_healthy_server_is_measured_together_with_the_noise(rig, case):
    evidence, noise = rig.measure(brief(case("healthy-echo")))
    assert 0 < evidence.reading.echoed <= DUE
    assert noise.elapsed_s > 0
    assert evidence.held_ns == []


def test_the_peer_server_reports_what_it_did(rig, case):
    there = brief(case("delay-20ms", FaultTopology.PEER_SERVER))
    evidence, _ = rig.measure(there)
    assert 0 < len(evidence.held_ns) <= DUE
    assert min(evidence.held_ns) >= 20_000_000
    evidence, _ = rig.measure(there, is_healthy=True)
    assert min(evidence.held_ns) < 20_000_000


def test_the_peer_client_measures_the_engines_server(rig, case):
    there = brief(case("healthy-echo", FaultTopology.PEER_CLIENT))
    evidence, _ = rig.measure(there)
    assert 0 < evidence.reading.echoed == evidence.reading.sent <= DUE


def test_a_client_can_be_paused(rig, case):
    evidence, _ = rig.measure(case("pause-100ms"))
    assert evidence.paused_ns >= 100_000_000
    assert evidence.reading.response_time_ns.longest_ns > 50_000_000


def test_memory_is_read_before_and_after(rig, case):
    control = brief(case("grow-32KiB"), kind=Kind.GROW)
    evidence, _ = rig.measure(control, is_healthy=True)
    assert abs(evidence.growth_bytes) < 50_000_000


def test_cpu_time_is_read_before_and_after(rig, case):
    worked, _ = rig.measure(case("work-1ms"))
    assert worked.cpu_ns >= case("work-1ms").messages * 1_000_000


def test_an_engine_that_does_not_answer_is_an_engine_error(case):
    rig = Rig(Path("/bin/true"), this_host())
    with pytest.raises(EngineError, match="ended"):
        rig.measure(case("healthy-echo"))
    with pytest.raises(EngineError, match="ended"):
        rig.machine()


@pytest.mark.parametrize("pongs", ["prompt", "late", "unsent", "never"])
def test_a_push_has_metrics_if_the_client_answers_in_time(rig, case, pongs):
    known = case("push-two-rates", FaultTopology.PEER_CLIENT)
    late_s = 0.0 if pongs in {"prompt", "never"} else 0.5
    push = replace(
        known.push, first_per_s=1_000_000, seconds=0.2, pongs=pongs, late_s=late_s
    )
    # On a busy machine, pongs that are due at once may be late too.
    for _ in range(20 if pongs == "prompt" else 1):
        evidence, _ = rig.measure(replace(known, push=push))
        assert evidence.push.cold_ms >= 100
        if has_metrics := "ms_per_100k" in evidence.push.metrics:
            break
    assert has_metrics is (pongs == "prompt")


def test_a_push_over_a_bridge_needs_root_or_is_left_out(rig, case):
    known = case("push-bridge", FaultTopology.PEER_CLIENT)
    push = replace(known.push, first_per_s=1_000_000, seconds=0.2)
    if os.getuid() == 0:
        evidence, _ = rig.measure(replace(known, push=push))
        assert evidence.push.cold_ms >= 100
    else:
        with pytest.raises(NoNetworkError, match="as root"):
            rig.measure(replace(known, push=push))
