"""The quick calibration that precedes a run on an uncalibrated machine."""

import json
import time
from itertools import count
from pathlib import Path

from autostrada.calibration import sentences
from autostrada.calibration.command import CalibrationPlan, carry_out
from autostrada.calibration.fault_cases import fault_cases
from autostrada.calibration.session import FaultOutcome, FaultVerdict, summarize
from autostrada.engine.process import engine_version, find_engine
from autostrada.machine.facts import facts
from autostrada.machine.host import this_host
from autostrada.runner.progress import Progress
from autostrada.store.reader import StoreReader

TOTAL_S = 45.0
"""Time after which no measurement begins, so that a calibration takes at most a minute
in total."""


def calibrate_once(store: Path, progress: Progress) -> None:
    """
    Run a quick calibration, unless the store has one of this build and this machine.

    Raises:
        UsageError: the store cannot be read or written.
        EngineError: a process fails.
    """
    engine = find_engine()
    if is_calibrated(store, engine):
        return
    progress.announce("calibrating this build on this machine, at most a minute")
    plan = CalibrationPlan(
        cases=fault_cases(is_quick=True),
        extent="quick",
        trials=0,
        repeats_s=TOTAL_S,
        total_s=TOTAL_S,
    )
    began_s = time.monotonic()
    finished, total = count(1), len(plan.cases)

    def show(outcome: FaultOutcome) -> None:
        done, taken_s = next(finished), time.monotonic() - began_s
        left_s = min(taken_s * (total - done) / done, TOTAL_S - taken_s)
        progress.step("calibrating", done, total, max(left_s, 0.0))
        if outcome.verdict is FaultVerdict.FAIL:
            progress.print(f"{outcome.verdict}: {sentences.describe_outcome(outcome)}")

    outcomes = carry_out(plan, engine, store, begin=lambda _: None, show=show)
    is_failed = summarize(outcomes) is FaultVerdict.FAIL
    (progress.warn if is_failed else progress.print)(sentences.summary(outcomes))


def is_calibrated(store: Path, engine: Path) -> bool:
    """Whether the store has a calibration of this build and this machine."""
    if not store.exists():
        return False
    with StoreReader.open(store) as reader:
        calibrations = reader.calibrations()
    host = json.dumps(facts(this_host()))
    version = engine_version(engine)
    return any(calibration.is_of(version, host) for calibration in calibrations)
