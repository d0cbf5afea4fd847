"""Failed attempts, disturbances, the calibration and the places of a run's ends."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.unit.report.records import RUN

from autostrada.report.circumstances import (
    Disturbance,
    FailedAttempt,
    calibration_of,
    calibration_sentence,
    disturbance_caution,
    disturbance_line,
    disturbance_note,
    disturbance_sentence,
    ends_sentence,
    failed_where,
    machine_note,
    stolen_line,
)
from autostrada.report.query import run_query
from autostrada.store.reader import as_record
from autostrada.store.record import Calibration


def test_a_failure_names_its_attempt(reader):
    rows = run_query(reader, "failures", 1)
    of_trial, of_contestant = (as_record(FailedAttempt, row) for row in rows)
    assert of_trial.kind == "crashed"
    assert of_trial.is_counted
    assert failed_where(of_trial) == " in repetition 5"
    assert failed_where(of_contestant) == ""


def disturbed(*is_counted):
    return [
        Disturbance(
            workload="echo",
            repetition=3,
            description="steal 4%",
            is_counted=counted,
        )
        for counted in is_counted
    ]


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


HOSTS = {"client_hosts": "host1, host2", "client_clock_error_us": "312"}


def test_each_circumstance_is_a_sentence(snapshot):
    sentences = [
        disturbance_note(disturbed(False)),
        disturbance_note(disturbed(False, False, True)),
        disturbance_sentence(disturbed(False), 41),
        disturbance_sentence([], 41),
        disturbance_line(disturbed(False, True, True), 40),
        disturbance_line([], 40),
        disturbance_caution(disturbed(False, True)),
        stolen_line([0.0, 0.02, 0.12]),
        machine_note({"cores": 2, "is_shared_core": "true"}),
        machine_note({"cores": 2, "is_pinned": "false"}),
        ends_sentence({"cores": 2}),
        ends_sentence(HOSTS),
        calibration_sentence(calibrated()),
        calibration_sentence(calibrated(extent="quick", outcome="disturbed")),
        calibration_sentence(calibrated(outcome="fail")),
        calibration_sentence(None),
    ]
    snapshot("circumstances.txt", "\n".join(sentences) + "\n")


def test_what_is_usual_is_not_mentioned():
    assert disturbance_note([]) == disturbance_caution(disturbed(False)) == ""
    assert stolen_line([]) == stolen_line([0.0, 0.01]) == ""
    for facts in (
        {},
        {"is_shared_core": "false", "is_pinned": "true"},
        {"is_shared_core": "true", "client_hosts": "host1"},
    ):
        assert machine_note({"cores": 2, **facts}) == ""


def chosen(*calibrations):
    host = RUN.host.replace("}", ', "engine_version": "1.2.3"}')
    return calibration_of(replace(RUN, host=host), calibrations)


def test_the_calibration_of_a_run_is_the_newest_before_it_or_the_first_after_it():
    newest = calibrated(0, outcome="fail")
    assert chosen(calibrated(-1), newest, calibrated(1)) == newest
    assert chosen(calibrated(1), calibrated(2)) == calibrated(1)


@pytest.mark.parametrize(
    ("changes", "is_chosen"),
    [
        ({"extent": "some"}, False),
        ({"engine_version": "1.2.4"}, False),
        ({"host": '{"cores": 64}'}, False),
        # Other load changes from day to day.
        ({"host": RUN.host.replace("}", ', "load_before": 3}')}, True),
    ],
)
def test_a_calibration_is_of_the_same_machine_and_engine_and_of_all_cases(
    changes, is_chosen
):
    assert (chosen(calibrated(**changes)) is not None) is is_chosen
