"""Readings of a client that has measured no fault."""

from dataclasses import fields, replace

import pytest
from tests.unit.blank import blank

from autostrada.calibration.expectation import CaseEvidence, CaseRun
from autostrada.calibration.fault_cases import FaultTopology, fault_cases
from autostrada.calibration.parser import Reading
from autostrada.machine.noise import Noise
from autostrada.stats.buckets import Buckets

READING = blank(
    Reading,
    0,
    response_time_ns=Buckets(),
    service_time_ns=Buckets(),
    send_delay_ns=Buckets(),
    failures={},
    generator_limited=None,
)
BESIDE = {each.name for each in fields(CaseEvidence)}


@pytest.fixture
def evidence():
    """Return a function that makes evidence; metrics of the reading may be given."""

    def make(**metrics):
        beside = {name: metrics.pop(name) for name in BESIDE & metrics.keys()}
        return CaseEvidence(reading=replace(READING, **metrics), **beside)

    return make


@pytest.fixture
def case_run(evidence):
    """Return a function that makes a case run; controls are given by their metrics."""

    def make(controls=(), **metrics):
        made = [evidence(**control) for control in controls]
        return CaseRun(evidence=evidence(**metrics), controls=made)

    return make


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
