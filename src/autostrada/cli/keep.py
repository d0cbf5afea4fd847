"""``autostrada keep``: archive the newest run of each experiment in the repository."""

from autostrada.cli.options import DEFAULT_STORE, Store
from autostrada.cli.output import say


def keep(store: Store = DEFAULT_STORE) -> None:
    """
    Archive results in docs/results.

    The newest run of each experiment is archived and the README's table updated.

    \b
    Example: autostrada keep --store results/all.duckdb
    """  # noqa: D301
    from autostrada.contestants.catalog import find_catalog
    from autostrada.report.collection.kept import keep, kept_bytes

    folder = keep(store, find_catalog().root)
    say(f"archived: {folder}, {kept_bytes(folder):,} bytes")
