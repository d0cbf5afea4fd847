"""An experiment's file: what is taken, and how what is wrong is named."""

import pytest

from autostrada.errors import UsageError
from autostrada.plan.experiment import parse_experiment, read_experiment


def fault_of(text):
    with pytest.raises(UsageError) as caught:
        parse_experiment(text, origin="mine.toml")
    message = str(caught.value)
    assert message.startswith("mine.toml: ")
    assert "\n" not in message
    return message


def test_reads_what_is_right(experiment):
    read = parse_experiment(experiment, origin="mine.toml")
    assert read.workload[0].messages == 1_000
    assert read.published[0].milliseconds == {"ada-fast": 12.5}
    assert read.congestion_control is None


def test_what_was_read_cannot_be_changed(experiment):
    read = parse_experiment(experiment, origin="mine.toml")
    with pytest.raises(ValueError, match="frozen"):
        read.repetitions = 1


@pytest.mark.parametrize("place", ["title ", "name ", "workload     ="])
def test_an_unknown_key_is_named_wherever_it_stands(experiment, place):
    assert "unknown key" in fault_of(experiment.replace(place, f"colour=1\n{place}", 1))


def test_an_unknown_key_of_a_workload_is_named_with_its_place(experiment):
    text = experiment.replace("kind ", "speed = 3\nkind ")
    assert fault_of(text) == "mine.toml: unknown key 'workload.0.speed'"


@pytest.mark.parametrize(
    ("line", "replacement", "key"),
    [
        ("repetitions = 5", "", "repetitions"),
        ("repetitions = 5", "repetitions = 0", "repetitions"),
        ("repetitions = 5", 'repetitions = "many"', "repetitions"),
        ("repetitions = 5", "repetitions = 1.5", "repetitions"),
        ("warm_ups    = 1", "warm_ups = -1", "warm_ups"),
        ("limit_s     = 60", "limit_s = 0", "limit_s"),
        ('role        = "client"', 'role = "referee"', "role"),
        ('["ada-fast"]', "[]", "contestants"),
        ('["ada-fast"]', '"ada-fast"', "contestants"),
        ("messages         = 1_000", "messages = 0", "workload.0.messages"),
        ('"many"', '"several"', "workload.0.frames_per_write"),
        ('"push"', '"pull"', "workload.0.kind"),
        ("ada-fast = 12.5", 'ada-fast = "slow"', "published.0.milliseconds.ada-fast"),
    ],
)
def test_a_missing_or_wrong_value_is_named(experiment, line, replacement, key):
    assert line in experiment
    assert f" {key}: " in fault_of(experiment.replace(line, replacement))


def test_what_is_no_toml_is_named_with_its_line():
    assert "line 1" in fault_of("title = \n")


def test_a_published_workload_must_be_one_of_the_experiment(experiment):
    text = experiment.replace('workload     = "batched"', 'workload = "other"')
    assert "'other' is not one of batched" in fault_of(text)


def test_two_workloads_of_one_name_are_refused(experiment):
    start = experiment.index("[[workload]]")
    workload = experiment[start : experiment.index("[[published]]")]
    assert "same name" in fault_of(experiment + workload)


def test_a_file_is_returned_with_its_text(experiment, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(experiment)
    read, text = read_experiment(path)
    assert (read.title, text) == ("The race", experiment)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(b"title = '\xff'")
    with pytest.raises(UsageError, match=r"mine\.toml is no UTF-8 text"):
        read_experiment(path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        read_experiment(tmp_path)
