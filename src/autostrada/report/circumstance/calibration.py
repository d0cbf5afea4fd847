"""Whether the instrument of a run was calibrated: when, and with what outcome."""

import json
from collections.abc import Sequence

from autostrada.experiment.matrix import REFERENCE
from autostrada.store.record import Calibration, ContestantVersion, Run

IN_WORDS = {
    "pass": "it reported every injected fault",
    "fail": "it did not report every injected fault: the readings are in the store",
    "disturbed": "other load on the machine left some fault cases unjudged",
}


def calibration_of(
    run: Run,
    versions: Sequence[ContestantVersion],
    calibrations: Sequence[Calibration],
) -> Calibration | None:
    """
    Return the calibration that a run refers to: of its machine and its engine.

    It is the newest before the run, else the first after it. One of some cases
    alone calibrates nothing.
    """
    engine_version = _engine_version(run, versions)
    fitting = [each for each in calibrations if each.is_of(engine_version, run.host)]
    earlier = [each for each in fitting if each.started_at <= run.started_at]
    later = [each for each in fitting if each.started_at > run.started_at]
    return (earlier[-1:] + later[:1] + [None])[0]


def calibration_sentence(calibration: Calibration | None) -> str:
    """Say when the instrument was calibrated and what came of it."""
    if calibration is None:
        return "The instrument is not calibrated: run autostrada calibrate."
    when = calibration.started_at.strftime("%Y-%m-%d %H:%M UTC")
    how = "The instrument was calibrated"
    if calibration.extent == "quick":
        how += " quickly"
    return f"{how} on {when}: {IN_WORDS[calibration.outcome]}."


def _engine_version(run: Run, versions: Sequence[ContestantVersion]) -> str:
    """Return the engine's version: a fact of the run, or that of the reference."""
    known = json.loads(run.host).get("engine_version")
    found = (each.version for each in versions if each.contestant == REFERENCE)
    return known or next(found, None) or run.autostrada_version
