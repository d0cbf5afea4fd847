"""Notes about trials that the machine disturbed."""

from autostrada.report.circumstances import (
    Disturbance,
    disturbance_caution,
    disturbance_line,
    disturbance_note,
    disturbance_sentence,
    stolen_line,
)


def disturbed(*is_counted):
    return [
        Disturbance(
            repetition=3, retry=retry, description="steal 4%", is_counted=counted
        )
        for retry, counted in enumerate(is_counted)
    ]


def test_an_undisturbed_cell_has_no_note():
    assert disturbance_note(disturbed()) == ""


def test_a_disturbed_trial_is_named_with_the_disturbance():
    assert disturbance_note(disturbed(False)) == (
        "1 trial was disturbed and repeated: steal 4% (repetition 4)."
    )


def test_a_trial_disturbed_in_all_retries_counts_and_is_noted():
    assert disturbance_note(disturbed(False, False, True)).startswith(
        "2 trials were disturbed and repeated, 1 trial was disturbed and counted: "
        "steal 4% (repetition 4); "
    )


def test_a_race_counts_all_of_its_trials(race):
    assert disturbance_sentence(race.disturbances, race.trials_without_warm_ups) == (
        "1 trial was disturbed and repeated, of 41 in all."
    )


def test_one_line_says_what_disturbed_a_run():
    assert disturbance_line(disturbed(False, True, True), 40) == (
        "2 of 40 trials stayed disturbed, 1 was repeated (steal 4%)."
    )
    assert disturbance_line([], 40) == "No disturbance was detected in 40 trials."


def test_a_run_warns_about_disturbed_trials_that_count():
    assert disturbance_caution(disturbed(False)) == ""
    assert disturbance_caution(disturbed(False, True)) == (
        "Other load disturbed 1 trial even after retries; read their values with "
        "caution."
    )


def test_an_undisturbed_run_has_a_note():
    assert disturbance_sentence([], 41) == "No disturbance was detected in 41 trials."


def test_stolen_time_is_mentioned_if_it_was_much():
    assert stolen_line([]) == stolen_line([0.0, 0.01]) == ""
    assert stolen_line([0.0, 0.02, 0.12]) == (
        "The hypervisor took 2% of a core in the median trial, 12% at most."
    )
