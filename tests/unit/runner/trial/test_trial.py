"""A trial as a whole: what becomes of it when one of its processes is missing."""

from autostrada.runner.engine import find_engine

TRIAL = """
import sys
from pathlib import Path
from autostrada.machine.host import this_host
from autostrada.machine.process import adopt_orphans
from autostrada.contestants.catalog import find_catalog
from autostrada.experiment.matrix import Attempt, Cell
from autostrada.runner.trial.cast import Cast, Course
from autostrada.runner.trial.trial import TrialContext, run_trial
adopt_orphans()
experiment = find_catalog().experiment("race").experiment
workload = experiment.workload[0].model_copy(update={"messages": 10_000})
cell = Cell(client="reference", workload=workload.name)
trial = run_trial(
    Course(experiment=experiment, engine=Path(sys.argv[1]), host=this_host()),
    Attempt(cell=cell, repetition=0, is_warm_up=False),
    workload,
    Cast(),
    TrialContext(retry=1),
)
print(trial.outcome.messages, trial.retry)
for missing in trial.observation.missing_figures:
    print(missing.figure, missing.reason)
"""


def test_a_trial_does_not_need_its_observer(tmp_path, orchestrate):
    blind = tmp_path / "engine"
    blind.write_text(
        f"#!/bin/sh\n[ $1 = observe ] && {{ echo is blind >&2; exit 3; }}\n"
        f'exec {find_engine()} "$@"\n'
    )
    blind.chmod(0o755)
    printed = orchestrate(TRIAL, blind).splitlines()
    assert printed == [
        "10000 1",
        "observation the observer ended by itself: is blind",
    ]
