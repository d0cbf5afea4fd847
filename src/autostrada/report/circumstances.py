"""What a reader must know of a run: failed attempts, disturbances, its calibration."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autostrada.experiment.matrix import REFERENCE
from autostrada.report import number
from autostrada.store.reader import Row
from autostrada.store.record import Calibration, ContestantVersion, Failure, Run


@dataclass(frozen=True, kw_only=True, slots=True)
class FailedAttempt:
    """An attempt without a measurement; no repetition where it is the contestant."""

    failure: Failure
    repetition: int | None
    is_warm_up: bool
    is_counted: bool
    """Whether a measurement is missing because of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Disturbance:
    """A trial that the machine disturbed."""

    repetition: int
    retry: int
    words: str
    is_counted: bool
    """Whether the figures are of it, because no undisturbed one replaced it."""


def failed_attempt(row: Row) -> FailedAttempt:
    """Return a row of the question ``failures`` as a value."""
    return FailedAttempt(
        failure=Failure(
            kind=row["kind"], message=row["message"], stderr_tail=row["stderr_tail"]
        ),
        repetition=row["repetition"],
        is_warm_up=row["is_warm_up"],
        is_counted=row["is_counted"],
    )


def disturbance_of(row: Row) -> Disturbance:
    """Return a row of the question ``disturbances`` as a value."""
    return Disturbance(
        repetition=row["repetition"],
        retry=row["retry"],
        words=row["disturbance"],
        is_counted=row["is_counted"],
    )


def failed_where(failed: FailedAttempt) -> str:
    """Say in which attempt it failed; empty where the contestant as a whole did."""
    if failed.repetition is None:
        return ""
    attempt = "warm-up" if failed.is_warm_up else "repetition"
    return f" in {attempt} {failed.repetition + 1}"


def disturbance_note(disturbances: Sequence[Disturbance]) -> str:
    """Say what disturbed the trials of a cell; empty where nothing did."""
    if not disturbances:
        return ""
    words = "; ".join(
        f"{each.words} (repetition {each.repetition + 1})" for each in disturbances
    )
    return f"{_counted(disturbances)}: {words}."


def disturbance_counts(disturbed: Mapping[str, Sequence[Disturbance]]) -> str:
    """Count the disturbed trials of each name; empty where there is none."""
    counts = [
        f"{name} {len(disturbances)} "
        f"({sum(not each.is_counted for each in disturbances)})"
        for name, disturbances in disturbed.items()
        if disturbances
    ]
    return f"disturbed trials (of them repeated): {', '.join(counts)}" if counts else ""


def disturbance_sentence(disturbances: Sequence[Disturbance], trials: int) -> str:
    """Say how many trials of a run were disturbed, of so many without warm-ups."""
    if not disturbances:
        return f"No disturbance was seen in {number.count(trials, 'trial')}."
    return f"{_counted(disturbances)}, of {number.plain(trials, 0)} in all."


def disturbance_caution(disturbances: Iterable[Disturbance]) -> str:
    """Warn of figures that are of disturbed trials; empty where there are none."""
    counted = sum(each.is_counted for each in disturbances)
    if not counted:
        return ""
    return (
        f"Other load disturbed {number.count(counted, 'trial')} even after retries; "
        f"read their figures with caution."
    )


def _counted(disturbances: Iterable[Disturbance]) -> str:
    """Count those that were replaced, and those that no retry could replace."""
    is_counted = [each.is_counted for each in disturbances]
    replaced, counted = is_counted.count(False), is_counted.count(True)
    parts = []
    if replaced:
        parts.append(f"{_were(replaced)} disturbed and repeated")
    if counted:
        parts.append(f"{_were(counted)} disturbed and counted")
    return ", ".join(parts)


def _were(trials: int) -> str:
    return f"{number.count(trials, 'trial')} {'was' if trials == 1 else 'were'}"


def machine_note(host: Mapping[str, object]) -> str:
    """Say where the ends were not kept apart on the machine; empty where they were."""
    if host.get("is_shared_core") == "true":
        return "Server and client shared a core: each figure is of both of them."
    if host.get("is_pinned") == "false":
        return "Processes were not pinned to cores: they may have disturbed each other."
    return ""


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
