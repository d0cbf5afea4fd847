"""The command ``autostrada compare``: reads, compares, checks and prints two sides."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from autostrada.report.compare.comparison import compare
from autostrada.report.compare.gate import check_condition, parse_known
from autostrada.report.compare.markdown import markdown as in_markdown
from autostrada.report.compare.side import parse_addresses, read_side
from autostrada.report.compare.terminal import print_comparison


def compare_command(
    before: str,
    after: str,
    *,
    run_id: int | None,
    store: Path,
    fail_if: Sequence[str],
    markdown: bool,
) -> int:
    """
    Print a comparison; return 1 if a condition is met in any cell, else 0.

    Raises:
        UsageError: a condition is invalid, or the two sides cannot be compared.
    """
    conditions = [parse_known(text) for text in fail_if]
    first, second = parse_addresses(before, after, store, run_id)
    comparison = compare(read_side(first), read_side(second))
    checks = [check_condition(condition, comparison) for condition in conditions]
    if markdown:
        sys.stdout.write(in_markdown(comparison, checks))
    else:
        print_comparison(comparison, checks, Console())
    return 1 if any(check.failed for check in checks) else 0
