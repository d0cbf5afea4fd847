"""Output that several commands share."""

from pathlib import Path


def print_line(text: str) -> None:
    """Print a line without wrapping it, so that paths can be copied."""
    from rich.console import Console

    Console().print(text, soft_wrap=True, markup=False, highlight=False)


def report_run(store: Path, page: Path | None, run_id: int | None) -> None:
    """Print a run's tables and write its page."""
    from rich.console import Console

    from autostrada.report.page import write_page
    from autostrada.report.terminal import print_run

    print_run(store, Console(), run_id)
    print_line(f"page: {write_page(store, page, run_id)}")
