"""The figures of the race made by hand, against numbers computed by hand."""

from dataclasses import replace

import pytest

from autostrada.report.circumstance.attempt import Disturbance
from autostrada.report.race.race import read_race
from autostrada.stats.verdict import Limit
from autostrada.store.reader import StoreReader
from autostrada.store.record import Failure, Quiet
from autostrada.store.writer import StoreWriter


@pytest.fixture(scope="module")
def race(reader):
    return read_race(reader)


@pytest.fixture(scope="module")
def figures(race):
    return {
        (ranking.workload.name, standing.contestant): standing.figures
        for ranking in race.rankings
        for standing in (ranking.reference, *ranking.standings)
    }


@pytest.fixture
def one_trial(all_trials):
    """The first repetition of ada-fast."""
    return next(
        each
        for each in all_trials
        if each.cell.contestant == "ada-fast" and not each.is_warm_up
    )


def test_each_workload_ranks_the_fastest_first_and_the_failed_last(race):
    batched, one_by_one = race.rankings
    order = ["ada-fast", "cobol-mid", "bash-slow", "dart-missing"]
    assert [each.contestant for each in batched.standings] == order
    assert [each.contestant for each in one_by_one.standings] == order
    assert (batched.messages, one_by_one.messages) == (1_000_000, 200_000)


def test_medians_are_scaled_to_nanoseconds_a_message(figures):
    assert figures["batched", "ada-fast"].interval.median == 200
    assert figures["batched", "bash-slow"].interval.median == 4000
    assert figures["one-by-one", "cobol-mid"].interval.median == 2010
    assert figures["batched", "ada-fast"].messages_per_s == 5_000_000


def test_the_interval_is_the_range_of_five(figures):
    interval = figures["batched", "ada-fast"].interval
    assert (interval.low, interval.high, interval.confidence) == (196, 204, 0.9375)


def test_a_cell_with_a_failure_has_the_median_of_the_others(race, figures):
    # 392, 404, 400 and 396: the fifth repetition crashed.
    interval = figures["batched", "cobol-mid"].interval
    assert (interval.median, interval.confidence) == (398, 0.875)
    standing = race.rankings[0].standings[1]
    assert [failed.failure.kind for failed in standing.failures] == ["crashed"]
    assert standing.missing == 0


def test_warm_ups_are_not_counted(figures):
    assert len(figures["batched", "ada-fast"].ns_per_message) == 5


def test_ratios_are_those_of_the_medians(figures):
    slow = figures["batched", "bash-slow"]
    assert slow.to_fastest.value == 20
    assert slow.to_reference.value == 200
    assert figures["batched", "ada-fast"].to_fastest.value == 1
    assert figures["one-by-one", "ada-fast"].to_reference.value == 2


def test_the_reference_stands_apart(race, figures):
    reference = figures["batched", "reference"]
    assert race.rankings[0].reference.is_reference
    assert (reference.rank, reference.to_fastest, reference.to_reference) == (None,) * 3


def test_those_that_cannot_be_told_apart_share_a_rank(race):
    assert [
        [standing.figures.rank for standing, _ in ranking.measured]
        for ranking in race.rankings
    ] == [[1, 2, 3], [1, 1, 3]]


def test_the_limit_is_judged_for_each_cell(figures):
    assert figures["batched", "ada-fast"].verdict.limit is Limit.CLIENT_CPU
    assert figures["batched", "reference"].verdict.limit is Limit.ENGINE
    assert figures["one-by-one", "ada-fast"].verdict.limit is Limit.ENGINE
    assert figures["one-by-one", "bash-slow"].verdict.limit is Limit.CLIENT_CPU


def test_cpu_and_memory_are_medians_of_the_client(figures):
    ada = figures["batched", "ada-fast"]
    assert ada.client_cpu_ns_per_message == 200
    assert ada.client_peak_resident_bytes == 12 * 2**20


def test_efficiency_is_the_inverse_of_the_cpu_time(figures):
    assert figures["batched", "ada-fast"].messages_per_cpu_s == 5_000_000


