"""Parameters that are others in one run: where they go, and what is refused."""

import pytest

from autostrada.errors import UsageError
from autostrada.experiment.experiment import parse_experiment
from autostrada.experiment.override import as_run, limited, overridden, parse_override

EXPERIMENT = parse_experiment(
    """
    title = "Hold"
    question = "How many?"
    repetitions = 1
    warm_ups = 0
    limit_s = 60

    [[workload]]
    name = "steady"
    kind = "feed"
    feed = "clock"
    seconds = 10
    every_ms = 2000
    search = { parameter = "connections", first = 100, last = 1000 }

    [[workload]]
    name = "soak"
    kind = "feed"
    feed = "clock"
    seconds = 600
    quick = { seconds = 2 }
    sweep = { connections = [10, 20] }
    """,
    origin="hold.toml",
)


def workload(*texts, experiment=EXPERIMENT):
    changed = overridden(experiment, [parse_override(text) for text in texts])
    return {each.name: each for each in changed.workload}


def test_a_parameter_of_a_workload():
    assert workload("soak.seconds=7200")["soak"].seconds == 7200
    assert workload("soak.seconds=7200")["steady"].seconds == 10


def test_a_parameter_of_a_search_leaves_the_others():
    search = workload("steady.search.last=500", "steady.search.factor=3.0")["steady"]
    assert (search.search.first, search.search.last) == (100, 500)
    assert search.search.factor == 3.0


def test_values_of_a_sweep():
    points = workload("soak.sweep.connections=[5]")["soak"].points()
    assert [point.name for point in points] == ["soak connections=5"]


def test_texts_and_truths():
    assert workload('soak.encoding="binary"')["soak"].encoding == "binary"
    assert workload("soak.tls=true")["soak"].tls


def test_it_holds_for_a_quick_run_as_well():
    quick = EXPERIMENT.quickly()
    assert workload(experiment=quick)["soak"].seconds == 2
    assert workload("soak.seconds=5", experiment=quick)["soak"].seconds == 5


def test_nothing_is_an_experiment_unchanged():
    assert overridden(EXPERIMENT, []) == EXPERIMENT


@pytest.mark.parametrize(
    "text", ["", "soak", "soak=1", "soak.seconds", "=1", ".x=1", "soak.=1", "a..b=1"]
)
def test_what_names_no_parameter_is_refused(text):
    with pytest.raises(UsageError, match="write one like soak"):
        parse_override(text)


@pytest.mark.parametrize("value", ["", "binary", "1 2", "[1"])
def test_what_is_no_value_is_refused(value):
    with pytest.raises(UsageError, match="is no value of TOML"):
        parse_override(f"soak.encoding={value}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sock.seconds=1", "no workload 'sock'; there is steady, soak"),
        ("soak.second=1", "unknown key 'second'"),
        ("soak.seconds=0", ": seconds: input should be greater than 0"),
        ("soak.seconds.x=1", ": seconds: input should be a valid number"),
        ("steady.search.last=0", ": search.last: input should be greater than 0"),
        ("soak.kind=1", "kind: '1' is none of"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(text, reason):
    with pytest.raises(UsageError) as caught:
        workload(text)
    message = str(caught.value)
    assert message.startswith(f"--set {text!r}: ")
    assert reason in message
    assert "\n" not in message


def test_what_contradicts_who_plays_is_refused():
    others = EXPERIMENT.model_copy(update={"clients": ("somebody",)})
    with pytest.raises(UsageError, match="--set: workload 'soak' is over TLS"):
        workload("soak.tls=true", experiment=others)


def test_some_workloads_are_run_alone():
    names = [each.name for each in limited(EXPERIMENT, ["soak"]).workload]
    assert names == ["soak"]
    assert limited(EXPERIMENT, []) == EXPERIMENT
    both = as_run(EXPERIMENT, is_quick=True, workloads=["soak", "steady"])
    assert both == as_run(EXPERIMENT, is_quick=True)


def test_a_workload_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(UsageError) as caught:
        limited(EXPERIMENT, ["soap"])
    words = "--workload 'soap': there is no such workload; there is steady, soak"
    assert str(caught.value) == words


def test_a_workload_that_follows_a_search_is_not_run_without_it():
    following = overridden(EXPERIMENT, [parse_override("soak.sweep={}")])
    following = overridden(following, [parse_override('soak.connections_of="steady"')])
    assert limited(following, ["soak", "steady"]).workload == following.workload
    with pytest.raises(
        UsageError, match=r"--workload: workload 'soak': connections_of"
    ):
        limited(following, ["soak"])
