"""All experiments: the plan that is shown, and a process that runs them."""

import json
import signal
import subprocess
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.report.records import RUN

from autostrada.errors import UsageError
from autostrada.runner.command import run_request
from autostrada.runner.forecast import OVERHEAD_S
from autostrada.runner.run_all import PUSH_S, left, planned_runs, print_planned, run_all
from autostrada.store.reader import StoreReader
from autostrada.store.writer import StoreWriter

SCRIPT = """
import json, os, sys
from pathlib import Path
from rich.console import Console
from autostrada.contestants.catalog import Catalog
from autostrada.runner.command import RunOptions
from autostrada.runner.run_all import run_all
from autostrada.errors import UsageError

root, is_resumed, number, unshown = sys.argv[1], *map(json.loads, sys.argv[2:])
options = RunOptions(
    experiment="all", resume=is_resumed, only=(), repetitions=None,
    is_quick=not is_resumed, seed=None, budget=None, cpus=None, overrides=(),
    contestants=None, page=None, store=Path(root) / "results" / "store.duckdb",
)
shown = []

def report(page, run_id, log):
    shown.append([run_id, page.name])
    if number:
        os.kill(os.getpid(), number)
    if page.stem == unshown:
        raise UsageError("cannot be shown")

sys.stderr = sys.stdout
console = Console(width=200)
failed = run_all(options, Catalog(root=Path(root)), report, console, repr, repr)
print(json.dumps([failed, shown]))
"""


@pytest.fixture
def run(catalog, orchestrate):
    """Return a function: all experiments are run; a signal may interrupt them."""

    def run(*, is_resumed=False, number=0, unshown=""):
        arguments = map(json.dumps, (is_resumed, number, unshown))
        return orchestrate(SCRIPT, catalog.root, *arguments)

    return run


def test_a_failure_does_not_end_the_others(catalog, run):
    text = run(unshown="a-first")
    failed, shown = json.loads(text.splitlines()[-1])
    assert failed == ["a-first", "b-broken"]
    assert shown == [[1, "a-first.html"], [2, "c-last.html"]]
    assert "a-first failed: cannot be shown" in text
    assert "c-last, 3 of 3, about 2 s left of all" in text
    with StoreReader.open(catalog.root / "results" / "store.duckdb") as reader:
        runs = [stored.run.experiment for stored in reader.runs()]
        trials = reader.query("SELECT count(*) AS trials FROM counted_trial")
    assert runs == ["a-first", "c-last"]
    assert trials == [{"trials": 2}]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_one_is_resumed_with_its_settings(catalog, run, number):
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run(number=number)
    assert caught.value.returncode == -number
    printed = run(is_resumed=True)
    assert "a-first   nothing is left to do\n" in printed
    assert "0 trials; 1 were made earlier\n" in printed
    assert "c-last    1 trial, about 2 s\n" in printed
    assert printed.splitlines()[-1].startswith('[["b-broken"], ')
    with StoreReader.open(catalog.root / "results" / "store.duckdb") as reader:
        plans = [json.loads(stored.run.plan) for stored in reader.runs()]
    assert [plan["is_quick"] for plan in plans] == [True, True]


@pytest.mark.parametrize("setting", ["only", "overrides", "page", "place", "add_to"])
def test_settings_of_a_single_experiment_are_refused(catalog, options, setting):
    value = options.store.with_suffix(".html") if setting == "page" else ("x",)
    with pytest.raises(UsageError, match="name it instead of all"):
        run_all(
            replace(options, **{setting: value}),
            catalog,
            print,
            Console(),
            print,
            print,
        )
    assert not options.store.exists()


@pytest.fixture
def begun(catalog, options):
    """Return the options to resume, with a store in which one experiment has begun."""
    options.store.parent.mkdir()
    found = catalog.experiment(str(catalog.experiments()["a-first"]))
    with StoreWriter.create_or_open(options.store) as writer:
        plan = {"contestants": [], "repetitions": 1, "seed": 7}
        run = replace(RUN, experiment="a-first", definition=found.definition)
        writer.start_run(replace(run, plan=json.dumps(plan | {"is_quick": True})))
    return replace(options, resume=True)


def test_every_experiment_is_a_run_with_trials_time_page_or_a_reason(catalog, options):
    first, broken, last = planned = planned_runs(options, catalog)
    assert [(each.name, each.trials, each.expected_s) for each in planned] == [
        ("a-first", 3, 3 * (PUSH_S + OVERHEAD_S)),
        ("b-broken", 0, 0.0),
        ("c-last", 3, 3 * (PUSH_S + OVERHEAD_S)),
    ]
    assert first.options.page == options.store.parent / "a-first.html"
    assert last.options.page == options.store.parent / "c-last.html"
    assert first.refusal == last.refusal == ""
    assert broken.refusal.startswith("unknown contestant 'nobody'")


def test_quick_runs_have_fewer_trials(catalog, options):
    planned = planned_runs(replace(options, is_quick=True), catalog)
    assert [each.trials for each in planned] == [1, 0, 1]


def test_a_run_that_has_begun_is_resumed_and_others_begin(catalog, begun):
    first, _, last = planned_runs(replace(begun, repetitions=5), catalog)
    assert (first.options.resume, first.options.repetitions, first.trials) == (
        True,
        None,
        1,
    )
    assert (last.options.resume, last.options.repetitions, last.trials) == (False, 5, 5)


def test_a_contestant_that_could_not_be_built_has_no_trials_left(catalog, begun):
    first = replace(begun, experiment=str(catalog.experiments()["a-first"]))
    request, resumed = run_request(first, catalog, {})
    assert len(left(request, None)) == len(left(request, resumed)) == 1
    assert left(request, replace(resumed, failed=frozenset({"reference"}))) == []


def test_the_plan_is_printed_with_a_total(catalog, options, printed):
    planned = planned_runs(options, catalog)
    lines = printed(print_planned, planned, width=200).splitlines()
    assert lines[0] == "a-first   3 trials, about 6 s"
    assert lines[1].startswith("b-broken  cannot be run: unknown contestant 'nobody'")
    assert lines[3] == "all together about 12 s, builds not counted"
