"""Output that several commands share."""

from pathlib import Path


def print_line(text: str) -> None:
    """Print a line without wrapping it, so that paths can be copied."""
    from rich.console import Console

    Console().print(text, soft_wrap=True, markup=False, highlight=False)


def show_run(store: Path, page: Path | None, run_id: int, log: Path | None) -> Path:
    """Print the first screen of a run, and the log of failures; return its page."""
    from rich.console import Console

    from autostrada.report.pages.run_page import write_page
    from autostrada.report.results import read_results
    from autostrada.report.screen import failed_contestants, print_screen
    from autostrada.store.reader import StoreReader

    with StoreReader.open(store) as reader:
        results = read_results(reader, run_id)
    print_screen(results, Console())
    if log and failed_contestants(results):
        print_line(f"log: {log}")
    path = write_page(store, page, run_id)
    print_line(f"page: {path}")
    return path
