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
    import json
    from importlib.resources import as_file, files

    from autostrada.contestants.catalog import find_catalog
    from autostrada.report.archive import archive
    from autostrada.report.charts.chart import Chart
    from autostrada.report.pages.document import as_json
    from autostrada.runner.picture import draw_picture

    catalog = find_catalog()
    catalog.expect_checkout()
    application = files("autostrada.report").joinpath("application", "picture.mjs")
    with as_file(application) as script:

        def draw(chart: Chart) -> str:
            return draw_picture(script, json.dumps(as_json(chart)))

        paths = archive(store, catalog.root, draw)
    for path in paths:
        print_line(f"archived: {path}, {path.stat().st_size:,} bytes")
