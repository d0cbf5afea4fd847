"""
The errors, classified by who is at fault.

A ``UsageError`` is the user's: one line that names the remedy; exit status 2. An
``EngineError`` is this program's or the machine's: the run stops. A ``ContestantError``
is recorded as a failure of the contestant; the run continues.
"""

from typing import Literal


class AutostradaError(Exception):
    """Base of all errors of this package."""


class UsageError(AutostradaError):
    """The user can correct the error; the message is one line with the remedy."""


class EngineError(AutostradaError):
    """The engine, this program or the machine failed; the run stops."""


class ContestantError(AutostradaError):
    """
    A contestant broke its contract; recorded as a failure.

    ``stderr_tail`` is the end of the stderr of the process at fault, and ``process``
    the end of the trial that it belongs to.
    """

    kind = "contestant"
    """Name of the failure in the store and in reports."""

    def __init__(
        self,
        message: str,
        *,
        stderr_tail: str = "",
        process: Literal["client", "server"] = "client",
    ) -> None:
        super().__init__(message)
        self.stderr_tail = stderr_tail
        self.process = process


class NotInstalled(ContestantError):
    """A requirement is not installed; the message says how to install it."""

    kind = "not installed"


class BuildFailed(ContestantError):
    """A build or version command failed."""

    kind = "build failed"


class NotClaimed(ContestantError):
    """The manifest does not claim a feature that a workload requires; not started."""

    kind = "not claimed"


class NoRate(ContestantError):
    """The workload that decides the load or the host was not measured; not started."""

    kind = "no rate"


class Crashed(ContestantError):
    """A process ended by a signal or with a status other than 0."""

    kind = "crashed"


class TimedOut(ContestantError):
    """A process was still running at the deadline."""

    kind = "timed out"


class InvalidOutput(ContestantError):
    """A process printed a line that the contract does not define."""

    kind = "invalid output"


class Miscounted(ContestantError):
    """A process counted another number of messages or bytes than was sent."""

    kind = "miscounted"


class ClosedEarly(ContestantError):
    """A process closed the connection before the exchange was complete."""

    kind = "closed early"


class Disagreed(ContestantError):
    """The times that a client and the engine report differ by too much."""

    kind = "disagreed"


class LeftBehind(ContestantError):
    """Child processes of a contestant outlived it."""

    kind = "left behind"


class OutOfMemory(ContestantError):
    """A process exceeded the memory limit of the experiment and was killed."""

    kind = "out of memory"
