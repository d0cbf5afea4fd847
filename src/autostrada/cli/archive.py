"""``autostrada archive``: archive the newest runs in the repository."""

from autostrada.cli.options import DEFAULT_STORE, Store
from autostrada.cli.output import print_line


def archive(store: Store = DEFAULT_STORE) -> None:
    """
    Archive results in docs/results.

    The newest run of each experiment replaces its older archive, and
    docs/results/README.md and the tables of README are updated. "autostrada report
    FILE" prints an archive.

    \b
    Example: autostrada archive --store results/all.duckdb
    """  # noqa: D301
    from autostrada.contestants.catalog import find_catalog
    from autostrada.report.archive import archive

    catalog = find_catalog()
    catalog.expect_checkout()
    for path in archive(store, catalog.root):
        print_line(f"archived: {path}, {path.stat().st_size:,} bytes")
