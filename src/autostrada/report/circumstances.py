"""Circumstances of a run: failed attempts, disturbances, machine and calibration."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from autostrada.report import number
from autostrada.report.text import few
from autostrada.store.record import Calibration, Run

STOLEN_SHARE_MIN = 0.01
"""Share of a core from which stolen time is mentioned."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FailedAttempt:
    """A failed attempt at a trial, or the failure of a contestant before any trial."""

    kind: str
    message: str
    stderr_tail: str
    repetition: int | None
    """Repetition from 0; ``None`` if the contestant as a whole failed."""

    is_counted: bool
    """Whether a measurement is missing because of the failure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Disturbance:
    """A trial that was disturbed by other load on the machine."""

    workload: str
    repetition: int
    """Repetition from 0."""

    description: str
    is_counted: bool
    """Whether the trial is counted because no undisturbed retry replaced it."""


def failed_where(failed: FailedAttempt) -> str:
    """Name the attempt that failed; empty if the contestant as a whole failed."""
    if failed.repetition is None:
        return ""
    return f" in repetition {failed.repetition + 1}"


def missing_note(missing: int) -> str:
    """Say how many trials of a run are missing; empty if it is complete."""
    if not missing:
        return ""
    trials = number.count(missing, "trial")
    verb = "is" if missing == 1 else "are"
    return f"This run is incomplete: {trials} {verb} missing."


def disturbance_note(disturbances: Sequence[Disturbance]) -> str:
    """Describe the disturbances of a cell's trials; empty if there were none."""
    if not disturbances:
        return ""
    descriptions = "; ".join(
        f"{disturbance.description} (repetition {disturbance.repetition + 1})"
        for disturbance in disturbances
    )
    return f"{_counted(disturbances)}: {descriptions}."


def disturbance_sentence(disturbances: Sequence[Disturbance], trials: int) -> str:
    """Say how many of a run's ``trials`` trials were disturbed."""
    if not disturbances:
        return f"No disturbance was detected in {number.count(trials, 'trial')}."
    return f"{_counted(disturbances)}, of {number.plain(trials, 0)} in all."


def disturbance_line(disturbances: Sequence[Disturbance], trials: int) -> str:
    """Say in one line how many of a run's trials were disturbed, and the last cause."""
    if not disturbances:
        return disturbance_sentence(disturbances, trials)
    counted = sum(disturbance.is_counted for disturbance in disturbances)
    repeated = len(disturbances) - counted
    cause, _, _ = disturbances[-1].description.partition("; ")
    return (
        f"{counted} of {number.count(trials, 'trial')} stayed disturbed, {repeated} "
        f"{'was' if repeated == 1 else 'were'} repeated ({cause})."
    )


def stolen_line(shares: Sequence[float]) -> str:
    """Say how much of a core the hypervisor took, if it was much in any trial."""
    if max(shares, default=0.0) <= STOLEN_SHARE_MIN:
        return ""
    return (
        f"The hypervisor took {number.percent(median(shares))} of a core in the median "
        f"trial, {number.percent(max(shares))} at most."
    )


def disturbance_caution(disturbances: Iterable[Disturbance]) -> str:
    """Warn of metrics from disturbed trials; empty if there are none."""
    workloads = [each.workload for each in disturbances if each.is_counted]
    if not workloads:
        return ""
    return (
        f"Other load disturbed {number.count(len(workloads), 'trial')} of "
        f"{few([*dict.fromkeys(workloads)])} even after retries; read their values "
        f"with caution."
    )


def _counted(disturbances: Iterable[Disturbance]) -> str:
    """Count the disturbed trials that a retry replaced, and the others."""
    is_counted = [disturbance.is_counted for disturbance in disturbances]
    replaced, counted = is_counted.count(False), is_counted.count(True)
    parts = []
    if replaced:
        parts.append(f"{_were(replaced)} disturbed and repeated")
    if counted:
        parts.append(f"{_were(counted)} disturbed and counted")
    return ", ".join(parts)


def _were(trials: int) -> str:
    return f"{number.count(trials, 'trial')} {'was' if trials == 1 else 'were'}"


def ends_sentence(host: Mapping[str, object]) -> str:
    """Say where servers and clients were."""
    if names := host.get("client_hosts"):
        error_ms = float(str(host["client_clock_error_us"])) / 1e3
        return (
            f"The clients were on other hosts than the servers: {names}. Their CPU "
            f"time, memory and sockets were not observed, and delivery times are exact "
            f"to {error_ms:.2g} ms."
        )
    return "Servers and clients were on one machine."


def machine_note(host: Mapping[str, object]) -> str:
    """Warn if server and client were not isolated on the machine; else empty."""
    if "client_hosts" in host:
        return ""
    if host.get("is_shared_core") == "true":
        return "Server and client shared a core, so each metric depends on both."
    if host.get("is_pinned") == "false":
        return "Processes were not pinned to cores: they may have disturbed each other."
    return ""


OUTCOME_TEXTS = {
    "pass": "it reported every injected fault",
    "fail": "it did not report every injected fault: the readings are in the store",
    "disturbed": "other load on the machine left some fault cases unjudged",
}
"""The outcomes of a calibration in words."""


def calibration_of(run: Run, calibrations: Sequence[Calibration]) -> Calibration | None:
    """
    Return the calibration of a run's machine and engine; ``None`` if there is none.

    It is the newest one before the run, or else the first one after it. Calibrations of
    selected cases do not count.
    """
    engine_version = json.loads(run.host).get("engine_version", "")
    fitting = [each for each in calibrations if each.is_of(engine_version, run.host)]
    earlier = [each for each in fitting if each.started_at <= run.started_at]
    return next(iter(earlier[-1:] or fitting), None)


def calibration_sentence(calibration: Calibration | None) -> str:
    """Say when the instrument was calibrated and with which outcome."""
    if calibration is None:
        return "The instrument is not calibrated: run autostrada calibrate."
    when = calibration.started_at.strftime("%Y-%m-%d %H:%M UTC")
    how = "The instrument was calibrated"
    if calibration.extent == "quick":
        how += " quickly"
    return f"{how} on {when}: {OUTCOME_TEXTS[calibration.outcome]}."
