"""Attempts that failed, and attempts that the machine disturbed."""

from dataclasses import dataclass

from autostrada.store.reader import Row
from autostrada.store.record import Failure


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
