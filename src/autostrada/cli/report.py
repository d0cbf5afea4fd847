"""``autostrada report``: print a run's tables and write its page again."""

from autostrada.cli.options import DEFAULT_STORE, Page, RunId, Store
from autostrada.cli.output import report_run


def report(
    run_id: RunId = None, store: Store = DEFAULT_STORE, page: Page = None
) -> None:
    """
    Print a run's tables and write its page again.

    Only the results file is needed; no trial is run.

    \b
    Example: autostrada report --run 12
    """  # noqa: D301
    report_run(store, page, run_id)
