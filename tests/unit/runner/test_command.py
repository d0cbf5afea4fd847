"""Invalid choices are refused before a run, without any changes."""

import json
import os
from dataclasses import asdict, replace

import pytest
from tests.unit.report.records import RUN

from autostrada.contestants.catalog import find_catalog
from autostrada.errors import UsageError
from autostrada.hosts.place import Place
from autostrada.runner.command import parse_duration, run_command, run_request
from autostrada.runner.request import Plan
from autostrada.store.reader import StoreReader
from autostrada.store.writer import StoreWriter

HOOKS = (lambda _: None, lambda *_: [])
"""What prepares a run and what says which rounds may decide a claim: nothing."""


@pytest.fixture
def refusal(options):
    """Return a function: the message that refuses options; no store is created."""

    def refuse(**settings):
        with pytest.raises(UsageError) as caught:
            run_command(replace(options, **{"experiment": "race"} | settings), *HOOKS)
        message = str(caught.value)
        assert "\n" not in message
        assert not options.store.exists()
        return message

    return refuse


@pytest.mark.parametrize(
    ("settings", "cause"),
    [
        ({"experiment": "race"}, "needs the CPU time of its clients"),
        ({"experiment": "bots", "ends": '["apart"]'}, "add --place clients=others"),
        ({"experiment": "bots", "ends": '["same host"]'}, "on one host: omit --place"),
        ({"experiment": "bots", "network": '"bridge"'}, "on one host: omit --place"),
    ],
)
def test_clients_are_where_the_experiment_says(refusal, tmp_path, settings, cause):
    catalog = find_catalog()
    text = (catalog.root / f"experiments/{settings['experiment']}.toml").read_text()
    keys = "".join(f"{key} = {settings[key]}\n" for key in list(settings)[1:])
    file = tmp_path / "own.toml"
    file.write_text(keys + text)
    place = None if "add --place" in cause else Place("auto", ("others",))
    assert cause in refusal(experiment=str(file), place=place)


def test_a_named_workload_that_needs_more_cores_is_refused(refusal):
    first = min(os.sched_getaffinity(0))
    message = refusal(workloads=("batched-2-cores",), cpus=str(first))
    assert message == (
        "workload 'batched-2-cores' needs 2 cores for a contestant and one for the "
        "engine; this run has 1; choose more with --cpus, or other workloads with "
        "--workload"
    )


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
        {"cpus": "0"},
    ],
    ids=str,
)
def test_settings_of_a_resumed_run_are_refused(refusal, setting):
    assert "continue a run with its own settings" in refusal(resume=True, **setting)


@pytest.mark.parametrize("text", ["", "3", "0s", "-1m", "1.5h", "5m3", "30 min", "m"])
def test_a_budget_that_is_not_a_duration_is_refused(refusal, text):
    assert refusal(budget=text) == (
        f"{text!r} is not a duration; write it like 30m, 90s, 1h30m or 50ms"
    )


@pytest.mark.parametrize(
    ("text", "duration_s"), [("90s", 90), ("30m", 1800), (" 1h30m5s ", 5405)]
)
def test_a_budget_is_a_duration(text, duration_s):
    assert parse_duration(text) == duration_s


def test_a_budget_and_a_number_of_repetitions_exclude_each_other(refusal):
    message = refusal(budget="1m", repetitions=3)
    assert message == "give either --budget or --repetitions"


def test_a_run_that_began_on_other_cores_is_refused(options, tmp_path):
    definition = find_catalog().experiment("race").definition
    plan = asdict(Plan(contestants=(), repetitions=1, seed=1, cpus=(0, 99_999)))
    run = replace(RUN, experiment="race", definition=definition, plan=json.dumps(plan))
    resumed = replace(
        options, experiment="race", store=tmp_path / "store.duckdb", resume=True
    )
    with StoreWriter.create_or_open(resumed.store) as writer:
        writer.start_run(run)
    with pytest.raises(UsageError, match=r"on cores 0,99999, .*omit --resume"):
        run_command(resumed, *HOOKS)


def test_rounds_are_added_to_an_archived_run_of_the_experiment(options, tmp_path):
    catalog = find_catalog()
    archive = catalog.root / "docs/results/race.parquet"
    race = replace(options, experiment="race", add_to=archive)
    request, _ = run_request(race, catalog, catalog.contestants())
    with StoreReader.open(archive) as reader:
        archived = reader.resumption("race").rounds
    plan = request.plan
    assert plan.first_repetition == archived > 0
    with pytest.raises(UsageError, match="no archived run of bots"):
        run_command(replace(race, experiment="bots"), *HOOKS)


def test_a_page_that_cannot_be_written_is_refused(refusal, tmp_path):
    assert "is not a file" in refusal(page=tmp_path)
