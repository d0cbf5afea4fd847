"""Which trials of an archived run count on: those that were measured alike."""

import json
from dataclasses import replace

import pytest
from tests.unit.report.race import CELLS, DEFINITION, RUN, version, write_race

from autostrada.experiment.experiment import parse_experiment
from autostrada.runner.measuring import measuring_digest, superseded
from autostrada.store.parquet import write_parquet

DIGESTS = {client: version(client).digest for _, client in CELLS}
NOW = measuring_digest("0.1.0")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("measuring")
    store, path = folder / "race.duckdb", folder / "race.parquet"
    write_race(store, run=replace(RUN, host=json.dumps({"measuring_digest": NOW})))
    write_parquet(store, 1, path)
    return path


@pytest.fixture
def reasons(archive):
    """Return a function: the reason of each cell whose trials count no longer."""

    def reasons(definition=DEFINITION, measuring=NOW, **digests):
        experiment = parse_experiment(definition, origin="race.toml")
        known = DIGESTS | {
            name.replace("_", "-"): each for name, each in digests.items()
        }
        found = superseded(archive, experiment, known, measuring)
        return {(cell.workload, cell.client): why for cell, why in found.items()}

    return reasons


def test_trials_of_an_equal_run_count_on(reasons):
    assert reasons() == {}
    renamed = DEFINITION.replace("The small race", "The same race")
    assert reasons(renamed.replace("repetitions = 5", "repetitions = 9")) == {}


def test_trials_of_other_code_do_not_count(reasons):
    found = reasons(measuring=measuring_digest("0.2.0"))
    assert {*found.values()} == {"the code that measures has changed"}
    assert CELLS.keys() <= found.keys()


def test_trials_of_other_settings_do_not_count(reasons):
    slower = DEFINITION.replace("limit_s = 60", "limit_s = 90")
    assert {*reasons(slower).values()} == {"the experiment has changed"}


def test_trials_of_a_changed_workload_or_contestant_do_not_count(reasons):
    longer = DEFINITION.replace("messages = 200000", "messages = 300000")
    found = reasons(longer, ada_fast="changed")
    assert found.pop(("batched", "ada-fast")) == "ada-fast has changed"
    assert {workload for workload, _ in found} == {"one-by-one"}
    assert {*found.values()} == {"the workload has changed"}
