"""A suite as a process: what is run, shown and left when one experiment fails."""

import json
from dataclasses import replace

import pytest
from rich.console import Console

from autostrada.errors import UsageError
from autostrada.runner.suite.suite import run_all
from autostrada.store.reader import StoreReader

SCRIPT = """
import io, json, sys
from pathlib import Path
from rich.console import Console
from autostrada.plan.catalog import Catalog
from autostrada.runner.command import Choice
from autostrada.runner.suite.suite import run_all
from autostrada.errors import UsageError

root, unshown = Path(sys.argv[1]), sys.argv[2]
choice = Choice(
    experiment="all", resume=False, only=(), repetitions=None, is_quick=True, seed=7,
    until_interval=None, cpus=None, overrides=(), contestants=None, page=None,
    store=root / "results" / "store.duckdb",
)
shown, text = [], io.StringIO()

def report(run_id, page):
    shown.append([run_id, page.name])
    if page.stem == unshown:
        raise UsageError("cannot be shown")

console = Console(file=text, width=200)
failed = run_all(choice, Catalog(root=root), report, console)
sys.stdout.write("\\n" + json.dumps([failed, shown, text.getvalue()]))
"""


def test_one_that_fails_ends_no_other(catalog, orchestrate):
    output = orchestrate(SCRIPT, catalog.root, "a-first")
    failed, shown, text = json.loads(output.splitlines()[-1])
    assert failed == ["a-first", "b-broken"]
    assert shown == [[1, "a-first.html"], [2, "c-last.html"]]
    assert "a-first failed: cannot be shown" in text
    assert "c-last, 3 of 3" in text
    with StoreReader.open(catalog.root / "results" / "store.duckdb") as reader:
        runs = [stored.run.experiment for stored in reader.runs()]
        trials = reader.query("SELECT count(*) AS trials FROM trial")
    assert runs == ["a-first", "c-last"]
    assert trials == [{"trials": 2}]


@pytest.mark.parametrize("setting", ["only", "overrides", "page"])
def test_what_only_one_experiment_can_do_is_refused(catalog, choice, setting):
    value = choice.store.with_suffix(".html") if setting == "page" else ("x",)
    with pytest.raises(UsageError, match="name it instead of all"):
        run_all(replace(choice, **{setting: value}), catalog, print, Console())
    assert not choice.store.exists()
