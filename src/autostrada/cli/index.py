"""``autostrada index``: write an index of the newest run of each experiment."""

from autostrada.cli.options import DEFAULT_STORE, Store
from autostrada.cli.output import print_line


def index(store: Store = DEFAULT_STORE) -> None:
    """
    Write an index of all experiments.

    The index links to the page of each experiment's newest run. These pages are written
    as well.

    \b
    Example: autostrada index --store results/all.duckdb
    """  # noqa: D301
    from autostrada.report.site import write_index

    print_line(f"index: {write_index(store)}")
