"""``autostrada index``: an index of the newest run of each experiment."""

from autostrada.cli.options import DEFAULT_STORE, Store
from autostrada.cli.output import say


def index(store: Store = DEFAULT_STORE) -> None:
    """
    Write an index of all experiments.

    It links the page of each experiment's newest run, which is written as well.

    \b
    Example: autostrada index --store results/all.duckdb
    """  # noqa: D301
    from autostrada.report.site import write_index

    say(f"index: {write_index(store)}")
