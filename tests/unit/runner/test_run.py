"""A run's plan, and what must be unchanged to resume it."""

import json
from collections import Counter
from dataclasses import asdict, replace

import pytest
from tests.unit.report.records import RUN, trial

from autostrada.contestants.catalog import find_catalog
from autostrada.errors import UsageError
from autostrada.experiment.matrix import REFERENCE
from autostrada.runner.request import Plan, plan_of
from autostrada.runner.run import resumable
from autostrada.store.record import Failure, Resumption
from autostrada.store.writer import StoreWriter

PLAN = Plan(contestants=("ada-fast", "ada-slow"), repetitions=2, seed=7)


@pytest.fixture
def experiment():
    return find_catalog().experiment("race").experiment


def run(**settings):
    usual = {"experiment": "race", "definition": "as it was"}
    usual["plan"] = json.dumps(asdict(PLAN))
    return replace(RUN, **usual | settings)


@pytest.fixture
def store(tmp_path):
    return tmp_path / "results.duckdb"


def test_the_reference_client_takes_part_in_all_workloads_that_list_it(experiment):
    planned = PLAN.attempts(experiment)
    names = {"ada-fast", "ada-slow", REFERENCE}
    counted = Counter((each.cell.workload, each.cell.client) for each in planned)
    points = experiment.points()
    assert all(
        number == min(2, points[name].repetitions_max or 2)
        for (name, _), number in counted.items()
    )
    assert {client for _, client in counted} == names
    assert {name for name, client in counted if client == REFERENCE} == {
        workload.name
        for workload in experiment.workload
        if workload.servers is None
        and REFERENCE in (workload.clients or experiment.clients)
    }


def test_the_repetitions_of_an_archive_come_before_those_of_the_plan(experiment):
    after = replace(PLAN, first_repetition=3).attempts(experiment)
    assert [replace(each, repetition=each.repetition - 3) for each in after] == (
        PLAN.attempts(experiment)
    )


def test_a_share_of_a_rate_is_offered_after_that_rate_was_measured():
    servers = find_catalog().experiment("servers").experiment
    points = servers.points()
    every = replace(PLAN, contestants=servers.contestants)
    measured = set()
    for each in every.attempts(servers):
        if source := points[each.cell.workload].rate_source:
            assert (each.cell.server, source, each.repetition) in measured
        measured.add((each.cell.server, each.cell.workload, each.repetition))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"budget_s": 900.0, "rule": "looks", "cpus": (0, 2)},
        {"overrides": ("batched.messages=5",)},
    ],
)
def test_a_plan_is_restored_from_the_store(store, experiment, settings):
    plan = replace(PLAN, **settings)
    with StoreWriter.create_or_open(store) as writer:
        writer.start_run(run(plan=json.dumps(asdict(plan))))
    again = plan_of(resumable("race", "as it was", store).stored.run)
    assert again == plan
    assert again.attempts(experiment) == plan.attempts(experiment)


def test_finished_trials_are_known(store, experiment):
    first = PLAN.attempts(experiment)[0]
    crash = Failure(kind="crashed", message="exited with 3", stderr_tail="")
    with StoreWriter.create_or_open(store) as writer:
        run_id = writer.start_run(run())
        writer.record_trial(run_id, trial(first.cell, first.repetition, crash))
    found = resumable("race", "as it was", store)
    assert isinstance(found, Resumption)
    assert found.attempts == {first}


def test_a_changed_experiment_is_not_resumed(store):
    with StoreWriter.create_or_open(store) as writer:
        writer.start_run(run())
    with pytest.raises(UsageError, match="race has changed since run 1 began"):
        resumable("race", "as it is", store)


def test_resuming_without_a_run_is_an_error(store):
    with pytest.raises(UsageError, match="does not exist"):
        resumable("race", "as it was", store)
    with StoreWriter.create_or_open(store) as writer:
        writer.start_run(run(experiment="other"))
    with pytest.raises(UsageError, match="holds no run of race"):
        resumable("race", "as it was", store)
