"""Readings of a client that has measured no fault."""

from dataclasses import replace

import pytest

from autostrada.calibration.expectation import CaseRun
from autostrada.calibration.fault_cases import FaultTopology, fault_cases
from autostrada.calibration.parser import Reading
from autostrada.calibration.session import FaultOutcome, FaultVerdict
from autostrada.machine.noise import Noise


@pytest.fixture
def case_run():
    """Return a function that makes a case run; controls are given by their metrics."""

    def make(controls=(), **metrics):
        made = [Reading(**control) for control in controls]
        return CaseRun(reading=Reading(**metrics), controls=made)

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
def outcome(case):
    """Return a function that makes the outcome of a case, usually of a delay."""

    def make(verdict, *comparisons, name="delay-20ms", **changes):
        made = FaultOutcome(
            case=case(name),
            verdict=FaultVerdict(verdict),
            comparisons=comparisons,
            reason="",
            attempts=1,
        )
        return replace(made, **changes)

    return make


@pytest.fixture
def noise():
    """Return a function that makes the noise of an idle second, with some changes."""
    idle = Noise(others_share=0.0, steal_share=0.0, elapsed_s=1.0)
    return lambda **metrics: replace(idle, **metrics)
