"""``autostrada archive``: archive the newest runs in the repository."""

from autostrada.cli.options import DEFAULT_STORE, Store
from autostrada.cli.output import print_line


def archive(store: Store = DEFAULT_STORE) -> None:
    """
    Archive results in docs/results.

    The newest run of each experiment is archived, its older archives are removed, and
    the README's table is updated.

    \b
    Example: autostrada archive --store results/all.duckdb
    """  # noqa: D301
    from autostrada.contestants.catalog import find_catalog
    from autostrada.report.archive import archive, archived_bytes

    folder = archive(store, find_catalog().root)
    print_line(f"archived: {folder}, {archived_bytes(folder):,} bytes")
