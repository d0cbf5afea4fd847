"""Three small experiments, one of which cannot be run, and a trial in a process."""

import json

import pytest
from tests.unit.definitions import define, definition

from autostrada.contestants.catalog import Catalog
from autostrada.engine.process import find_engine
from autostrada.runner.command import RunOptions


@pytest.fixture
def catalog(tmp_path):
    (tmp_path / "contestants").mkdir()
    (tmp_path / "experiments").mkdir()
    for name, client in (
        ("a-first", "reference"),
        ("b-broken", "nobody"),
        ("c-last", "reference"),
    ):
        path = tmp_path / "experiments" / f"{name}.toml"
        settings = {"repetitions": 3, "limit_s": 60, "clients": [client]}
        quick = "quick = { repetitions = 1 }\n"
        path.write_text(definition(define("push"), more=quick, **settings))
    return Catalog(root=tmp_path)


@pytest.fixture
def options(tmp_path):
    return RunOptions(
        experiment="all",
        resume=False,
        only=(),
        repetitions=None,
        is_quick=False,
        seed=None,
        budget=None,
        cpus=None,
        overrides=(),
        contestants=None,
        store=tmp_path / "results" / "store.duckdb",
        page=None,
    )


TRIAL = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from autostrada.experiment.experiment import parse_experiment
from autostrada.machine.orphans import adopt_orphans
from autostrada.runner.context import RunContext
from autostrada.runner.endpoints import BuiltProgram
from autostrada.runner.isolation import host_of
from autostrada.runner.trial import TrialContext, run_trial
from autostrada.store.record import Attempt, Cell

definition, name, engine, server = sys.argv[1:]
experiment = parse_experiment(definition, origin="trial.toml")
context = RunContext(
    experiment=experiment, engine=Path(engine), host=host_of(experiment)
)
program = BuiltProgram(arguments=[sys.executable, "-c", server], folder=Path("/"))
adopt_orphans()
trial = run_trial(
    context,
    Attempt(cell=Cell(workload=name), repetition=0),
    experiment.points()[name],
    context.endpoints(server=program if server else None),
    TrialContext(retry=1, expected_ns=200_000_000),
)
print(json.dumps(asdict(trial), default=str))
"""


@pytest.fixture
def trial(orchestrate):
    """Return a function that makes a trial in a process; the server may be a script."""

    def run(definition, workload, server="", engine=None):
        arguments = (definition, workload, engine or find_engine(), server)
        return json.loads(orchestrate(TRIAL, *arguments))

    return run
