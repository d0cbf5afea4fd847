"""The plan that is shown before all experiments are run."""

import json
from dataclasses import replace

import pytest
from tests.unit.report.records import RUN, trial

from autostrada.experiment.matrix import Cell
from autostrada.runner.command import run_request
from autostrada.runner.forecast import OVERHEAD_S
from autostrada.runner.run_all import PUSH_S, left, planned_runs, print_planned
from autostrada.store.record import Failure
from autostrada.store.writer import StoreWriter


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


def test_a_run_that_has_not_begun_is_quick_if_the_others_are(catalog, begun):
    assert not begun.is_quick
    _, _, last = planned_runs(begun, catalog)
    assert (last.options.is_quick, last.trials) == (True, 1)


def test_finished_trials_are_not_left(catalog, begun, printed):
    late = Failure(kind="timed out", message="was still running", stderr_tail="")
    with StoreWriter.create_or_open(begun.store) as writer:
        writer.record_trial(1, trial(Cell(workload="push"), 0, late))
    planned = planned_runs(begun, catalog)
    text = printed(print_planned, planned, width=200)
    assert (planned[0].trials, planned[0].expected_s) == (0, 0.0)
    assert text.splitlines()[0] == "a-first   nothing is left to do"


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
