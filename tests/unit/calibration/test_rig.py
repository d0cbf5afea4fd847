"""The scale with the twins on it, and processes that do not answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from autostrada.calibration.fault_cases import Arrangement, Kind
from autostrada.calibration.rig import Scale
from autostrada.errors import EngineError
from autostrada.machine.host import this_host
from autostrada.runner.engine import find_engine


@pytest.fixture
def scale():
    return Scale(find_engine(), this_host())


def brief(weight, **changes):
    return replace(weight, rate_per_s=500, window_s=0.1, **changes)


def test_a_healthy_server_is_measured_with_the_noise_around_it(scale, weight):
    evidence, noise = scale.measure(brief(weight("healthy-echo")))
    assert evidence.reading.echoed == 50
    assert noise.elapsed_s > 0
    assert evidence.held_ns == []


def test_the_twins_server_says_what_it_did(scale, weight):
    there = brief(weight("delay-20ms", Arrangement.TWIN_SERVER))
    evidence, _ = scale.measure(there)
    assert len(evidence.held_ns) == 50
    assert min(evidence.held_ns) >= 20_000_000
    evidence, _ = scale.measure(there, is_healthy=True)
    assert min(evidence.held_ns) < 20_000_000


def test_the_twins_client_measures_the_engines_server(scale, weight):
    there = brief(weight("healthy-echo", Arrangement.TWIN_CLIENT))
    evidence, _ = scale.measure(there)
    assert (evidence.reading.sent, evidence.reading.echoed) == (50, 50)


def test_a_client_is_stopped_for_a_while(scale, weight):
    evidence, _ = scale.measure(weight("pause-100ms"))
    assert evidence.paused_ns >= 100_000_000
    assert evidence.reading.response_time_ns.longest_ns > 50_000_000


def test_memory_is_read_before_and_after(scale, weight):
    quiet = brief(weight("grow-32KiB"), kind=Kind.GROW)
    evidence, _ = scale.measure(quiet, is_healthy=True)
    assert abs(evidence.growth_bytes) < 50_000_000


def test_an_engine_that_does_not_answer_is_our_own_fault(weight):
    scale = Scale(Path("/bin/true"), this_host())
    with pytest.raises(EngineError, match="ended"):
        scale.measure(weight("healthy-echo"))
    with pytest.raises(EngineError, match="ended"):
        scale.machine()
