"""Failed attempts, as rows and as values."""

from autostrada.report.circumstances import (
    disturbance_of,
    failed_attempt,
    failed_where,
)
from autostrada.report.query import run_query


def test_a_failure_names_its_attempt(reader):
    of_trial, of_contestant = map(failed_attempt, run_query(reader, "failures", 1))
    assert of_trial.failure.kind == "crashed"
    assert (of_trial.is_warm_up, of_trial.is_counted) == (False, True)
    assert failed_where(of_trial) == " in repetition 5"
    assert failed_where(of_contestant) == ""


def test_a_disturbed_trial_that_was_repeated_does_not_count(reader):
    [disturbance] = map(disturbance_of, run_query(reader, "disturbances", 1))
    assert (disturbance.repetition, disturbance.is_counted) == (4, False)
    assert disturbance.description == "others used 40% of core 1"