def test_a_client_without_cpu_time_has_no_efficiency(figures):
    ada = figures["batched", "ada-fast"]
    assert replace(ada, client_cpu_ns_per_message=0.0).messages_per_cpu_s is None
    assert replace(ada, client_cpu_ns_per_message=None).messages_per_cpu_s is None


def test_the_variation_is_that_of_the_repetitions(figures):
    # 196, 202, 200, 198 and 204: squares of 16, 4, 0, 4 and 16, by 4, are 10.
    assert figures["batched", "ada-fast"].variation == pytest.approx(10**0.5 / 200)


def test_a_disturbed_trial_is_replaced_by_its_retry(race, figures):
    slow = race.rankings[1].standings[2]
    assert len(slow.figures.ns_per_message) == 5
    [disturbance] = slow.disturbances
    assert disturbance == Disturbance(
        repetition=4, retry=0, words="steal 4% of core 1", is_counted=False
    )


def test_a_failure_that_was_disturbed_and_repeated_is_listed_and_not_counted(
    run, tmp_path, one_trial
):
    crash = Failure(kind="crashed", message="ended by signal 11", stderr_tail="")
    with StoreWriter.create_or_open(tmp_path / "retried.duckdb") as writer:
        run_id = writer.start_run(run)
        disturbed = replace(
            one_trial, outcome=crash, quiet=Quiet(disturbance="steal 4% of core 1")
        )
        writer.record_trial(run_id, disturbed)
        writer.record_trial(run_id, replace(one_trial, retry=1))
    with StoreReader.open(tmp_path / "retried.duckdb") as reader:
        [standing] = [
            each
            for each in read_race(reader).rankings[0].standings
            if each.contestant == one_trial.cell.contestant
        ]
    [failed] = standing.failures
    assert not failed.is_counted
    assert (standing.missing, len(standing.figures.ns_per_message)) == (4, 1)


def test_a_contestant_that_cannot_run_fails_in_every_workload(race):
    for ranking in race.rankings:
        standing = ranking.standings[-1]
        assert standing.figures is None
        assert standing.version.version is None
        assert standing.missing == 0
        [failed] = standing.failures
        assert failed.failure.message == "dart is missing: apt install dart"
        assert failed.repetition is None


def test_what_an_interrupted_run_did_not_measure_is_missing(write_race, tmp_path):
    # Four warm-ups, all of repetition 0, and of repetition 1 only ada-fast in batched.
    path = write_race(tmp_path / "cut.duckdb", attempts=4 + 8 + 1)
    with StoreReader.open(path) as reader:
        race = read_race(reader)
    batched, one_by_one = race.rankings
    missing = {each.contestant: each.missing for each in batched.standings}
    assert missing["ada-fast"] + 1 == missing["bash-slow"] == 4
    assert {each.missing for each in one_by_one.standings} == {4, 0}


def test_a_contestant_that_was_planned_and_never_reached_is_missing(run, tmp_path):
    with StoreWriter.create_or_open(tmp_path / "early.duckdb") as writer:
        writer.start_run(run)
    with StoreReader.open(tmp_path / "early.duckdb") as reader:
        standings = read_race(reader).rankings[0].standings
    assert {each.contestant: each.missing for each in standings} == {
        "ada-fast": 5,
        "bash-slow": 5,
        "cobol-mid": 5,
        "dart-missing": 5,
    }


def test_a_workload_ranks_only_those_whom_it_invites(run, tmp_path):
    definition = run.definition.replace(
        'frames_per_write = "one"', 'frames_per_write = "one"\nclients = ["ada-fast"]'
    )
    with StoreWriter.create_or_open(tmp_path / "few.duckdb") as writer:
        writer.start_run(replace(run, definition=definition))
    with StoreReader.open(tmp_path / "few.duckdb") as reader:
        batched, one_by_one = read_race(reader).rankings
    assert len(batched.standings) == 4
    assert [each.contestant for each in one_by_one.standings] == ["ada-fast"]
