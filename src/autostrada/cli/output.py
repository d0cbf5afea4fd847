"""Output that several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autostrada.report.results import Results


def print_line(text: str) -> None:
    """Print a line without wrapping it, so that paths can be copied."""
    from rich.console import Console

    Console().print(text, soft_wrap=True, markup=False, highlight=False)


def show_run(store: Path, page: Path | None, run_id: int, log: Path | None) -> None:
    """Print the first screen of a run and write its page; name the log of failures."""
    from rich.console import Console

    from autostrada.report.page import write_page
    from autostrada.report.screen import failed_contestants, print_screen

    results = _read(store, run_id)
    print_screen(results, Console())
    if log and failed_contestants(results):
        print_line(f"log: {log}")
    print_line(f"page: {write_page(store, page, run_id)}")


def report_run(
    store: Path, page: Path | None, run_id: int | None, *, has_conclusions: bool
) -> None:
    """Print a run's tables, or its conclusions with their grounds; write its page."""
    from rich.console import Console

    from autostrada.report.page import write_page
    from autostrada.report.screen import print_report
    from autostrada.report.terminal import print_conclusions

    results = _read(store, run_id)
    print_results = print_conclusions if has_conclusions else print_report
    print_results(results, Console())
    print_line(f"page: {write_page(store, page, run_id)}")


def _read(store: Path, run_id: int | None) -> "Results":
    from autostrada.report.results import read_results
    from autostrada.store.reader import StoreReader

    with StoreReader.open(store) as reader:
        return read_results(reader, run_id)
