"""
The errors, by who is at fault.

    AutostradaError
    ├── UsageError          the user: one line that names the remedy; exit status 2
    ├── EngineError         we or the machine: the run stops, it would be worthless
    └── ContestantError     the contestant: recorded as a failure; the run goes on
        ├── NotInstalled   a toolchain or library that this machine lacks
        ├── BuildFailed          its build or version command failed
        ├── NotClaimed           does not claim what a workload asks for
        ├── Crashed              ended by a signal or with a status other than 0
        ├── TimedOut                 still running when its time was over
        ├── InvalidOutput              printed what the contract does not know
        ├── Miscounted           another number of messages or bytes than was sent
        ├── ClosedEarly          closed the connection before it had everything
        ├── Disagreed            its clock and the engine's differ by too much
        ├── LeftBehind           processes of its own outlived it
        └── OutOfMemory          had more memory than the experiment allows
"""

from typing import Literal


class AutostradaError(Exception):
    """Anything that ends what was asked for."""


class UsageError(AutostradaError):
    """The user can mend it; the message is one line that says how."""


class EngineError(AutostradaError):
    """Our own fault or the machine's."""


class ContestantError(AutostradaError):
    """The contestant broke its contract: a result with a name."""

    kind = "contestant"

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
    """The machine lacks what it needs; the message says how to install it."""

    kind = "not installed"


class BuildFailed(ContestantError):
    """Its build or version command failed."""

    kind = "build failed"


class NotClaimed(ContestantError):
    """Its manifest does not claim what a workload asks for: it was not started."""

    kind = "not claimed"


class Crashed(ContestantError):
    """Ended by a signal or with a status other than 0."""

    kind = "crashed"


class TimedOut(ContestantError):
    """Still running when its time was over."""

    kind = "timed out"


class InvalidOutput(ContestantError):
    """Printed what the contract does not know."""

    kind = "invalid output"


class Miscounted(ContestantError):
    """Counted another number of messages or bytes than was sent."""

    kind = "miscounted"


class ClosedEarly(ContestantError):
    """Closed the connection before it had everything."""

    kind = "closed early"


class Disagreed(ContestantError):
    """Its clock and the engine's differ by too much."""

    kind = "disagreed"


class LeftBehind(ContestantError):
    """Processes of its own outlived it."""

    kind = "left behind"


class OutOfMemory(ContestantError):
    """Had more memory than the experiment allows, and was ended."""

    kind = "out of memory"
