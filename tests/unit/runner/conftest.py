"""Two small experiments of the engine alone, and one that cannot be run."""

import pytest

from autostrada.contestants.catalog import Catalog
from autostrada.runner.command import RunOptions

EXPERIMENT = """
title = "Small"
question = "Does it run?"
repetitions = 3
limit_s = 60
clients = [{client}]
quick = {{ repetitions = 1 }}
[[workload]]
name = "push"
kind = "push"
messages = 1000
payload_text = "hello"
frames_per_write = "many"
"""


@pytest.fixture
def catalog(tmp_path):
    (tmp_path / "contestants").mkdir()
    (tmp_path / "experiments").mkdir()
    for name, client in (
        ("a-first", "reference"),
        ("b-broken", "nobody"),
        ("c-last", "reference"),
    ):
        path = tmp_path / "experiments" / f"{name}.toml"
        path.write_text(EXPERIMENT.format(client=f'"{client}"'))
    return Catalog(root=tmp_path)


@pytest.fixture
def options(tmp_path):
    return RunOptions(
        experiment="all",
        resume=False,
        only=(),
        repetitions=None,
        is_quick=False,
        seed=None,
        budget=None,
        cpus=None,
        overrides=(),
        contestants=None,
        store=tmp_path / "results" / "store.duckdb",
        page=None,
    )
