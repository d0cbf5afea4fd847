"""Failed attempts, disturbances, and where the ends of a run were."""

import pytest

from autostrada.report.circumstances import (
    Disturbance,
    FailedAttempt,
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


def test_a_failure_names_its_attempt(reader):
    rows = run_query(reader, "failures", 1)
    of_trial, of_contestant = (as_record(FailedAttempt, row) for row in rows)
    assert of_trial.kind == "crashed"
    assert of_trial.is_counted
    assert failed_where(of_trial) == " in repetition 5"
    assert failed_where(of_contestant) == ""


def test_a_disturbed_trial_that_was_repeated_does_not_count(reader):
    [row] = run_query(reader, "disturbances", 1)
    disturbance = as_record(Disturbance, row)
    assert (disturbance.repetition, disturbance.is_counted) == (4, False)
    assert disturbance.description == "others used 40% of core 1"


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


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (disturbance_note([]), ""),
        (
            disturbance_note(disturbed(False)),
            "1 trial was disturbed and repeated: steal 4% (repetition 4).",
        ),
        (
            disturbance_note(disturbed(False, False, True)),
            "2 trials were disturbed and repeated, 1 trial was disturbed and counted: "
            + "; ".join(["steal 4% (repetition 4)"] * 3)
            + ".",
        ),
        (
            disturbance_sentence(disturbed(False), 41),
            "1 trial was disturbed and repeated, of 41 in all.",
        ),
        (
            disturbance_sentence([], 41),
            "No disturbance was detected in 41 trials.",
        ),
        (
            disturbance_line(disturbed(False, True, True), 40),
            "2 of 40 trials stayed disturbed, 1 was repeated (steal 4%).",
        ),
        (disturbance_line([], 40), "No disturbance was detected in 40 trials."),
        (disturbance_caution(disturbed(False)), ""),
        (
            disturbance_caution(disturbed(False, True)),
            "Other load disturbed 1 trial of echo even after retries; read their "
            "values with caution.",
        ),
        (stolen_line([]), ""),
        (stolen_line([0.0, 0.01]), ""),
        (
            stolen_line([0.0, 0.02, 0.12]),
            "The hypervisor took 2% of a core in the median trial, 12% at most.",
        ),
    ],
)
def test_a_disturbance_is_a_sentence_of_which_nothing_is_said_without_one(
    written, text
):
    assert written == text


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ({}, ""),
        ({"is_shared_core": "false", "is_pinned": "true"}, ""),
        ({"is_shared_core": "true"}, "shared a core"),
        ({"is_shared_core": "true", "client_hosts": "host1"}, ""),
        ({"is_pinned": "false"}, "were not pinned to cores"),
    ],
)
def test_a_machine_that_cannot_separate_the_ends_is_marked(fact, text):
    note = machine_note({"cores": 2, **fact})
    assert text in note
    assert bool(note) == bool(text)


def test_a_page_says_where_the_ends_were():
    assert ends_sentence({"cores": 2}) == "Servers and clients were on one machine."
    found = ends_sentence(
        {"client_hosts": "host1, host2", "client_clock_error_us": "312"}
    )
    assert found.startswith("The clients were on other hosts than the servers: host1,")
    assert found.endswith("exact to 0.31 ms.")
