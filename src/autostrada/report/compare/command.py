"""The command ``autostrada compare``: reads, compares, checks and prints two sides."""

import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from autostrada.report.compare.comparison import compare
from autostrada.report.compare.gate import check_condition, parse_known
from autostrada.report.compare.markdown import markdown
from autostrada.report.compare.side import parse_addresses, read_side
from autostrada.report.compare.terminal import print_comparison


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """The arguments of ``autostrada compare``."""

    before: str
    after: str
    run_id: int | None
    store: Path
    conditions: tuple[str, ...]
    is_markdown: bool


def compare_command(request: Request) -> int:
    """
    Print a comparison; return 1 if a condition is met in any cell, else 0.

    Raises:
        UsageError: a condition is invalid, or the two sides cannot be compared.
    """
    conditions = [parse_known(text) for text in request.conditions]
    first, second = parse_addresses(
        request.before, request.after, request.store, request.run_id
    )
    comparison = compare(read_side(first), read_side(second))
    checks = [check_condition(condition, comparison) for condition in conditions]
    if request.is_markdown:
        sys.stdout.write(markdown(comparison, checks))
    else:
        print_comparison(comparison, checks, Console())
    return 1 if any(check.failed for check in checks) else 0
