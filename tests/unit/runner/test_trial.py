"""Whole trials: every kind of workload, and a trial without an observer."""

import json

import pytest

from autostrada.engine.process import find_engine

SCRIPT = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from autostrada.experiment.experiment import parse_experiment
from autostrada.machine.host import this_host
from autostrada.machine.orphans import adopt_orphans
from autostrada.runner.context import RunContext
from autostrada.runner.trial import TrialContext, run_trial
from autostrada.store.record import Attempt, Cell

experiment = parse_experiment(sys.argv[1], origin="trial.toml")
workload = experiment.points()[sys.argv[2]]
context = RunContext(
    experiment=experiment, engine=Path(sys.argv[3]), host=this_host()
)
adopt_orphans()
trial = run_trial(
    context,
    Attempt(cell=Cell(workload=workload.name), repetition=0),
    workload,
    context.endpoints(),
    TrialContext(retry=1, expected_ns=200_000_000),
)
made = trial.outcome
print(json.dumps({
    "messages": made.messages,
    "sender": made.sender,
    "retry": trial.retry,
    "ends": {each.process: each.utilization for each in made.ends},
    "metrics": {each.metric: each.value for each in made.metrics},
    "missing": [
        f"{each.metric}: {each.reason}" for each in trial.observation.missing_metrics
    ],
}))
"""
EXPERIMENT = """
title = "Trials"
question = "Do all kinds run?"
repetitions = 1
limit_s = 20

[[workload]]
name = "push"
kind = "push"
messages = 10_000
payload_text = "hello"
frames_per_write = "many"

[[workload]]
name = "echo"
kind = "echo"
connections = 5
every_ms = 100
warm_up_s = 0
window_s = 1
"""


@pytest.fixture
def measured(orchestrate):
    """
    Return a function that runs a trial of a workload with the engine at both ends.
    """

    def measure(workload, engine=None):
        engine = engine or find_engine()
        return json.loads(orchestrate(SCRIPT, EXPERIMENT, workload, engine))

    return measure


def test_due_messages_are_sent_and_answered(measured):
    made = measured("echo")
    metrics = made["metrics"]
    assert (made["messages"], made["sender"]) == (50, "client")
    assert metrics["offered_per_s"] == 50
    assert metrics["client_memory_bytes_per_connection"] >= 0
    assert metrics["cpu_idle_share"] == 1 - made["ends"]["server"]


def test_a_trial_does_not_need_its_observer(tmp_path, measured):
    engine = tmp_path / "engine"
    engine.write_text(
        f"#!/bin/sh\n[ $1 = observe ] && {{ echo is blind >&2; exit 3; }}\n"
        f'exec {find_engine()} "$@"\n'
    )
    engine.chmod(0o755)
    made = measured("push", engine)
    assert (made["messages"], made["retry"]) == (10_000, 1)
    assert made["missing"] == ["observation: the observer failed: is blind"]
