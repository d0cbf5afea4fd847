"""What is refused before anything is run, and that nothing was touched by it."""

import json
from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from autostrada.contestants.catalog import find_catalog
from autostrada.errors import UsageError
from autostrada.runner.command import Choice, parse_share, run_command
from autostrada.runner.run import Plan
from autostrada.store.record import Run
from autostrada.store.writer import StoreWriter

ASKED = {
    "experiment": "race",
    "resume": False,
    "only": (),
    "repetitions": None,
    "is_quick": False,
    "seed": None,
    "until_interval": None,
    "cpus": None,
    "contestants": None,
    "page": None,
}


@pytest.fixture
def refusal(tmp_path):
    """Return the message with which a choice is refused; no store is made."""
    store = tmp_path / "results" / "store.duckdb"

    def refuse(**settings):
        with pytest.raises(UsageError) as caught:
            run_command(Choice(**ASKED | {"store": store} | settings))
        message = str(caught.value)
        assert "\n" not in message
        assert not store.exists()
        return message

    return refuse


def test_an_unknown_experiment(refusal):
    message = refusal(experiment="rase")
    assert message.startswith("no experiment 'rase'; there is race")


def test_an_unknown_contestant(refusal):
    message = refusal(only=("no-such-thing",))
    assert message.startswith("no contestant 'no-such-thing'; there is ")


def test_an_unknown_workload(refusal):
    message = refusal(workloads=("batch",))
    assert message.startswith("--workload 'batch': there is no such workload; there ")
    assert "batched, write-each" in message


def test_a_parameter_that_is_not_there(refusal):
    message = refusal(overrides=("batched.message=1",))
    assert message == "--set 'batched.message=1': unknown key 'message'"


def test_a_mistyped_name_makes_no_folder(refusal, tmp_path):
    refusal(experiment="rase")
    refusal(only=("no-such-thing",))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "setting",
    [
        {"only": ("x",)},
        {"repetitions": 2},
        {"is_quick": True},
        {"overrides": ("batched.messages=1",)},
        {"seed": 0},
        {"until_interval": "3%"},
        {"cpus": "0"},
    ],
    ids=str,
)
def test_settings_of_a_run_that_goes_on(refusal, setting):
    assert "--resume goes on as the run was begun" in refusal(resume=True, **setting)


@pytest.mark.parametrize("text", ["", "3", "0%", "-1%", "100%", "1e1%", "3%%", "x%"])
def test_an_interval_that_is_no_share(refusal, text):
    assert refusal(until_interval=text) == (
        f"--until-interval {text!r} is no share of the median; write one like 3%"
    )


@pytest.mark.parametrize(
    ("text", "share"), [("3%", 0.03), ("0.5 %", 0.005), (" 99.9% ", 0.999)]
)
def test_an_interval_is_a_share(text, share):
    assert parse_share(text) == pytest.approx(share)


def test_cores_that_are_no_list(refusal):
    assert refusal(cpus="1-") == "--cpus '1-' is no list of cores; write one like 0-3,6"


def test_cores_that_are_not_there(refusal):
    assert refusal(cpus="99999").startswith("core 99999 cannot be used here, only ")


def test_a_run_that_was_begun_on_other_cores(tmp_path):
    definition = find_catalog().experiment("race").definition
    plan = Plan(contestants=(), repetitions=1, warm_ups=0, seed=1, cpus=(0, 99_999))
    run = Run(
        experiment="race",
        definition=definition,
        plan=json.dumps(asdict(plan)),
        command="autostrada run race --cpus 0,99999",
        started_at=datetime(2026, 11, 21, tzinfo=UTC),
        autostrada_version="0.1.0",
        host="{}",
    )
    store = tmp_path / "store.duckdb"
    with StoreWriter.create_or_open(store) as writer:
        writer.start_run(run)
    with pytest.raises(UsageError, match=r"on cores 0,99999, .*leave out --resume"):
        run_command(Choice(**ASKED | {"store": store, "resume": True}))


def test_nothing_to_go_on_with(refusal):
    assert "does not exist" in refusal(resume=True)


def test_a_folder_that_cannot_be_made(refusal, tmp_path):
    (tmp_path / "file").touch()
    message = refusal(store=tmp_path / "file" / "results" / "store.duckdb")
    assert message.startswith("cannot make folder ")
    assert message.endswith("name another place with --store")


def test_a_page_that_cannot_be_written(refusal, tmp_path):
    assert "is not a file" in refusal(page=tmp_path)


def test_a_further_folder_that_is_not_there(refusal, tmp_path):
    message = refusal(contestants=tmp_path / "none")
    assert message.endswith("is no folder of contestants")
