"""The quick calibration that precedes a run on an uncalibrated machine."""

import json
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autostrada.calibration import sentences
from autostrada.calibration.command import STYLES, CalibrationPlan, carry_out
from autostrada.calibration.fault_cases import fault_cases
from autostrada.calibration.session import Outcome, Verdict, summarize
from autostrada.engine.process import engine_version, find_engine
from autostrada.machine.facts import facts
from autostrada.machine.host import this_host
from autostrada.store.reader import StoreReader

TOTAL_S = 45.0
"""Time after which no measurement begins, so that a calibration takes at most a minute
in total."""


def calibrate_once(store: Path, console: Console) -> None:
    """
    Run a quick calibration, unless the store has one of this build and this machine.

    Raises:
        UsageError: the store cannot be read or written.
        EngineError: a process fails.
    """
    engine = find_engine()
    if is_calibrated(store, engine):
        return
    console.print(
        "This build is not calibrated on this machine: calibrating, at most a minute "
        "(--no-calibration skips it).",
        highlight=False,
        soft_wrap=True,
    )
    plan = CalibrationPlan(
        cases=fault_cases(is_quick=True),
        extent="quick",
        trials=0,
        repeats_s=TOTAL_S,
        total_s=TOTAL_S,
    )
    outcomes = carry_out(
        plan,
        engine,
        store,
        begin=lambda _: None,
        show=lambda outcome: _show_failure(console, outcome),
    )
    style = STYLES[summarize(outcomes)]
    console.print(
        Text(sentences.summary(outcomes), style), soft_wrap=True, highlight=False
    )


def is_calibrated(store: Path, engine: Path) -> bool:
    """Whether the store has a calibration of this build and this machine."""
    if not store.exists():
        return False
    with StoreReader.open(store) as reader:
        calibrations = reader.calibrations()
    host = json.dumps(facts(this_host()))
    version = engine_version(engine)
    return any(each.is_of(version, host) for each in calibrations)


def _show_failure(console: Console, outcome: Outcome) -> None:
    if outcome.verdict is Verdict.FAIL:
        line = Text(f"{outcome.verdict:<10}", STYLES[outcome.verdict])
        line.append(sentences.describe_outcome(outcome), "")
        console.print(line, soft_wrap=True, highlight=False)
