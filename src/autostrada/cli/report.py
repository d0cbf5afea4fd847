"""``autostrada report``: print a run's tables and write its page again."""

from typing import Annotated

import typer

from autostrada.cli.options import DEFAULT_STORE, Page, RunId, Store
from autostrada.cli.output import report_run


def report(
    run_id: RunId = None,
    conclusions: Annotated[
        bool,
        typer.Option(
            "--conclusions",
            help="Print the published conclusions with the grounds of each finding.",
        ),
    ] = False,
    store: Store = DEFAULT_STORE,
    page: Page = None,
) -> None:
    """
    Print a run's tables and write its page again.

    Only the results file is needed; no trial is run.

    \b
    Example: autostrada report --run 12
    """  # noqa: D301
    report_run(store, page, run_id, has_conclusions=conclusions)
