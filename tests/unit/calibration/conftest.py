"""Readings of a client that has measured no fault."""

from dataclasses import replace

import pytest

from autostrada.calibration.expectation import CaseEvidence, CaseRun
from autostrada.calibration.fault_cases import FaultTopology, fault_cases
from autostrada.calibration.parser import Reading
from autostrada.machine.noise import Noise
from autostrada.stats.buckets import Buckets

READING = Reading(
    messages=0,
    sent=0,
    echoed=0,
    unsent=0,
    overdue=0,
    offered_rate_per_s=0.0,
    achieved_rate_per_s=0.0,
    backlog_at_window_end=0,
    response_time_ns=Buckets(),
    service_time_ns=Buckets(),
    send_delay_ns=Buckets(),
    missing=0,
    gaps=0,
    duplicates=0,
    reordered=0,
    unexpected=0,
    wrong=0,
    failures={},
    judged=0,
    on_time=0,
    burst_max=0,
    generator_limited=None,
)


@pytest.fixture
def reading():
    """Return a function that makes a reading with some given metrics."""
    return lambda **metrics: replace(READING, **metrics)


@pytest.fixture
def evidence(reading):
    """Return a function that makes evidence; metrics of the reading may be given."""
    direct_keys = {"held_ns", "growth_bytes", "cpu_ns", "paused_ns", "push"}

    def make(**metrics):
        return CaseEvidence(
            reading=reading(
                **{k: v for k, v in metrics.items() if k not in direct_keys}
            ),
            **{k: v for k, v in metrics.items() if k in direct_keys},
        )

    return make


@pytest.fixture
def case_run(evidence):
    """Return a function that makes a case run without controls."""
    return lambda **metrics: CaseRun(evidence=evidence(**metrics))


@pytest.fixture
def case():
    """Return a function that finds a case of the full calibration by its name."""

    def find(name, topology=FaultTopology.ENGINE):
        [found] = [
            each
            for each in fault_cases()
            if (each.name, each.topology) == (name, topology)
        ]
        return found

    return find


@pytest.fixture
def noise():
    """Return a function that makes the noise of an idle second, with some changes."""
    idle = Noise(
        others_share=0.0, steal_share=0.0, waited_ns=0, pressure_ns=0, elapsed_s=1.0
    )
    return lambda **metrics: replace(idle, **metrics)
