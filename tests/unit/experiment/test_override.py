"""Overridden parameters of a run: where they apply, and which are refused."""

import pytest
from tests.unit.definitions import define, make_experiment

from autostrada.errors import UsageError
from autostrada.experiment.difference import changed_points
from autostrada.experiment.override import experiment_for_run, limited, overridden

SWEEP = {"connections": [100, 1000], "processes": [1, 2]}
SOAK_SWEEP = {"connections": [10, 20]}
FEWER = {"sweep": {"connections": [100], "processes": [2]}}
EXPERIMENT = make_experiment(
    define("feed", "steady", seconds=10, every_ms=2000, sweep=SWEEP, quick=FEWER),
    define("feed", "soak", seconds=600, quick={"seconds": 2}, sweep=SOAK_SWEEP),
)


def workload(*texts, experiment=EXPERIMENT):
    changed = overridden(experiment, texts)
    return {each.name: each for each in changed.workload}


def test_a_parameter_of_a_workload_is_overridden():
    assert workload("soak.seconds=7200")["soak"].seconds == 7200
    assert workload("soak.seconds=7200")["steady"].seconds == 10


def test_the_values_of_a_sweep_are_overridden():
    points = workload("soak.sweep.connections=[5]")["soak"].points()
    assert [point.name for point in points] == ["soak connections=5"]


def test_a_key_of_a_table_leaves_the_others():
    points = workload("steady.sweep.connections=[5]")["steady"].points()
    assert [point.name for point in points] == [
        "steady connections=5 processes=1",
        "steady connections=5 processes=2",
    ]


def test_texts_and_booleans_are_overridden():
    assert workload('soak.encoding="binary"')["soak"].encoding == "binary"
    assert workload("soak.tls=true")["soak"].tls


def test_an_override_applies_to_quick_runs():
    quick = EXPERIMENT.quick_version()
    assert workload(experiment=quick)["soak"].seconds == 2
    assert workload("soak.seconds=5", experiment=quick)["soak"].seconds == 5


@pytest.mark.parametrize(
    "text", ["", "soak", "soak=1", "soak.seconds", "=1", ".x=1", "soak.=1", "a..b=1"]
)
def test_an_override_without_a_parameter_is_refused(text):
    with pytest.raises(UsageError, match="write it like soak"):
        workload(text)


@pytest.mark.parametrize("value", ["", "binary", "1 2", "[1"])
def test_an_invalid_value_is_refused(value):
    with pytest.raises(UsageError, match="is not a TOML value"):
        workload(f"soak.encoding={value}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sock.seconds=1", "no workload 'sock'; choose from steady, soak"),
        ("soak.second=1", "unknown key 'second'"),
        ("soak.seconds=0", ": seconds: input should be greater than 0"),
        ("soak.seconds.x=1", ": seconds: input should be a valid number"),
        ("soak.sweep.connections=0", ": sweep.connections: input should be a valid"),
        ("soak.kind=1", "kind: '1' is not one of"),
    ],
)
def test_an_unsuitable_value_is_refused_in_one_line(text, reason):
    with pytest.raises(UsageError) as caught:
        workload(text)
    message = str(caught.value)
    assert message.startswith(f"--set {text!r}: ")
    assert reason in message
    assert "\n" not in message


def test_a_contradiction_to_the_contestants_is_refused():
    others = EXPERIMENT.model_copy(update={"clients": ("somebody",)})
    with pytest.raises(UsageError, match="--set: workload 'soak' uses TLS"):
        workload("soak.tls=true", experiment=others)


def test_some_workloads_can_be_run_alone():
    names = [each.name for each in limited(EXPERIMENT, ["soak"]).workload]
    assert names == ["soak"]
    assert limited(EXPERIMENT, []) == EXPERIMENT
    both = experiment_for_run(EXPERIMENT, is_quick=True, workloads=["soak", "steady"])
    assert both == experiment_for_run(EXPERIMENT, is_quick=True)


def test_an_unknown_workload_is_answered_with_the_known_ones():
    with pytest.raises(UsageError) as caught:
        limited(EXPERIMENT, ["soap"])
    text = "--workload 'soap': no such workload; choose from steady, soak"
    assert str(caught.value) == text


SOAKS = {"soak connections=10", "soak connections=20"}


@pytest.mark.parametrize(
    ("is_quick", "overrides", "changed"),
    [
        (False, [], set()),
        # A quick run has other seconds of one, and fewer points of the other.
        (True, [], SOAKS),
        (False, ["soak.seconds=60"], SOAKS),
        (False, ["soak.seconds=600"], set()),
        (False, ["soak.sweep.connections=[20]"], set()),
        (False, ["soak.sweep.connections=[5, 20]"], {"soak connections=5"}),
    ],
)
def test_points_with_other_parameters_are_known(is_quick, overrides, changed):
    run = experiment_for_run(EXPERIMENT, is_quick=is_quick, overrides=overrides)
    assert changed_points(run, EXPERIMENT) == changed
