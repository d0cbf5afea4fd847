"""The calibration that a run refers to, and the sentence about it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from autostrada.report.circumstances import (
    calibration_of,
    calibration_sentence,
)
from autostrada.store.record import Calibration, ContestantVersion


@pytest.fixture
def calibration(run):
    return Calibration(
        started_at=run.started_at - timedelta(hours=1),
        command="autostrada calibrate",
        extent="full",
        autostrada_version="0.1.0",
        engine_version="1.2.3",
        host=run.host,
        machine="{}",
        outcome="pass",
    )


def of(run, *calibrations):
    engine = ContestantVersion(
        contestant="reference",
        library="autostrada-engine load",
        language="rust",
        homepage="",
        version="1.2.3",
        toolchain="",
        digest="",
    )
    return calibration_of(run, [engine], calibrations)


def test_the_newest_calibration_before_the_run_is_chosen(run, calibration):
    newer = replace(calibration, started_at=run.started_at, outcome="fail")
    later = replace(calibration, started_at=run.started_at + timedelta(hours=1))
    assert of(run, calibration, newer, later) == newer


def test_without_an_earlier_one_the_first_after_the_run_is_chosen(run, calibration):
    later = replace(calibration, started_at=run.started_at + timedelta(hours=1))
    latest = replace(calibration, started_at=run.started_at + timedelta(hours=2))
    assert of(run, later, latest) == later


@pytest.mark.parametrize(
    "changes",
    [{"extent": "some"}, {"engine_version": "1.2.4"}, {"host": '{"cores": 64}'}],
)
def test_a_calibration_of_another_machine_or_engine_or_of_some_cases_is_ignored(
    run, calibration, changes
):
    assert of(run, replace(calibration, **changes)) is None


def test_facts_that_change_from_day_to_day_are_ignored(run, calibration):
    host = run.host.replace("}", ', "load_before": 3}')
    assert of(run, replace(calibration, host=host)) is not None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            "The instrument was calibrated on 2026-11-20 20:00 UTC: it reported every "
            "injected fault.",
        ),
        (
            {"extent": "quick", "outcome": "disturbed"},
            "The instrument was calibrated quickly on 2026-11-20 20:00 UTC: other "
            "load on the machine left some fault cases unjudged.",
        ),
        (
            {"outcome": "fail"},
            "The instrument was calibrated on 2026-11-20 20:00 UTC: it did not "
            "report every injected fault: the readings are in the store.",
        ),
    ],
)
def test_the_time_and_the_outcome_are_a_sentence(calibration, changes, sentence):
    assert calibration_sentence(replace(calibration, **changes)) == sentence


def test_without_a_calibration_the_remedy_is_named():
    assert calibration_sentence(None).endswith(
        "not calibrated: run autostrada calibrate."
    )
