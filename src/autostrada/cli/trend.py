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
    svg: Annotated[
        Path | None,
        typer.Option(
            help="Also draw the runs into this file.", metavar="FILE", show_default="no"
        ),
    ] = None,
) -> None:
    """
    Show a contestant over runs, and where it changed.

    Runs of several days tell no small change: regress measures two versions in turn.

    \b
    Example: autostrada trend go-gws results/autostrada.duckdb --svg trend.svg
    """  # noqa: D301
    from rich.console import Console

    from autostrada.report.charts.trend import trend_chart
    from autostrada.report.picture import whole_picture
    from autostrada.report.trend import print_trends, read_trends
    from autostrada.store.file import make_writable

    if svg:
        make_writable(svg)
    trends = read_trends(files or [DEFAULT_STORE], name)
    print_trends(trends, Console())
    if svg:
        drawing = trend_chart(name, trends)
        svg.write_text(whole_picture(drawing), encoding="utf-8")
