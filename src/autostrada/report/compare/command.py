"""The command ``autostrada compare``: reads, compares, checks and prints two sides."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.compare.comparison import compare
from autostrada.report.compare.gate import parse_change, parse_known
from autostrada.report.compare.loads import report_loads
from autostrada.report.compare.markdown import markdown
from autostrada.report.compare.runs import report_runs
from autostrada.report.compare.side import parse_addresses, read_side
from autostrada.report.compare.terminal import print_changes
from autostrada.report.history import read_loads

FAILED_STATUS = 99
"""Exit status if a condition of ``--fail-if`` is met, as of ``load`` and ``find``."""


def compare_sides(
    before: str,
    after: str,
    *,
    are_loads: bool = False,
    run_id: int | None = None,
    store: Path,
    fail_if: Sequence[str] = (),
) -> ChangeReport:
    """
    Compare two runs, two contestants of a run, or the loads of two names.

    Raises:
        UsageError: a condition is invalid, or the two sides cannot be compared.
    """
    if are_loads:
        conditions = [parse_change(text) for text in fail_if]
        return report_loads(before, after, read_loads(), conditions)
    conditions = [parse_known(text) for text in fail_if]
    first, second = parse_addresses(before, after, store, run_id)
    return report_runs(compare(read_side(first), read_side(second)), conditions)


def print_report(report: ChangeReport, *, as_markdown: bool, as_json: bool) -> int:
    """Print a report; return the exit status."""
    if as_markdown:
        sys.stdout.write(markdown(report))
    elif as_json:
        sys.stdout.write(f"{json.dumps(report.document(), indent=2)}\n")
    else:
        print_changes(report, Console())
    return FAILED_STATUS if report.has_failed else 0
