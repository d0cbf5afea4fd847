"""Compares two runs, contestants or names of loads, and prints any comparison."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from rich.console import Console

from autostrada.errors import UsageError
from autostrada.report.compare import loads, runs
from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.compare.comparison import compare
from autostrada.report.compare.dashboards import bencher, github_action_benchmark
from autostrada.report.compare.gate import parse_gate
from autostrada.report.compare.markdown import markdown
from autostrada.report.compare.side import parse_addresses, read_side
from autostrada.report.compare.terminal import print_changes
from autostrada.report.history import read_loads
from autostrada.report.pages.change_page import change_page
from autostrada.report.pages.document import html_of
from autostrada.store.file import make_writable

Form = Literal["page", "markdown", "json", "bencher", "github-action-benchmark"]
"""A form of a report in a file, and the option that has its path."""

Outputs = Mapping[Form, str | None]
"""The path of each form: ``-`` for the standard output, which else has tables, or
``None``."""

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


def check_outputs(outputs: Outputs) -> None:
    """
    Check that all files can be written, before anything is measured.

    Raises:
        UsageError: one cannot, or two are the standard output.
    """
    printed = [form for form, path in outputs.items() if path == "-"]
    if len(printed) > 1:
        raise UsageError(
            f"--{printed[0]} - and --{printed[1]} - share an output: name a file"
        )
    for path in outputs.values():
        if path and path != "-":
            make_writable(Path(path))


def print_report(report: ChangeReport, outputs: Outputs) -> int:
    """Write a report in all forms, or print its tables; return the exit status."""
    for form, path in outputs.items():
        if path == "-":
            sys.stdout.write(FORMS[form](report))
        elif path:
            Path(path).write_text(FORMS[form](report), encoding="utf-8")
    if "-" not in outputs.values():
        print_changes(report, Console())
    return FAILED_STATUS if report.has_failed else 0


def _json(document: object) -> str:
    return f"{json.dumps(document, indent=2)}\n"


FORMS: Mapping[Form, Callable[[ChangeReport], str]] = {
    "page": lambda report: html_of(change_page(report)),
    "markdown": markdown,
    "json": lambda report: _json(report.document()),
    "bencher": lambda report: _json(bencher(report)),
    "github-action-benchmark": lambda report: _json(github_action_benchmark(report)),
}
"""How a report is written in each form."""
