"""Table of outcomes by role and group, and the failed cases."""

from collections import Counter
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from .outcome import PASSED, Outcome, Outcomes, group_of

KINDS = ("passed", "non-strict", "informational", "failed")


def kind_of(outcome: Outcome) -> str:
    """Return the column of an outcome."""
    if outcome.has_failed:
        return "failed"
    if str(outcome) == PASSED:
        return "passed"
    both = {outcome.behavior, outcome.close}
    return "non-strict" if "NON-STRICT" in both else "informational"


def print_table(found: Mapping[str, Outcomes], console: Console) -> None:
    """Print the number of cases by kind of outcome, and the failed cases."""
    table = Table("role", "group", *KINDS)
    for column in table.columns[1:]:
        column.justify = "right"
    for role, outcomes in found.items():
        counts = Counter(
            (group_of(case), kind_of(outcome)) for case, outcome in outcomes.items()
        )
        for group in sorted({group for group, _ in counts}, key=int):
            table.add_row(role, group, *(str(counts[group, kind]) for kind in KINDS))
        table.add_section()
    console.print(table)
    for role, outcomes in found.items():
        for case, outcome in outcomes.items():
            if outcome.has_failed:
                console.print(
                    f"{role}: {case} is {outcome}: {outcome.description}",
                    soft_wrap=True,
                    markup=False,
                )
