"""What is said of trials that the machine disturbed."""

from dataclasses import replace

import pytest

from autostrada.report.race.disturbance import (
    disturbance_caution,
    disturbance_counts,
    disturbance_note,
    disturbance_sentence,
)
from autostrada.report.race.race import Disturbance, read_race


@pytest.fixture(scope="module")
def race(reader):
    return read_race(reader)


def disturbed(standing, *is_counted):
    disturbances = tuple(
        Disturbance(repetition=3, retry=retry, words="steal 4%", is_counted=counted)
        for retry, counted in enumerate(is_counted)
    )
    return replace(standing, disturbances=disturbances)


def test_a_cell_that_nothing_disturbed_has_no_note(race):
    assert disturbance_note(race.rankings[0].standings[0]) == ""


def test_a_disturbed_trial_is_named_with_what_disturbed_it(race):
    slow = race.rankings[1].standings[2]
    assert disturbance_note(slow) == (
        "1 trial was disturbed and repeated: steal 4% of core 1 (repetition 5)."
    )


def test_what_was_disturbed_to_the_last_counts_and_is_said(race):
    standing = disturbed(race.rankings[0].standings[0], False, False, True)
    assert disturbance_note(standing).startswith(
        "2 trials were disturbed and repeated, 1 trial was disturbed and counted all "
        "the same: steal 4% (repetition 4); "
    )


def test_a_workload_counts_them_by_contestant(race):
    batched, one_by_one = race.rankings
    assert disturbance_counts(batched) == ""
    assert disturbance_counts(one_by_one) == (
        "disturbed trials (of them repeated): bash-slow 1 (1)"
    )
    both = replace(batched, standings=(disturbed(batched.standings[0], False, True),))
    assert disturbance_counts(both).endswith("ada-fast 2 (1)")


def test_the_run_counts_all_of_its_trials(race):
    assert disturbance_sentence(race) == (
        "1 trial was disturbed and repeated, of 41 in all."
    )


def test_a_run_warns_of_disturbed_trials_that_count(race):
    assert disturbance_caution(race) == ""
    batched = race.rankings[0]
    noisy = replace(batched, standings=(disturbed(batched.standings[0], False, True),))
    assert disturbance_caution(replace(race, rankings=(noisy,))) == (
        "The machine disturbed 1 repetition, and no retry was quiet: such figures are "
        "of the machine as well."
    )


def test_a_run_that_nothing_disturbed_says_so(race):
    quiet = replace(race, rankings=race.rankings[:1])
    assert disturbance_sentence(quiet) == "In 41 trials no disturbance was seen."
