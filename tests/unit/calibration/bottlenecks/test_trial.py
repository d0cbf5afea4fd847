"""Trials of known bottlenecks as processes: evidence that does not depend on time."""

import os
from dataclasses import replace

import pytest

from autostrada.calibration.bottlenecks.cases import known_bottlenecks
from autostrada.calibration.bottlenecks.trial import run_trial
from autostrada.calibration.network import NoNetworkError
from autostrada.engine.process import find_engine
from autostrada.machine.host import this_host
from autostrada.stats.evidence import Pacing
from autostrada.stats.verdict import Bottleneck, classify


@pytest.fixture
def run():
    """Run the trial of a bottleneck with some changes; return the evidence."""

    def run_one(bottleneck, **changes):
        [known] = [
            each for each in known_bottlenecks() if each.bottleneck is bottleneck
        ]
        evidence, _ = run_trial(replace(known, **changes), find_engine(), this_host())
        return evidence

    return run_one


def test_a_push_is_reported_by_the_engines_server(run):
    push = {"workload": {"kind": "receive", "messages": 100}}
    evidence = run(Bottleneck.CLIENT_CPU, path="/100", client=push)
    assert (evidence.sender, evidence.pacing) == ("server", Pacing.CONTINUOUS)
    assert evidence.server.is_engine
    assert not evidence.client.is_engine
    assert evidence.faults == ""
    assert evidence.blocked_share is not None


def test_a_load_is_reported_by_the_engines_client(run):
    evidence = run(Bottleneck.LOAD_SUSTAINED)
    assert (evidence.sender, evidence.pacing) == ("client", Pacing.OPEN_LOOP)
    assert evidence.client.is_engine
    assert not evidence.server.is_engine
    assert evidence.achieved_share > 0
    assert evidence.client.send_queue_filled_share is not None


def test_a_failure_is_found_on_any_machine(run):
    evidence = run(Bottleneck.BROKEN)
    assert classify(evidence).bottleneck is Bottleneck.BROKEN
    assert evidence.faults == "4 connections were closed early"


def test_a_burnt_core_is_found_on_any_machine(run):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("who shares one core with all others disturbs nobody more")
    assert "others used" in run(Bottleneck.MACHINE).disturbance


def test_a_trial_in_a_network_namespace_is_observed_from_inside(run):
    try:
        evidence = run(Bottleneck.NETWORK)
    except NoNetworkError as error:
        pytest.skip(str(error))
    assert evidence.server.unsent_share > 0
