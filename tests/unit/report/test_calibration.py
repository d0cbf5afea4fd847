"""The calibration that a run refers to, and the sentence about it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.unit.report.records import RUN, version

from autostrada.report.circumstances import (
    calibration_of,
    calibration_sentence,
)
from autostrada.store.record import Calibration


def calibrated(hours=-1, **changes):
    """Return a calibration so many hours after the run, of its engine and host."""
    usual = Calibration(
        started_at=RUN.started_at + timedelta(hours=hours),
        command="autostrada calibrate",
        extent="full",
        autostrada_version="0.1.0",
        engine_version="1.2.3",
        host=RUN.host,
        machine="{}",
        outcome="pass",
    )
    return replace(usual, **changes)


def chosen(*calibrations):
    return calibration_of(RUN, [version("reference")], calibrations)


def test_the_newest_calibration_before_the_run_is_chosen():
    newest = calibrated(0, outcome="fail")
    assert chosen(calibrated(-1), newest, calibrated(1)) == newest


def test_without_an_earlier_one_the_first_after_the_run_is_chosen():
    assert chosen(calibrated(1), calibrated(2)) == calibrated(1)


@pytest.mark.parametrize(
    "changes",
    [{"extent": "some"}, {"engine_version": "1.2.4"}, {"host": '{"cores": 64}'}],
)
def test_a_calibration_of_another_machine_or_engine_or_of_some_cases_is_ignored(
    changes,
):
    assert chosen(calibrated(**changes)) is None


def test_facts_that_change_from_day_to_day_are_ignored():
    host = RUN.host.replace("}", ', "load_before": 3}')
    assert chosen(calibrated(host=host)) is not None


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
def test_the_time_and_the_outcome_are_a_sentence(changes, sentence):
    assert calibration_sentence(calibrated(**changes)) == sentence


def test_without_a_calibration_the_remedy_is_named():
    assert calibration_sentence(None).endswith(
        "not calibrated: run autostrada calibrate."
    )
