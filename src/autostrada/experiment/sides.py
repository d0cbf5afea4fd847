"""The two sides of a run that compares them until each row is decided."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedSides:
    """Two contestants whose trials are made in turn, and how they are compared."""

    before: str
    after: str
    """Names of the contestants."""

    labels: tuple[str, str]
    """What they are called in a report, as given by the user."""

    margin: float
    """Largest change that counts as the same, as a share: 0.03."""

    rounds_max: int
    """Number of rounds over which the test of each row spends its error."""

    fail_if: tuple[str, ...] = ()
    """Conditions on rows, which are measured until these are decided too."""
