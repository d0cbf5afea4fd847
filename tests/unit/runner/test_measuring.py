"""Which trials of an archived run count on: those that were measured alike."""

import json
import subprocess
from dataclasses import replace

import pytest
from tests.unit.report.race import CELLS, DEFINITION, RUN, version, write_race

from autostrada.experiment.experiment import parse_experiment
from autostrada.runner.measuring import (
    engine_code_digest,
    measuring_digest,
    superseded,
)
from autostrada.store.parquet import write_parquet

DIGESTS = {client: version(client).digest for _, client in CELLS}
ENGINE = "0.1.0"
NOW = measuring_digest(ENGINE)


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

    def reasons(definition=DEFINITION, engine=ENGINE, **digests):
        experiment = parse_experiment(definition, origin="race.toml")
        known = DIGESTS | {
            name.replace("_", "-"): each for name, each in digests.items()
        }
        found = superseded(archive, experiment, known, engine)
        return {(cell.workload, cell.client): why for cell, why in found.items()}

    return reasons


def test_trials_of_an_equal_run_count_on(reasons):
    assert reasons() == {}
    renamed = DEFINITION.replace("The small race", "The same race")
    assert reasons(renamed.replace("repetitions = 5", "repetitions = 9")) == {}


def test_trials_of_other_code_do_not_count(reasons):
    found = reasons(engine="0.2.0")
    assert {*found.values()} == {"the code that measures has changed"}
    assert CELLS.keys() <= found.keys()


def test_an_engine_whose_tests_alone_changed_has_the_same_code(tmp_path):
    source = tmp_path / "crates/wire/src/lib.rs"
    source.parent.mkdir(parents=True)
    for name in ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml"):
        (tmp_path / name).touch()

    def git(*arguments):
        command = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a"]
        found = subprocess.run([*command, *arguments], check=True, capture_output=True)
        return found.stdout.decode().strip()

    def digest(text):
        source.write_text(text)
        git("add", "--all")
        git("commit", "--message", "a change")
        commit = git("rev-parse", "--short=12", "HEAD")
        return engine_code_digest(f"0.1.0 ({commit})", tmp_path)

    git("init")
    code = "fn send() {}\n"
    first = digest(code + "\n#[cfg(test)]\nmod tests {\n}\n")
    assert digest(code + "\n#[cfg(test)]\nmod tests {\n    fn sends() {}\n}\n") == first
    beside = source.parent / "tests/lib.rs"
    beside.parent.mkdir()
    beside.write_text("fn sends() {}\n")
    moved = '\n#[cfg(test)]\n#[path = "tests/lib.rs"]\nmod tests;\n'
    assert digest(code + moved) == first
    assert digest("fn send() { wait(); }\n" + moved) != first is not None
    for unknown in ("0.1.0", "0.1.0 (123456789abc)", "0.1.0 (123456789abc+)"):
        assert engine_code_digest(unknown, tmp_path) is None


def test_trials_of_other_settings_do_not_count(reasons):
    slower = DEFINITION.replace("limit_s = 60", "limit_s = 90")
    assert {*reasons(slower).values()} == {"the experiment has changed"}


def test_trials_of_a_changed_workload_or_contestant_do_not_count(reasons):
    longer = DEFINITION.replace("messages = 200000", "messages = 300000")
    found = reasons(longer, ada_fast="changed")
    assert found.pop(("batched", "ada-fast")) == "ada-fast has changed"
    assert {workload for workload, _ in found} == {"one-by-one"}
    assert {*found.values()} == {"the workload has changed"}
