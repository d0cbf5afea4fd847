"""Compares two runs, contestants or names of loads, and prints any comparison."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from autostrada.errors import UsageError
from autostrada.report.compare import loads, runs
from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.compare.comparison import compare
from autostrada.report.compare.gate import parse_gate
from autostrada.report.compare.markdown import markdown
from autostrada.report.compare.side import parse_addresses, read_side
from autostrada.report.compare.terminal import print_changes
from autostrada.report.history import read_loads
from autostrada.store.file import make_writable

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
    kind = loads.CONDITIONS if are_loads else runs.CONDITIONS
    conditions = [parse_gate(text, kind) for text in fail_if]
    if are_loads:
        return loads.report_loads(before, after, read_loads(), conditions)
    first, second = parse_addresses(before, after, store, run_id)
    comparison = compare(read_side(first), read_side(second))
    return runs.report_runs(comparison, conditions)


def check_outputs(markdown_path: str | None, json_path: str | None) -> None:
    """
    Check that both files can be written, before anything is measured.

    Raises:
        UsageError: one cannot, or both are the standard output.
    """
    if markdown_path == json_path == "-":
        raise UsageError("--markdown - and --json - share an output: name a file")
    for path in (markdown_path, json_path):
        if path and path != "-":
            make_writable(Path(path))


def print_report(
    report: ChangeReport, markdown_path: str | None, json_path: str | None
) -> int:
    """
    Print a report; return the exit status.

    Each form has the path of its file, ``-`` for the standard output, which else has
    tables, or ``None``.
    """
    forms = {
        markdown_path: markdown(report),
        json_path: f"{json.dumps(report.document(), indent=2)}\n",
    }
    for path, text in forms.items():
        if path == "-":
            sys.stdout.write(text)
        elif path:
            Path(path).write_text(text, encoding="utf-8")
    if "-" not in forms:
        print_changes(report, Console())
    return FAILED_STATUS if report.has_failed else 0
