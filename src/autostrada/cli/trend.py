"""``autostrada trend``: a contestant over runs."""

from pathlib import Path
from typing import Annotated

import typer

from autostrada.cli.options import DEFAULT_STORE, argument


def trend(
    name: Annotated[str, argument("A contestant that runs have measured.", "NAME")],
    files: Annotated[
        list[Path] | None,
        argument(
            "Results files, or Parquet files of runs.", "[FILE]...", str(DEFAULT_STORE)
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            help="Also write a page with a chart of the runs.",
            metavar="FILE",
            show_default="no",
        ),
    ] = None,
) -> None:
    """
    Show a contestant over runs, and where it changed.

    Runs of several days tell no small change: regress measures two versions in turn.

    \b
    Example: autostrada trend go-gws results/autostrada.duckdb --page trend.html
    """  # noqa: D301
    from rich.console import Console

    from autostrada.report.pages.trend_page import write_trend_page
    from autostrada.report.trend import print_trends, read_trends
    from autostrada.store.file import make_writable

    if page:
        make_writable(page)
    trends = read_trends(files or [DEFAULT_STORE], name)
    print_trends(trends, Console())
    if page:
        write_trend_page(name, trends, page)
