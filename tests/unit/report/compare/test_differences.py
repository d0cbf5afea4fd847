"""Warnings about two sides that differ in more than their values."""

from dataclasses import replace

import pytest

from autostrada.report.compare.differences import differences
from autostrada.store.record import EndEvidence


def lines(archive):
    return list(differences(archive.compare()))


def test_two_similar_runs_have_no_warnings(begun, few):
    begun.add(few)
    assert lines(begun) == []


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"autostrada_version": "0.2.0"}, "Autostrada: 0.1.0 in A, 0.2.0 in B"),
        (
            {"host": '{"cpu_model": "Abacus 10", "cores": 2, "load_before": 3}'},
            "machine: cpu_model: Abacus 9 in A, Abacus 10 in B",
        ),
        (
            {"host": '{"cpu_model": "Abacus 9", "load_before": 0.1}'},
            "machine: cores: 2 in A, not known in B",
        ),
        (
            {"plan": '{"contestants": ["x"], "repetitions": 3, "warm_ups": 0}'},
            "run: repetitions: 5 in A, 3 in B",
        ),
    ],
)
def test_a_difference_between_the_runs_is_one_line(begun, few, run, changes, line):
    begun.add(few, run=replace(run, **changes))
    assert lines(begun) == [line]


def test_a_difference_in_the_definition_is_named_by_its_key(begun, few, run):
    definition = run.definition.replace("limit_s = 60", "limit_s = 30").replace(
        "messages = 200000", "messages = 100000"
    )
    begun.add(few, run=replace(run, definition=f"# Another.\n{definition}"))
    assert lines(begun) == [
        "experiment: limit_s: 60.0 in A, 30.0 in B",
        "workload alone: messages: 200000 in A, 100000 in B",
    ]


@pytest.mark.parametrize(
    ("contestant", "changes", "line"),
    [
        ("ada-fast", {"version": "2.0"}, "ada-fast: 1.2.3 in A, 2.0 in B"),
        ("ada-fast", {"version": None}, "ada-fast: 1.2.3 in A, not known in B"),
        ("bash-slow", {"toolchain": "8"}, "bash-slow: toolchain: any 9 in A, 8 in B"),
        (
            "bash-slow",
            {"digest": "1"},
            "bash-slow: its files differ between A and B",
        ),
        ("reference", {"version": "0.2.0"}, "engine: 1.2.3 in A, 0.2.0 in B"),
    ],
)
def test_another_version_is_one_line(begun, few, version, contestant, changes, line):
    begun.add(few, versions={contestant: version(contestant, **changes)})
    assert lines(begun) == [line]


def test_another_number_of_messages_is_one_line_per_workload(begun, measurement):
    fewer = [measurement(200, messages=250)] * 5
    begun.add({("batched", "ada-fast"): fewer, ("batched", "reference"): fewer})
    assert "messages of batched: 1,000,000 in A, 250 in B" in lines(begun)


def test_a_changed_reference_suggests_the_engine_or_the_machine(begun, few):
    begun.add(few | {("batched", "reference"): 30})
    [line] = lines(begun)
    assert line.startswith(
        "the reference, the engine itself, is slower in batched (1.50×): "
    )


def test_a_ratio_is_that_of_the_server_if_it_was_the_bottleneck(begun, measurement):
    busy_end = EndEvidence(
        process="server", is_engine=True, cpu_cores=0.97, utilization=0.97
    )
    usual = measurement(5000)
    busy = [replace(usual, ends=(usual.ends[0], busy_end))] * 5
    begun.add({("alone", "bash-slow"): busy})
    [line] = lines(begun)
    assert line.startswith("alone: the load generator was the bottleneck in 1 of 1 ")


def test_disturbed_trials_are_counted(begun, few):
    begun.add(few, disturbance="others used 40% of core 1")
    assert lines(begun) == ["B: the machine was disturbed in 10 of 10 counted trials"]


def test_failed_repetitions_of_a_compared_cell_are_named(begun, measurement, crash):
    partly = [measurement(200), crash, measurement(201), crash, measurement(202)]
    begun.add({("batched", "ada-fast"): partly})
    assert lines(begun) == ["B: 2 trials of ada-fast in batched failed: crashed"]


def test_samples_with_a_large_variation_are_named(begun, measurement):
    noisy = [measurement(ns) for ns in (100, 150, 200, 250, 300)]
    begun.add({("batched", "ada-fast"): noisy})
    assert lines(begun) == [
        "B: ada-fast in batched has a coefficient of variation of 40%"
    ]


def test_two_contestants_of_a_run_differ_by_nature(changed_store):
    comparison = changed_store.compare("ada-fast", "bash-slow", 1)
    assert list(differences(comparison)) == []
