"""All experiments as a process: what is run and shown, and what remains on failure."""

import json
import signal
import subprocess
from dataclasses import replace

import pytest
from rich.console import Console

from autostrada.errors import UsageError
from autostrada.runner.run_all import run_all
from autostrada.store.reader import StoreReader

SCRIPT = """
import io, json, sys
from pathlib import Path
from rich.console import Console
from autostrada.contestants.catalog import Catalog
from autostrada.runner.command import RunOptions
from autostrada.runner.run_all import run_all
from autostrada.errors import UsageError

root, unshown = Path(sys.argv[1]), sys.argv[2]
options = RunOptions(
    experiment="all", resume=False, only=(), repetitions=None, is_quick=True, seed=7,
    budget=None, cpus=None, overrides=(), contestants=None, page=None,
    store=root / "results" / "store.duckdb",
)
shown, text = [], io.StringIO()

def report(finished, page):
    shown.append([finished.run_id, page.name])
    if page.stem == unshown:
        raise UsageError("cannot be shown")

console = Console(file=text, width=200)
failed = run_all(options, Catalog(root=root), report, console, repr, repr)
sys.stdout.write("\\n" + json.dumps([failed, shown, text.getvalue()]))
"""


def test_a_failure_does_not_end_the_others(catalog, orchestrate):
    output = orchestrate(SCRIPT, catalog.root, "a-first")
    failed, shown, text = json.loads(output.splitlines()[-1])
    assert failed == ["a-first", "b-broken"]
    assert shown == [[1, "a-first.html"], [2, "c-last.html"]]
    assert "a-first failed: cannot be shown" in text
    assert "c-last, 3 of 3, about 2 s left of all" in text
    with StoreReader.open(catalog.root / "results" / "store.duckdb") as reader:
        runs = [stored.run.experiment for stored in reader.runs()]
        trials = reader.query("SELECT count(*) AS trials FROM counted_trial")
    assert runs == ["a-first", "c-last"]
    assert trials == [{"trials": 2}]


INTERRUPTED = """
import os, sys
from dataclasses import replace
from pathlib import Path
from rich.console import Console
from autostrada.contestants.catalog import Catalog
from autostrada.runner.command import RunOptions
from autostrada.runner.run_all import run_all

root, number = Path(sys.argv[1]), int(sys.argv[2])
options = RunOptions(
    experiment="all", resume=not number, only=(), repetitions=None,
    is_quick=bool(number), seed=None, budget=None, cpus=None, overrides=(),
    contestants=None, page=None, store=root / "results" / "store.duckdb",
)

def report(finished, page):
    if number:
        os.kill(os.getpid(), number)

sys.stderr = sys.stdout
failed = run_all(options, Catalog(root=root), report, Console(width=200), repr, repr)
print(*failed)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_one_is_resumed_with_its_settings(catalog, orchestrate, number):
    with pytest.raises(subprocess.CalledProcessError) as caught:
        orchestrate(INTERRUPTED, catalog.root, int(number))
    assert caught.value.returncode == -number
    printed = orchestrate(INTERRUPTED, catalog.root, 0)
    assert "a-first   nothing is left to do\n" in printed
    assert "0 trials; 1 were made earlier\n" in printed
    assert "c-last    1 trial, about 2 s\n" in printed
    assert printed.endswith("\nb-broken\n")
    with StoreReader.open(catalog.root / "results" / "store.duckdb") as reader:
        plans = [json.loads(stored.run.plan) for stored in reader.runs()]
    assert [plan["is_quick"] for plan in plans] == [True, True]


@pytest.mark.parametrize("setting", ["only", "overrides", "page"])
def test_settings_of_a_single_experiment_are_refused(catalog, options, setting):
    value = options.store.with_suffix(".html") if setting == "page" else ("x",)
    with pytest.raises(UsageError, match="name it instead of all"):
        run_all(
            replace(options, **{setting: value}),
            catalog,
            print,
            Console(),
            print,
            print,
        )
    assert not options.store.exists()
