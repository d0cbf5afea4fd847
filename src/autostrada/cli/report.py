"""``autostrada report``: print a run's tables and write its page again."""

from pathlib import Path
from typing import Annotated

import typer

from autostrada.cli.options import DEFAULT_STORE, Page, RunId, argument
from autostrada.cli.output import print_line


def report(
    file: Annotated[
        Path,
        argument(
            "Results file, or the Parquet file of a run (docs/results).",
            "FILE",
            default=True,
        ),
    ] = DEFAULT_STORE,
    run_id: RunId = None,
    conclusions: Annotated[
        bool,
        typer.Option(
            "--conclusions",
            help="Print the published conclusions with the grounds of each finding.",
        ),
    ] = False,
    page: Page = None,
) -> None:
    """
    Print a run's tables and write its page again.

    Only the file is needed; no trial is run.

    \b
    Example: autostrada report --run 12
    Example: autostrada report docs/results/race.parquet --page race.html
    """  # noqa: D301
    from rich.console import Console

    from autostrada.report.pages.run_page import write_page
    from autostrada.report.results import read_results
    from autostrada.report.screen import print_report
    from autostrada.report.terminal import print_conclusions
    from autostrada.store.reader import StoreReader

    with StoreReader.open(file) as reader:
        results = read_results(reader, run_id)
    print_results = print_conclusions if conclusions else print_report
    print_results(results, Console())
    print_line(f"page: {write_page(file, page, run_id)}")
