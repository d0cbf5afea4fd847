"""``autostrada site``: a site of several runs."""

from pathlib import Path
from typing import Annotated

import typer

from autostrada.cli.options import DEFAULT_STORE, argument, option
from autostrada.cli.output import print_line


def site(
    files: Annotated[
        list[Path] | None,
        argument(
            "Results files, or Parquet files of runs.", "[FILE]...", str(DEFAULT_STORE)
        ),
    ] = None,
    out: Annotated[
        Path, option("Write the site to this folder.", "FOLDER", default=True)
    ] = Path("results/site"),
) -> None:
    """
    Write pages of runs, and an index of all cells.

    The index has filters, and libraries have a page each. Only single trials need a
    server: open index.html. A file that cannot be read is named there beside the
    others.

    \b
    Example: autostrada site docs/results/*.parquet
    """  # noqa: D301
    from autostrada.report.pages.site import write_site

    unread = write_site(files or [DEFAULT_STORE], out)
    for each in unread:
        print_line(f"not read: {each.path}: {each.reason}")
    print_line(f"site: {out / 'index.html'}")
    raise typer.Exit(1 if unread else 0)
