"""
Runs one trial of a feed, and prints what became of it as JSON.

Its arguments are an experiment's text, and the faults of server and client: ``null``
stands for the engine. It adopts orphans, so it is a process of its own.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from autostrada.contestants.catalog import find_catalog
from autostrada.engine.process import find_engine
from autostrada.experiment.experiment import parse_experiment
from autostrada.experiment.matrix import Attempt, Cell
from autostrada.machine.host import this_host
from autostrada.machine.process import adopt_orphans
from autostrada.runner.context import RunContext
from autostrada.runner.endpoints import Program
from autostrada.runner.trial import run_trial

PLAYER = Path(__file__).with_name("feed_player.py")


def program(role, fault):
    if fault is None:
        return None
    kit = find_catalog().root / "kits" / "python"
    return Program(
        words=[sys.executable, str(PLAYER), role],
        folder=PLAYER.parent,
        environment={"FAULT": fault, "PYTHONPATH": str(kit)},
    )


def main():
    text, server_fault, client_fault = sys.argv[1], *map(json.loads, sys.argv[2:])
    experiment = parse_experiment(text, origin="feed.toml")
    (workload,) = experiment.workload
    adopt_orphans()
    context = RunContext(experiment=experiment, engine=find_engine(), host=this_host())
    trial = run_trial(
        context,
        Attempt(cell=Cell(workload=workload.name), repetition=0, is_warm_up=False),
        workload,
        context.endpoints(
            server=program("server", server_fault),
            client=program("client", client_fault),
        ),
    )
    looks = [asdict(each) for each in trial.observation.process_samples]
    missing = [asdict(each) for each in trial.observation.missing_figures]
    outcome = asdict(trial.outcome)
    print(json.dumps({"outcome": outcome, "looks": looks, "missing": missing}))


main()
