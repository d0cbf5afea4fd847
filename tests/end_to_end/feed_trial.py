"""
Runs one trial of a feed, and prints its outcome as JSON.

The arguments are an experiment's text, and the faults of server and client: ``null``
stands for the engine. It adopts orphans, and therefore is a separate process.
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
from autostrada.machine.orphans import adopt_orphans
from autostrada.runner.context import RunContext
from autostrada.runner.endpoints import BuiltProgram
from autostrada.runner.trial import run_trial

FEED_PROCESS = Path(__file__).with_name("feed_process.py")


def program(role, fault):
    if fault is None:
        return None
    kit = find_catalog().root / "kits" / "python"
    return BuiltProgram(
        arguments=[sys.executable, str(FEED_PROCESS), role],
        folder=FEED_PROCESS.parent,
        environment={
            "FAULT": fault,
            "PACE": "unpaced" if fault == "does not wait" else "paced",
            "PYTHONPATH": f"{kit}:{kit / 'published'}",
        },
    )


def main():
    text, server_fault, client_fault = sys.argv[1], *map(json.loads, sys.argv[2:])
    experiment = parse_experiment(text, origin="feed.toml")
    (workload,) = experiment.workload
    adopt_orphans()
    context = RunContext(experiment=experiment, engine=find_engine(), host=this_host())
    trial = run_trial(
        context,
        Attempt(cell=Cell(workload=workload.name), repetition=0),
        workload,
        context.endpoints(
            server=program("server", server_fault),
            client=program("client", client_fault),
        ),
    )
    samples = [asdict(each) for each in trial.observation.process_samples]
    missing = [asdict(each) for each in trial.observation.missing_metrics]
    outcome = asdict(trial.outcome)
    print(json.dumps({"outcome": outcome, "samples": samples, "missing": missing}))


main()
