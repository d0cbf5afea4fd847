"""What is said of trials that the machine disturbed."""

from autostrada.report.circumstances import (
    Disturbance,
    disturbance_caution,
    disturbance_counts,
    disturbance_note,
    disturbance_sentence,
)


def disturbed(*is_counted):
    return [
        Disturbance(repetition=3, retry=retry, words="steal 4%", is_counted=counted)
        for retry, counted in enumerate(is_counted)
    ]


def test_a_cell_that_nothing_disturbed_has_no_note():
    assert disturbance_note(disturbed()) == ""


def test_a_disturbed_trial_is_named_with_what_disturbed_it():
    assert disturbance_note(disturbed(False)) == (
        "1 trial was disturbed and repeated: steal 4% (repetition 4)."
    )


def test_what_was_disturbed_to_the_last_counts_and_is_said():
    assert disturbance_note(disturbed(False, False, True)).startswith(
        "2 trials were disturbed and repeated, 1 trial was disturbed and counted: "
        "steal 4% (repetition 4); "
    )


def test_they_are_counted_by_contestant():
    assert disturbance_counts({"ada-fast": disturbed()}) == ""
    counts = {"ada-fast": disturbed(False, True), "bash-slow": disturbed(False)}
    assert disturbance_counts(counts) == (
        "disturbed trials (of them repeated): ada-fast 2 (1), bash-slow 1 (1)"
    )


def test_a_race_counts_all_of_its_trials(race):
    assert disturbance_sentence(race.disturbances, race.counted_trials) == (
        "1 trial was disturbed and repeated, of 41 in all."
    )


def test_a_run_warns_of_disturbed_trials_that_count():
    assert disturbance_caution(disturbed(False)) == ""
    assert disturbance_caution(disturbed(False, True)) == (
        "Other load disturbed 1 trial even after retries; read their figures with "
        "caution."
    )


def test_a_run_that_nothing_disturbed_says_so():
    assert disturbance_sentence([], 41) == "No disturbance was seen in 41 trials."
